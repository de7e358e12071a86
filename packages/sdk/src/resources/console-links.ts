// One-time links into the console, for the staff of the business.

import type { Api, Body } from '../core/api.ts'
import type { WriteOptions } from '../core/options.ts'
import type { ConsoleLink, RevokedConsoleLink } from '../generated/types.gen.ts'

export class ConsoleLinks {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Makes a link that signs one browser in, once, limited to `scopes` of the calling key. `url` is shown here and never again.
   * It can be opened for `expiresInMinutes`, 1 to 60, by default 10.
   * @throws PermissionError `insufficient_scope`
   */
  create(body: Body<'createConsoleLink'>, options?: WriteOptions): Promise<ConsoleLink> {
    return this.#api.call('createConsoleLink', { body }, options)
  }

  /** Revokes a link, and ends the session that it has opened. */
  revoke(id: string, options?: WriteOptions): Promise<RevokedConsoleLink> {
    return this.#api.call('revokeConsoleLink', { path: { id } }, options)
  }
}
