// How to pay into a virtual account.

import type { Core } from '../../platform/core.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { depositInstructions } from './schema.ts'
import { getDepositInstructions } from './service.ts'

const { read } = operationsOf<Core>('Virtual accounts', 'virtual_accounts')

export const instructionOperations = [
  read('GET /v0/virtual-accounts/:id/deposit-instructions', {
    id: 'getDepositInstructions',
    summary: 'Read deposit instructions',
    sdk: 'virtualAccounts.depositInstructions(at)',
    description: 'One entry for each bank rail, with the details that a payer enters.',
    data: depositInstructions,
    errors: ['virtual_account_not_found'],
    run: ({ deps, scope, params }) => getDepositInstructions(deps, scope.business, params.id),
  }),
]
