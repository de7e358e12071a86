// Requests for information at the emulated provider, opened and moved for a business's own tests.

import { findDeposit } from '../deposits/service.ts'
import type { InformationRequestState } from '../end-users/schema.rules.ts'
import { endUserOf } from '../end-users/service.ts'
import { findRequest, informationRequestIdOf } from '../information-requests/service.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Sandbox } from './ports.ts'
import { controlled, leversOf } from './service.ts'

type Order = { externalUserId: string; depositId?: string; deadlineInHours?: number; actionTaken?: string }

const hourMs = 3_600_000

/**
 * Opens a request about an end-user, or about one of its deposits.
 * @throws ApiError `holder_not_found`, `deposit_not_found`, `kyc_not_resubmittable` when nothing was submitted,
 *   `provider_rejected`, `provider_unavailable`
 */
export async function simulateInformationRequest(deps: Sandbox, business: Business, order: Order) {
  const { externalUserId, depositId, deadlineInHours, actionTaken } = order
  const { user, deposit } = await deps.db.read(async (query) => ({
    user: await endUserOf(query, business, externalUserId),
    deposit: depositId === undefined ? undefined : await findDeposit(query, business.id, depositId),
  }))
  const customerId = user.providerCustomerId
  const message = 'No KYC data was submitted for this end-user yet.'
  if (customerId === null) throw fail('kyc_not_resubmittable', { facts: { externalUserId }, message })
  if (depositId !== undefined && deposit?.endUserId !== user.id) throw fail('deposit_not_found', { param: 'depositId' })
  const body = {
    customer_id: customerId,
    ...(deposit && { deposit_id: deposit.providerDepositId }),
    ...(deadlineInHours !== undefined && { deadline_ms: deadlineInHours * hourMs }),
    ...(actionTaken !== undefined && { action_taken: actionTaken }),
  }
  const providerId = await controlled(order, () => leversOf(deps).openInformationRequest(body))
  return { id: informationRequestIdOf(providerId) }
}

/**
 * Moves a request to a state, whatever its state is.
 * @throws ApiError `information_request_not_found`, `provider_rejected`, `provider_unavailable`
 */
export async function advanceInformationRequest(
  deps: Sandbox,
  business: Business,
  id: string,
  to: InformationRequestState,
) {
  const request = await deps.db.read((query) => findRequest(query, business.id, id))
  if (!request) throw fail('information_request_not_found', { param: 'id' })
  await controlled({ to }, () => leversOf(deps).moveInformationRequest(request.providerId, to))
  return { advanced: true }
}
