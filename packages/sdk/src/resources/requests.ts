// What the keys of a business asked for in the last days: no bodies, no query values, no identity data.

import type { Api, Item, Query } from '../core/api.ts'
import type { RequestOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'

export class Requests {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists requests, newest first. */
  list(query: Query<'listRequests'> = {}, options?: RequestOptions): List<Item<'listRequests'>> {
    return this.#api.list('listRequests', { query }, options)
  }
}
