// Who changed what in the business: keys, links into the console, endpoints, destinations, erased end-users.

import type { Api, Item, Query } from '../core/api.ts'
import type { RequestOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'

export class AuditLog {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists entries, newest first. */
  list(query: Query<'listAuditLog'> = {}, options?: RequestOptions): List<Item<'listAuditLog'>> {
    return this.#api.list('listAuditLog', { query }, options)
  }
}
