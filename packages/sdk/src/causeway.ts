// The client: one key, one deployment, a resource for each noun of the API.

import { Api, type CallInput, type Data, type Item, type OperationId, type PagedOperationId } from './core/api.ts'
import type { CausewayOptions, RequestOptions, WriteOptions } from './core/options.ts'
import type { List } from './core/page.ts'
import { Transport } from './core/request.ts'
import { Resources } from './generated/resources.gen.ts'
import { Events } from './resources/events.ts'
import { Kyc } from './resources/kyc.ts'
import { Webhooks } from './resources/webhooks.ts'

/**
 * A client of Causeway. Making it sends nothing; it holds no connection and needs no end.
 * Every method rejects with ApiError (a class for each category), ConnectionError, TimeoutError or AbortedError.
 */
export class Causeway extends Resources {
  readonly kyc: Kyc
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #api: Api

  /** @throws TypeError when `baseUrl` is no address or `apiKey` holds white space */
  constructor(options: CausewayOptions) {
    const transport = new Transport(options)
    const api = new Api(transport)
    super(api)
    this.#api = api
    this.kyc = new Kyc(api)
    this.events = new Events(api)
    this.webhooks = new Webhooks(transport)
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
