// The levers of the emulated provider, on a business's own objects only.

import type { Business } from '../domain/business.ts'
import { fail } from '../errors.ts'
import { ProviderError, type SandboxControl } from '../provider/port.ts'
import type { Deps } from './deps.ts'
import { endUserOf } from './onboarding.ts'
import { providerFailure, providerRejection } from './upstream.ts'
import { accountOf } from './virtual-accounts.ts'

export type SimulatedDeposit = {
  virtualAccountId: string
  amount: string
  paymentRail?: string
  outcome?: string
  senderName?: string
}

/** @throws ApiError `virtual_account_not_found`, `account_state_conflict`, `provider_rejected`, `provider_unavailable` */
export async function simulateDeposit(
  deps: Deps,
  business: Business,
  input: SimulatedDeposit,
): Promise<{ providerDepositId: string }> {
  const account = await deps.db.read((query) => accountOf(query, business, input.virtualAccountId))
  const id = account.providerVirtualAccountId
  if (id === null || account.status !== 'active') throw fail('account_state_conflict')
  return await controlled(input, async () => ({
    providerDepositId: await leversOf(deps).deposit(id, {
      amount: input.amount,
      ...(input.paymentRail === undefined ? {} : { payment_rail: input.paymentRail }),
      ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
      ...(input.senderName === undefined ? {} : { sender_name: input.senderName }),
    }),
  }))
}

/** @throws ApiError `holder_not_found`, `kyc_not_resubmittable` when nothing was submitted, `provider_rejected`, `provider_unavailable` */
export async function decideKyc(
  deps: Deps,
  business: Business,
  input: { externalUserId: string; decision: string },
): Promise<{ decided: true }> {
  const user = await deps.db.read((query) => endUserOf(query, business, input.externalUserId))
  const id = user.providerCustomerId
  if (id === null) {
    const facts = { externalUserId: user.externalUserId }
    throw fail('kyc_not_resubmittable', { facts, message: 'Nothing was submitted for this end-user yet.' })
  }
  return await controlled(input, async () => {
    await leversOf(deps).decideKyc(id, input.decision)
    return { decided: true as const }
  })
}

async function controlled<T>(sent: Record<string, string>, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'rejected' || error.kind === 'not_found'))
      throw providerRejection(error, sent)
    throw providerFailure(error)
  }
}

/** Their routes exist only where the provider is the emulator. */
function leversOf(deps: Deps): SandboxControl {
  if (deps.sandbox === null) throw new Error('the provider is not the emulator')
  return deps.sandbox
}
