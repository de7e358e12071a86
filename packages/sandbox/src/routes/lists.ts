// Reference data: countries, occupations, exchange rates.
import { countries } from '../countries.ts'
import { rateBetween, renderExchangeRate } from '../currencies.ts'
import { invalidParameters } from '../errors.ts'
import { occupations } from '../occupations.ts'
import type { Operation } from '../operations.ts'
import { single } from '../pagination.ts'

export const listOperations = (): Operation[] => [
  { method: 'GET', path: '/lists/countries', run: () => ({ count: countries.length, data: countries }) },
  { method: 'GET', path: '/lists/occupation_codes', run: () => occupations },
  {
    method: 'GET',
    path: '/exchange_rates',
    run: ({ query }) => {
      const rate = rateBetween(single(query, 'from') ?? '', single(query, 'to') ?? '')
      if (rate === undefined) throw invalidParameters('query', { from: 'Not supported', to: 'Not supported' })
      return renderExchangeRate(rate)
    },
  },
]
