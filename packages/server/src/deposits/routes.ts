// Deposits: what came in, how far it got, and what went out; and how to pay in.

import type { App } from '../platform/http/app.ts'
import { businessRoutes } from '../platform/http/route.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { anyId, externalUserId, lineOf } from '../platform/http/schema/schema.ts'
import { sourceCurrencyFilter } from '../virtual-accounts/schema.ts'
import { depositColumns } from './csv.ts'
import { deposit, depositInstructions, status } from './schema.ts'
import { getDeposit, getDepositInstructions, listDeposits, listDepositsOfAccount } from './service.ts'

const q = lineOf(256, {
  description:
    'The whole of an id, ours or the provider’s, of a reference (trace number, IMAD, OMAD, UETR, tracking number, end-to-end id), or of a transaction hash, in upper or lower case.',
})

export function depositRoutes(app: App): void {
  const { route: accountRoute } = businessRoutes(app, 'Virtual accounts', 'virtual_accounts')
  const { route, list } = businessRoutes(app, 'Deposits', 'virtual_accounts')

  accountRoute('GET /v0/virtual-accounts/:id/deposit-instructions', {
    id: 'getDepositInstructions',
    summary: 'Read how to pay into a virtual account',
    description: 'One entry for each bank rail, with what a payer writes down for it.',
    data: depositInstructions,
    errors: ['virtual_account_not_found'],
    run: ({ deps, business, params }) => getDepositInstructions(deps, business, params.id),
  })

  list('GET /v0/deposits', {
    id: 'listDeposits',
    summary: 'List deposits, newest first',
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
    run: ({ deps, business, filter, page }) => listDeposits(deps, business, filter, page),
  })

  route('GET /v0/deposits/:id', {
    id: 'getDeposit',
    summary: 'Read a deposit',
    description:
      'Each amount has its currency next to it. An amount that the provider has not reported in that currency is null. Fees that contradict the gross amount are null, and so are fees of a receipt that does not show in which currency it counts them.',
    data: deposit,
    errors: ['deposit_not_found'],
    run: ({ deps, business, params }) => getDeposit(deps, business, params.id),
  })

  list('GET /v0/virtual-accounts/:id/deposits', {
    id: 'listDepositsOfVirtualAccount',
    summary: 'List the deposits of a virtual account, newest first',
    filters: { status, ...timeRange },
    items: deposit,
    errors: ['virtual_account_not_found'],
    run: ({ deps, business, params, filter, page }) => listDepositsOfAccount(deps, business, params.id, filter, page),
  })
}
