// Reference data: countries, occupations, exchange rates.

import { invalidParameters } from '../platform/errors.ts'
import type { Operation } from '../platform/operations.ts'
import { single } from '../platform/pagination.ts'
import { rateBetween, renderExchangeRate } from '../virtual-accounts/currencies.ts'
import { countries } from './countries.ts'
import { occupations } from './occupations.ts'

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
