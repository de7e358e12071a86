// How to pay into a virtual account.

import type { Core } from '../../platform/core.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { depositInstructions } from './schema.ts'
import { getDepositInstructions } from './service.ts'

const { read } = operationsOf<Core>('Virtual accounts', 'virtual_accounts')

export const instructionOperations = [
  read('GET /v0/virtual-accounts/:id/deposit-instructions', {
    id: 'getDepositInstructions',
    summary: 'Read how to pay into a virtual account',
    sdk: 'virtualAccounts.depositInstructions(at)',
    description: 'One entry for each bank rail, with what a payer writes down for it.',
    data: depositInstructions,
    errors: ['virtual_account_not_found'],
    run: ({ deps, scope, params }) => getDepositInstructions(deps, scope.business, params.id),
  }),
]
