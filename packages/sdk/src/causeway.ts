// The client: one key, one deployment, and a resource for each subject of the API.

import { Api, type CallInput, type Data, type Item, type OperationId, type PagedOperationId } from './core/api.ts'
import type { CausewayOptions, RequestOptions, WriteOptions } from './core/options.ts'
import type { List } from './core/page.ts'
import { Transport } from './core/request.ts'
import type { ApiPromise } from './core/response.ts'
import { Resources } from './generated/resources.gen.ts'
import { Events } from './resources/events.ts'
import { Kyc } from './resources/kyc.ts'
import { Webhooks } from './resources/webhooks.ts'

/**
 * A client of Causeway. The constructor sends nothing, and a client needs no close: it holds no connection. Every method rejects
 * with ApiError (a class for each category), ConnectionError, TimeoutError or AbortedError.
 */
export class Causeway extends Resources {
  readonly kyc: Kyc
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #api: Api

  /** @throws TypeError when `baseUrl` is not a URL or `apiKey` contains white space */
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
   * Calls any operation by its ID, including operator operations, whose key is the operator secret. Without an `Idempotency-Key`,
   * a write is retried only after 429.
   * @returns the `data` of the response
   */
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, options?: WriteOptions): ApiPromise<Data<Id>> {
    return this.#api.call(id, input, options)
  }

  /** Lists with any paginated operation, including operator operations. Sends nothing before the list is read. */
  list<Id extends PagedOperationId>(id: Id, input: CallInput<Id>, options?: RequestOptions): List<Item<Id>> {
    return this.#api.list(id, input, options)
  }
}
