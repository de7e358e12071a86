// How to pay into a virtual account, as a payer is told it.

import type { Deps } from '../app/context.ts'
import type { Business } from '../platform/http/caller.ts'
import { accountOf } from '../virtual-accounts/service.ts'
import { instructionsByRail } from './instructions.rules.ts'

/** Nobody is told to pay into an account that takes no deposits: it has no instructions. @throws ApiError `virtual_account_not_found` */
export async function getDepositInstructions(deps: Deps, business: Business, id: string) {
  const account = await deps.db.read((query) => accountOf(query, business, id))
  const { status, sourceCurrency, instructions } = account
  return {
    virtualAccountId: id,
    status,
    sourceCurrency,
    minimumAmount: deps.config.rails.fiat[sourceCurrency].minimumAmount,
    instructions: status === 'active' && instructions ? instructionsByRail(instructions) : [],
  }
}
