// The people and companies that a business serves, by its own identifiers.

import type { Api, Body, Item, Query } from '../../core/api.ts'
import type { RequestOptions, WriteOptions } from '../../core/options.ts'
import type { List } from '../../core/page.ts'
import type { EndUser, TosLink } from '../../generated/types.gen.ts'

export class EndUsers {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Creates an end-user. @throws ConflictError `end_user_already_exists` */
  create(body: Body<'createEndUser'>, options?: WriteOptions): Promise<EndUser> {
    return this.#api.call('createEndUser', { body }, options)
  }

  /** Lists end-users, newest first. */
  list(query: Query<'listEndUsers'> = {}, options?: RequestOptions): List<Item<'listEndUsers'>> {
    return this.#api.list('listEndUsers', { query }, options)
  }

  /** Reads an end-user. `nextAction` says what comes next. @throws NotFoundError `holder_not_found` */
  get(externalUserId: string, options?: RequestOptions): Promise<EndUser> {
    return this.#api.call('getEndUser', { path: { externalUserId } }, options)
  }

  /** Changes e-mail address, type or metadata. @throws ConflictError `end_user_type_fixed` */
  update(externalUserId: string, body: Body<'updateEndUser'>, options?: WriteOptions): Promise<EndUser> {
    return this.#api.call('updateEndUser', { path: { externalUserId }, body }, options)
  }

  /** Erases what is held of an end-user. @throws ConflictError `end_user_in_use` while an account or a deposit is open */
  erase(externalUserId: string, options?: WriteOptions): Promise<{ deleted: boolean }> {
    return this.#api.call('eraseEndUser', { path: { externalUserId } }, options)
  }

  /** Makes a Terms-of-Service link, or answers the open one. Show it by `openTerms` of `@causeway/sdk/terms`. */
  createTosLink(externalUserId: string, body?: Body<'createTosLink'>, options?: WriteOptions): Promise<TosLink> {
    return this.#api.call('createTosLink', { path: { externalUserId }, ...(body && { body }) }, options)
  }
}
