// Controls of the sandbox provider, for a business's own objects only. All businesses share its clock.

import { depositIdOf, findDeposit } from '../deposits/service.ts'
import { forgetEndUser } from '../end-users/erasure.ts'
import { endUserOf, listEndUsers } from '../end-users/service.ts'
import { createTosLink } from '../end-users/tos-links.ts'
import type { Config } from '../platform/config.ts'
import { ApiError, fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { upstreamErrors } from '../platform/http/serve.ts'
import type { Json } from '../platform/values/json.ts'
import type { SandboxControl } from '../provider/emulator.ts'
import { providerFailure } from '../provider/operations/operations.ts'
import { providerRejection } from '../provider/operations/rejection.ts'
import { ProviderError, type Testing } from '../provider/port.ts'
import { accountOf, stateConflict } from '../virtual-accounts/service.ts'
import type { Sandbox } from './ports.ts'

/**
 * Simulates a deposit to an account.
 * @throws ApiError `virtual_account_not_found`, `account_state_conflict`, `provider_rejected`, `provider_unavailable`
 */
export async function simulateDeposit(
  deps: Sandbox,
  business: Business,
  input: {
    virtualAccountId: string
    amount: string
    paymentRail?: string
    outcome?: string
    senderName?: string
    reference?: string
  },
) {
  const { virtualAccountId, paymentRail, senderName, ...rest } = input
  const account = await deps.db.read((query) => accountOf(query, business, virtualAccountId))
  const id = account.providerVirtualAccountId
  if (id === null || account.status !== 'active') throw stateConflict(account)
  const deposit = {
    ...rest,
    ...(paymentRail !== undefined && { payment_rail: paymentRail }),
    ...(senderName !== undefined && { sender_name: senderName }),
  }
  const providerDepositId = await controlled(deposit, () => leversOf(deps).deposit(id, deposit))
  return { id: depositIdOf({ virtualAccountId: account.id, providerDepositId }), providerDepositId }
}

/** Advances a waiting deposit. @throws ApiError `deposit_not_found`, `provider_rejected`, `provider_unavailable` */
export async function advanceDeposit(deps: Sandbox, business: Business, id: string, to: string) {
  const deposit = await deps.db.read((query) => findDeposit(query, business.id, id))
  if (!deposit) throw fail('deposit_not_found', { param: 'id' })
  await controlled({ to }, () => leversOf(deps).advanceDeposit(deposit.providerDepositId, to))
  return { advanced: true }
}

/**
 * Decides a KYC case. The provider's own sandbox can only approve.
 * @throws ApiError `not_offered`, `holder_not_found`, `kyc_not_resubmittable` if nothing was submitted,
 * `invalid_value`, `provider_rejected`, `provider_unavailable`
 */
export async function decideKyc(
  deps: Sandbox,
  business: Business,
  input: { externalUserId: string; decision: string; endorsement?: string; reason?: string },
) {
  const { externalUserId, ...ruling } = input
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const id = user.providerCustomerId
  const message = 'No KYC data was submitted for this end-user yet.'
  if (id === null) throw fail('kyc_not_resubmittable', { facts: { externalUserId }, message })
  const { sandbox } = deps
  if (sandbox === null && ruling.decision !== 'approve') {
    const rule = 'decision must be approve: the provider’s own sandbox supports no other decision.'
    throw fail('invalid_value', { details: [{ param: 'decision', code: 'invalid_value', message: rule }] })
  }
  await controlled(input, () =>
    sandbox === null
      ? testingOf(deps).approve(id, { key: deps.randomBytes(16).toString('hex') })
      : sandbox.decideKyc(id, ruling),
  )
  return { decided: true }
}

/**
 * Accepts the terms like the end-user on the provider's page. The acceptance counts once a submission names it.
 * @throws ApiError `holder_not_found`, `tos_link_in_progress`, `provider_rejected`, `provider_unavailable`
 */
export async function acceptTerms(deps: Sandbox, scope: RequestScope, externalUserId: string) {
  // The link is an intermediate step: a retry with the same Idempotency-Key must not return the link.
  const { tosLink } = await createTosLink(deps, { ...scope, held: null }, externalUserId, {})
  const signedAgreementId = await controlled({}, () => leversOf(deps).acceptTerms(tosLink))
  return { externalUserId, signedAgreementId }
}

/** Reads the sandbox clock. @throws ApiError `provider_unavailable`, `provider_timeout` */
export async function readSandboxClock(deps: Sandbox) {
  return await controlled({}, () => leversOf(deps).readClock())
}

/**
 * Advances the sandbox clock.
 * @throws ApiError `provider_rejected` if it would get too far ahead, `provider_unavailable`, `provider_timeout`
 */
export async function moveSandboxClock(deps: Sandbox, seconds: number) {
  return await controlled({}, () => leversOf(deps).moveClock(seconds))
}

const endUsersAtOnce = 100

/**
 * Deletes every end-user of this business, here and at the sandbox provider, in any state. Keys, endpoints and event
 * positions stay.
 * @throws ApiError `not_offered`; `provider_unavailable`, `provider_timeout`: then a repeat continues where this ended
 */
export async function resetSandbox(deps: Sandbox, business: Business) {
  const testing = testingOf(deps)
  let deletedEndUsers = 0
  for (;;) {
    const { items } = await listEndUsers(deps, business, {}, { limit: endUsersAtOnce, after: null })
    for (const { id, providerCustomerId } of items) {
      if (providerCustomerId !== null) await controlled({}, () => deleteCustomer(testing, providerCustomerId))
      if (await forgetEndUser(deps, business, id)) deletedEndUsers += 1
    }
    if (items.length < endUsersAtOnce) break
  }
  await deps.reconnectProvider()
  return { deletedEndUsers }
}

async function deleteCustomer(testing: Testing, customerId: string): Promise<void> {
  try {
    await testing.deleteCustomer(customerId)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error
  }
}

export const leverErrors = ['sandbox_out_of_step', ...upstreamErrors] as const

/** Calls the sandbox provider, and maps its failures to errors of the API. */
export async function controlled<T>(sent: Json, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof ProviderError && error.kind === 'not_found') throw fail('sandbox_out_of_step')
    if (error instanceof ProviderError && error.kind === 'rejected') throw providerRejection(error, sent)
    throw providerFailure(error)
  }
}

/** Condition for serving the operations of the sandbox provider. */
export const isEmulated = ({ providerKind }: Config): boolean => providerKind === 'sandbox'

function testingOf({ provider }: Sandbox): Testing {
  if (provider.testing === null) throw fail('not_offered')
  return provider.testing
}

export function leversOf(deps: Sandbox): SandboxControl {
  if (deps.sandbox === null) throw new Error('the provider is not the emulator')
  return deps.sandbox
}
