// The report of a day: the deposits that were completed, and what they come to.

import { Type } from 'typebox'
import type { App } from '../platform/http/app.ts'
import { businessRoutes } from '../platform/http/route.ts'
import { closed } from '../platform/http/schema/schema.ts'
import { completedDepositColumns } from './csv.ts'
import { listCompletedDeposits, sumCompletedDeposits } from './report.ts'
import { completedDeposit, depositSums } from './schema.ts'

const day = Type.String({
  format: 'date',
  errorText: 'must be a day such as 2026-01-31',
  description:
    'A day of UTC. A deposit belongs to the day of its `completedAt`, a refund to the day of its `refundedAt`.',
  examples: ['2026-01-31'],
})

export function depositReportRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Deposits', 'virtual_accounts')

  list('GET /v0/reports/deposits', {
    id: 'listCompletedDeposits',
    summary: 'List the deposits that were completed on a day',
    description:
      'In the order of their completion, with every amount, and with what does not add up. A deposit that was refunded afterwards stays in the list, with the status `refunded` and its `refundedAmount`. Deposits that were never completed are not in the list.',
    required: { day },
    items: completedDeposit,
    csv: completedDepositColumns,
    run: ({ deps, business, filter, page }) => listCompletedDeposits(deps, business, filter.day, page),
  })

  route('GET /v0/reports/deposits/sums', {
    id: 'sumCompletedDeposits',
    summary: 'Add up the deposits that were completed on a day',
    description:
      'Sums by currency of the whole list of that day, the refunds of that day, and the deposits that do not add up to the cent. The day of a deposit that the provider confirms late changes with it: read a day again before you close your books.',
    query: closed({ day }),
    data: depositSums,
    run: ({ deps, business, query }) => sumCompletedDeposits(deps, business, query.day),
  })
}
