// What arrived, what became of it, and when. Amounts are decimal strings, each with its currency.

import type { Api, Item, Query } from '../core/api.ts'
import type { RequestOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { Deposit } from '../generated/types.gen.ts'

export class Deposits {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists deposits, newest first. */
  list(query: Query<'listDeposits'> = {}, options?: RequestOptions): List<Item<'listDeposits'>> {
    return this.#api.list('listDeposits', { query }, options)
  }

  /**
   * Reads deposits as CSV, newest first, page after page: the pages one after the other are one file, with one line of names.
   * `limit` is of a page; 100 is the most.
   */
  csv(query: Query<'listDeposits'> = {}, options?: RequestOptions): AsyncGenerator<string, void> {
    return this.#api.csv('listDeposits', { query }, options)
  }

  /** Reads a deposit. @throws NotFoundError `deposit_not_found` */
  get(id: string, options?: RequestOptions): Promise<Deposit> {
    return this.#api.call('getDeposit', { path: { id } }, options)
  }
}
