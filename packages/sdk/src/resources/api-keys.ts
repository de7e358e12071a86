// Who may call, and with which scopes.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { IssuedApiKey, RevokedApiKey, WhoAmI } from '../generated/types.gen.ts'

export class ApiKeys {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Reads the business and the scopes of the key that asks. */
  whoAmI(options?: RequestOptions): Promise<WhoAmI> {
    return this.#api.call('whoAmI', {}, options)
  }

  /** Lists keys, newest first. The keys themselves are not shown. */
  list(query: Query<'listApiKeys'> = {}, options?: RequestOptions): List<Item<'listApiKeys'>> {
    return this.#api.list('listApiKeys', { query }, options)
  }

  /** Issues a key. `key` is shown here and never again. @throws BusinessRuleError `api_key_limit_reached` */
  issue(body?: Body<'issueApiKey'>, options?: WriteOptions): Promise<IssuedApiKey> {
    return this.#api.call('issueApiKey', body ? { body } : {}, options)
  }

  /** Puts a new key in the place of one, which works on for `expiresInHours`, 0 to 168, by default 24. */
  roll(id: string, body?: Body<'rollApiKey'>, options?: WriteOptions): Promise<IssuedApiKey> {
    return this.#api.call('rollApiKey', { path: { id }, ...(body && { body }) }, options)
  }

  /**
   * Revokes a key, on every replica within 2 seconds. With `withCreated`, after a leak, also revokes everything that was created
   * with the key, directly or indirectly; the key may have been revoked before.
   */
  revoke(id: string, query: Query<'revokeApiKey'> = {}, options?: WriteOptions): Promise<RevokedApiKey> {
    return this.#api.call('revokeApiKey', { path: { id }, query }, options)
  }
}
