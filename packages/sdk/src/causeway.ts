// The client: one key, one deployment, a resource for each noun of the API.

import {
  Api,
  type CallInput,
  type Data,
  type Item,
  type OperationId,
  type PagedOperationId,
  type Query,
} from './core/api.ts'
import type { CausewayOptions, RequestOptions, WriteOptions } from './core/options.ts'
import type { List } from './core/page.ts'
import { Transport } from './core/request.ts'
import type { Capabilities, Stats } from './generated/types.gen.ts'
import { ApiKeys } from './resources/api-keys.ts'
import { AuditLog } from './resources/audit-log.ts'
import { ConsoleLinks } from './resources/console-links.ts'
import { Deliveries } from './resources/deliveries.ts'
import { Deposits } from './resources/deposits.ts'
import { EndUsers } from './resources/end-users/end-users.ts'
import { Kyc } from './resources/end-users/kyc.ts'
import { Onboarding } from './resources/end-users/onboarding.ts'
import { Events } from './resources/events.ts'
import { InformationRequests } from './resources/information-requests.ts'
import { Reports } from './resources/reports.ts'
import { Requests } from './resources/requests.ts'
import { Sandbox } from './resources/sandbox.ts'
import { VirtualAccounts } from './resources/virtual-accounts.ts'
import { WebhookEndpoints } from './resources/webhook-endpoints.ts'
import { Webhooks } from './resources/webhooks.ts'

/**
 * A client of Causeway. Making it sends nothing; it holds no connection and needs no end.
 * Every method rejects with ApiError (a class for each category), ConnectionError, TimeoutError or AbortedError.
 */
export class Causeway {
  readonly endUsers: EndUsers
  readonly kyc: Kyc
  readonly onboarding: Onboarding
  readonly virtualAccounts: VirtualAccounts
  readonly deposits: Deposits
  readonly informationRequests: InformationRequests
  readonly reports: Reports
  readonly events: Events
  readonly deliveries: Deliveries
  readonly webhookEndpoints: WebhookEndpoints
  readonly webhooks: Webhooks
  readonly apiKeys: ApiKeys
  readonly consoleLinks: ConsoleLinks
  readonly requests: Requests
  readonly auditLog: AuditLog
  readonly sandbox: Sandbox
  readonly #api: Api

  /** @throws TypeError when `baseUrl` is no address or `apiKey` holds white space */
  constructor(options: CausewayOptions) {
    const transport = new Transport(options)
    const api = new Api(transport)
    this.#api = api
    this.endUsers = new EndUsers(api)
    this.kyc = new Kyc(api)
    this.onboarding = new Onboarding(api)
    this.virtualAccounts = new VirtualAccounts(api)
    this.deposits = new Deposits(api)
    this.informationRequests = new InformationRequests(api)
    this.reports = new Reports(api)
    this.events = new Events(api)
    this.deliveries = new Deliveries(api)
    this.webhookEndpoints = new WebhookEndpoints(api)
    this.webhooks = new Webhooks(transport)
    this.apiKeys = new ApiKeys(api)
    this.consoleLinks = new ConsoleLinks(api)
    this.requests = new Requests(api)
    this.auditLog = new AuditLog(api)
    this.sandbox = new Sandbox(api)
  }

  /** Reads which currencies, rails and tokens go together here, and the origins of the terms pages. */
  capabilities(options?: RequestOptions): Promise<Capabilities> {
    return this.#api.call('getCapabilities', {}, options)
  }

  /** Counts end-users and accounts by state, deposits by state and currency, deliveries by endpoint. */
  stats(query: Query<'getStats'> = {}, options?: RequestOptions): Promise<Stats> {
    return this.#api.call('getStats', { query }, options)
  }

  /**
   * Calls any operation of the API by its id, those of the operator included, whose key is the operator secret.
   * An operation without an `Idempotency-Key` is repeated only when the API refused it for haste.
   * @returns the `data` of the answer
   */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, options?: WriteOptions): Promise<Data<Id>> {
    return this.#api.call(id, input, options)
  }

  /** Lists by any operation whose answer has pages, those of the operator included. Nothing is sent before the list is used. */
  list<Id extends PagedOperationId>(id: Id, input: CallInput<Id>, options?: RequestOptions): List<Item<Id>> {
    return this.#api.list(id, input, options)
  }
}
