// One-time links into the console, for the staff of the business.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { ConsoleLink, RevokedConsoleLink } from '../generated/types.gen.ts'

export class ConsoleLinks {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists links until a day after their end, newest first. The links themselves are not shown. */
  list(query: Query<'listConsoleLinks'> = {}, options?: RequestOptions): List<Item<'listConsoleLinks'>> {
    return this.#api.list('listConsoleLinks', { query }, options)
  }

  /**
   * Makes a link that signs one browser in, once, limited to `scopes` of the calling key. `url` is shown here and never again.
   * It can be opened for `expiresInMinutes`, 1 to 60, by default 10.
   * @throws PermissionError `insufficient_scope`
   */
  create(body: Body<'createConsoleLink'>, options?: WriteOptions): Promise<ConsoleLink> {
    return this.#api.call('createConsoleLink', { body }, options)
  }

  /**
   * Revokes a link, and ends the session that it has opened. With `withCreated`, also revokes everything that was created in the
   * session, directly or indirectly.
   */
  revoke(id: string, query: Query<'revokeConsoleLink'> = {}, options?: WriteOptions): Promise<RevokedConsoleLink> {
    return this.#api.call('revokeConsoleLink', { path: { id }, query }, options)
  }
}
