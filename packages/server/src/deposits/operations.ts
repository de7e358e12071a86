// Deposits: what came in, how far it got, and what went out; and the report of a day.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { anyId, closed, externalUserId, lineOf } from '../platform/http/schema/schema.ts'
import { sourceCurrencyFilter } from '../virtual-accounts/schema.ts'
import { completedDepositColumns, depositColumns } from './csv.ts'
import { listCompletedDeposits, sumCompletedDeposits } from './report.ts'
import { completedDeposit, deposit, depositSums, status } from './schema.ts'
import { getDeposit, listDeposits, listDepositsOfAccount } from './service.ts'

const q = lineOf(256, {
  description:
    'The whole of an id, ours or the provider’s, of a reference (trace number, IMAD, OMAD, UETR, tracking number, end-to-end id), or of a transaction hash, in upper or lower case.',
})

const day = Type.String({
  format: 'date',
  errorText: 'must be a day such as 2026-01-31',
  description:
    'A day of UTC. A deposit belongs to the day of its `completedAt`, a refund to the day of its `refundedAt`.',
  examples: ['2026-01-31'],
})

const { read, list } = operationsOf<Core>('Deposits', 'virtual_accounts')

export const depositOperations = [
  list('GET /v0/deposits', {
    id: 'listDeposits',
    summary: 'List deposits, newest first',
    sdk: 'deposits.list(query)',
    example: { query: () => ({ limit: 1 }) },
    unindexed: [['status', 'sourceCurrency']],
    filters: {
      externalUserId,
      virtualAccountId: anyId,
      providerDepositId: anyId,
      status,
      sourceCurrency: sourceCurrencyFilter,
      q,
      ...timeRange,
    },
    items: deposit,
    csv: depositColumns,
    run: ({ deps, scope, filter, page }) => listDeposits(deps, scope.business, filter, page),
  }),

  read('GET /v0/deposits/:id', {
    id: 'getDeposit',
    summary: 'Read a deposit',
    sdk: 'deposits.get(at)',
    description:
      'Each amount has its currency next to it. An amount that the provider has not reported in that currency is null. Fees that contradict the gross amount are null, and so are fees of a receipt that does not show in which currency it counts them.',
    data: deposit,
    errors: ['deposit_not_found'],
    run: ({ deps, scope, params }) => getDeposit(deps, scope.business, params.id),
  }),

  list('GET /v0/virtual-accounts/:id/deposits', {
    id: 'listDepositsOfVirtualAccount',
    summary: 'List the deposits of a virtual account, newest first',
    sdk: 'virtualAccounts.deposits(at, query)',
    example: { query: () => ({ limit: 1 }) },
    filters: { status, ...timeRange },
    items: deposit,
    errors: ['virtual_account_not_found'],
    run: ({ deps, scope, params, filter, page }) =>
      listDepositsOfAccount(deps, scope.business, params.id, filter, page),
  }),

  list('GET /v0/reports/deposits', {
    id: 'listCompletedDeposits',
    summary: 'List the deposits that were completed on a day',
    sdk: 'reports.deposits(day, query)',
    example: { query: ({ day }) => ({ day }) },
    description:
      'In the order of their completion, with every amount, and with what does not add up. A deposit that was refunded afterwards stays in the list, with the status `refunded` and its `refundedAmount`. Deposits that were never completed are not in the list.',
    required: { day },
    items: completedDeposit,
    csv: completedDepositColumns,
    run: ({ deps, scope, filter, page }) => listCompletedDeposits(deps, scope.business, filter.day, page),
  }),

  read('GET /v0/reports/deposits/sums', {
    id: 'sumCompletedDeposits',
    summary: 'Add up the deposits that were completed on a day',
    sdk: 'reports.depositSums(day)',
    example: { query: ({ day }) => ({ day }) },
    description:
      'Sums by currency of the whole list of that day, the refunds of that day, and the deposits that do not add up to the cent. The day of a deposit that the provider confirms late changes with it: read a day again before you close your books.',
    query: closed({ day }),
    data: depositSums,
    run: ({ deps, scope, query }) => sumCompletedDeposits(deps, scope.business, query.day),
  }),
]
