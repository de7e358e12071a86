// What a day of UTC came to, such as '2026-01-31'. A deposit belongs to the day on which the provider confirmed its payout.

import type { Api, Item, Query } from '../core/api.ts'
import type { RequestOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { DepositSums } from '../generated/types.gen.ts'

type PageQuery = Omit<Query<'listCompletedDeposits'>, 'day'>

export class Reports {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Lists the deposits that were completed on a day, in that order, each with what does not add up, if anything. */
  deposits(day: string, query: PageQuery = {}, options?: RequestOptions): List<Item<'listCompletedDeposits'>> {
    return this.#api.list('listCompletedDeposits', { query: { ...query, day } }, options)
  }

  /** Reads the same list as CSV: the pages one after the other are one file, with one line of names. */
  depositsCsv(day: string, query: PageQuery = {}, options?: RequestOptions): AsyncGenerator<string, void> {
    return this.#api.csv('listCompletedDeposits', { query: { ...query, day } }, options)
  }

  /** Adds up that list by currency, and names the deposits that do not add up to the cent. */
  depositSums(day: string, options?: RequestOptions): Promise<DepositSums> {
    return this.#api.call('sumCompletedDeposits', { query: { day } }, options)
  }
}
