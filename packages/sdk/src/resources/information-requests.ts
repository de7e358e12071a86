// The provider's requests for information about end-users and their deposits. The operator responds to them.

import type { Api, Data, Item, Query } from '../core/api.ts'
import type { RequestOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'

export class InformationRequests {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists information requests, newest first. */
  list(query: Query<'listInformationRequests'> = {}, options?: RequestOptions): List<Item<'listInformationRequests'>> {
    return this.#api.list('listInformationRequests', { query }, options)
  }

  /** Reads an information request. @throws NotFoundError `information_request_not_found` */
  get(id: string, options?: RequestOptions): Promise<Data<'getInformationRequest'>> {
    return this.#api.call('getInformationRequest', { path: { id } }, options)
  }
}
