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
    'A complete deposit ID, provider deposit ID, payment reference (trace number, IMAD, OMAD, UETR, tracking number, end-to-end ID) or transaction hash. Not case-sensitive.',
})

const day = Type.String({
  format: 'date',
  errorText: 'must be a day such as 2026-01-31',
  description:
    'A day in UTC. A deposit belongs to the day of its `completedAt`, a refund to the day of its `refundedAt`.',
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
      'Each amount has its currency next to it. An amount that the provider has not reported in that currency is null. Fees are null if they contradict the gross amount, or if the provider’s receipt does not show their currency.',
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
    summary: 'List the deposits completed on a day',
    sdk: 'reports.deposits(day, query)',
    example: { query: ({ day }) => ({ day }) },
    description:
      'The reconciliation report, in the order of completion, with every amount and every discrepancy. A deposit that was refunded afterwards stays in the list, with the status `refunded` and its `refundedAmount`. Deposits that were never completed are not in the list.',
    required: { day },
    items: completedDeposit,
    csv: completedDepositColumns,
    run: ({ deps, scope, filter, page }) => listCompletedDeposits(deps, scope.business, filter.day, page),
  }),

  read('GET /v0/reports/deposits/sums', {
    id: 'sumCompletedDeposits',
    summary: 'Sum the deposits completed on a day',
    sdk: 'reports.depositSums(day)',
    example: { query: ({ day }) => ({ day }) },
    description:
      'Sums by currency over the reconciliation report of the day, the refunds of that day, and the deposits that do not balance to the cent. If the provider confirms a deposit late, the sums of its day change: reload the report before you close your books.',
    query: closed({ day }),
    data: depositSums,
    run: ({ deps, scope, query }) => sumCompletedDeposits(deps, scope.business, query.day),
  }),
]
