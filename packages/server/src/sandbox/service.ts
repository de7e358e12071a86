// The levers of the emulated provider, on a business's own objects only; its clock is everybody's.

import type { Deps } from '../app/context.ts'
import { findDeposit } from '../deposits/store.ts'
import { forgetEndUser } from '../end-users/erasure.ts'
import { endUserOf, listEndUsers } from '../end-users/service.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { connectProvider } from '../provider/connection/connection.ts'
import { listProviderWebhooks } from '../provider/connection/webhooks.store.ts'
import { providerFailure } from '../provider/operations/operations.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import { ProviderError, type SandboxClock, type SandboxControl } from '../provider/port.ts'
import { accountOf } from '../virtual-accounts/service.ts'
import { stateConflict } from '../virtual-accounts/terms.ts'

export type SimulatedDeposit = {
  virtualAccountId: string
  amount: string
  paymentRail?: string
  outcome?: string
  senderName?: string
  reference?: string
}

/** @throws ApiError `virtual_account_not_found`, `account_state_conflict`, `provider_rejected`, `provider_unavailable` */
export async function simulateDeposit(
  deps: Deps,
  business: Business,
  input: SimulatedDeposit,
): Promise<{ providerDepositId: string }> {
  const account = await deps.db.read((query) => accountOf(query, business, input.virtualAccountId))
  const id = account.providerVirtualAccountId
  if (id === null || account.status !== 'active') throw stateConflict(account)
  return await controlled(input, async () => ({
    providerDepositId: await leversOf(deps).deposit(id, {
      amount: input.amount,
      ...(input.paymentRail === undefined ? {} : { payment_rail: input.paymentRail }),
      ...(input.outcome === undefined ? {} : { outcome: input.outcome }),
      ...(input.senderName === undefined ? {} : { sender_name: input.senderName }),
      ...(input.reference === undefined ? {} : { reference: input.reference }),
    }),
  }))
}

/** Moves a deposit that waits. @throws ApiError `deposit_not_found`, `provider_rejected`, `provider_unavailable` */
export async function advanceDeposit(
  deps: Deps,
  business: Business,
  id: string,
  to: string,
): Promise<{ advanced: true }> {
  const deposit = await deps.db.read((query) => findDeposit(query, business.id, id))
  if (!deposit) throw fail('deposit_not_found', { param: 'id' })
  return await controlled({ to }, async () => {
    await leversOf(deps).advanceDeposit(deposit.providerDepositId, to)
    return { advanced: true as const }
  })
}

export type KycRuling = { externalUserId: string; decision: string; endorsement?: string; reason?: string }

/** @throws ApiError `holder_not_found`, `kyc_not_resubmittable` when nothing was submitted, `provider_rejected`, `provider_unavailable` */
export async function decideKyc(deps: Deps, business: Business, input: KycRuling): Promise<{ decided: true }> {
  const { externalUserId, ...ruling } = input
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const id = user.providerCustomerId
  if (id === null)
    throw fail('kyc_not_resubmittable', {
      facts: { externalUserId },
      message: 'Nothing was submitted for this end-user yet.',
    })
  return await controlled({ ...input }, async () => {
    if (deps.sandbox === null) await simulateApproval(deps, id, ruling.decision)
    else await deps.sandbox.decideKyc(id, ruling)
    return { decided: true as const }
  })
}

/** The provider's own sandbox can approve, and nothing else. */
async function simulateApproval(deps: Deps, customerId: string, decision: string): Promise<void> {
  if (decision !== 'approve') {
    const message = 'decision must be approve: the provider’s own sandbox decides nothing else.'
    throw fail('invalid_value', { details: [{ param: 'decision', code: 'invalid_value', message }] })
  }
  await deps.provider.simulateKycApproval(customerId, { idempotencyKey: deps.randomBytes(16).toString('hex') })
}

/** @throws ApiError `provider_unavailable`, `provider_timeout` */
export async function readSandboxClock(deps: Deps): Promise<SandboxClock> {
  return await controlled({}, () => leversOf(deps).readClock())
}

/** @throws ApiError `provider_rejected` when it would get too far ahead, `provider_unavailable`, `provider_timeout` */
export async function moveSandboxClock(deps: Deps, seconds: number): Promise<SandboxClock> {
  return await controlled({}, () => leversOf(deps).moveClock(seconds))
}

/**
 * Registers our webhook endpoint again where an emulator that was reset by itself has lost it.
 * @param deps those of the deployment: the connection to the provider is no business's own
 */
export async function reconnectSandbox(deps: Deps): Promise<void> {
  const [webhook] = await deps.db.read(listProviderWebhooks)
  if (webhook) await connectProvider(deps, webhook.url)
}

const endUsersAtOnce = 100

/**
 * Forgets every end-user of this business, here and at the emulator, whatever state they are in. Keys, endpoints and the
 * places of events stay; other businesses notice nothing.
 * @throws ApiError `provider_unavailable`, `provider_timeout`: then a repeat goes on where this ended
 */
export async function resetSandbox(deps: Deps, business: Business): Promise<{ erasedEndUsers: number }> {
  let erasedEndUsers = 0
  for (;;) {
    const page = { limit: endUsersAtOnce, after: null }
    const { items } = await listEndUsers(deps, business, {}, page)
    for (const user of items) {
      await controlled({}, () => deleteCustomer(deps, user.providerCustomerId))
      if (await forgetEndUser(deps, business, user.id)) erasedEndUsers += 1
    }
    if (items.length < endUsersAtOnce) return { erasedEndUsers }
  }
}

async function deleteCustomer(deps: Deps, customerId: string | null): Promise<void> {
  try {
    if (customerId !== null) await deps.provider.deleteCustomer(customerId)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error
  }
}

async function controlled<T>(sent: Record<string, string>, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof ProviderError && error.kind === 'not_found') throw fail('sandbox_out_of_step')
    if (error instanceof ProviderError && error.kind === 'rejected') throw providerRejection(error, sent)
    throw providerFailure(error)
  }
}

/** Their routes exist only where the provider is the emulator. */
function leversOf(deps: Deps): SandboxControl {
  if (deps.sandbox === null) throw new Error('the provider is not the emulator')
  return deps.sandbox
}
