// How to pay into a virtual account.

import type { Core } from '../../platform/core.ts'
import type { Business } from '../../platform/http/caller.ts'
import { isoTime } from '../../platform/values/time.ts'
import { accountOf } from '../service.ts'
import { listFormerDetails } from '../standing/former-details.store.ts'
import { instructionsByRail } from './instructions.rules.ts'
import { payerRulesOf } from './payer.rules.ts'

/** Former bank details that are shown, the newest. */
const formerDetailsMax = 50

/**
 * Reads how to pay into an account, and which bank details it had before.
 * @returns no instructions unless the account is active: nobody pays into an account that takes no deposits
 * @throws ApiError `virtual_account_not_found`
 */
export async function getDepositInstructions(deps: Core, business: Business, id: string) {
  const [account, former] = await deps.db.read(async (query) => [
    await accountOf(query, business, id),
    await listFormerDetails(query, business.id, id, formerDetailsMax),
  ])
  const { status, suspendedReason, sourceCurrency, instructions } = account
  const { minimumAmount } = deps.config.rails.fiat[sourceCurrency]
  return {
    virtualAccountId: id,
    status,
    ...(status === 'suspended' && suspendedReason !== null && { suspendedReason }),
    sourceCurrency,
    minimumAmount,
    payerRules: payerRulesOf({
      currency: sourceCurrency,
      minimumAmount,
      feePercent: (account.feeConfig ?? account.feeConfigAsked) === null ? account.developerFeePercent : null,
      beneficiaryName: instructions?.beneficiaryName ?? null,
    }),
    instructions: status === 'active' && instructions ? instructionsByRail(instructions) : [],
    previousInstructions: former.map(({ validFrom, validUntil, instructions: details }) => ({
      validFrom: isoTime(validFrom),
      validUntil: isoTime(validUntil),
      instructions: instructionsByRail(details),
    })),
  }
}
