// The next action of a business, where the provider has requested information besides its verdict.

import type { KycStatus, NextAction, OpenInformationRequest } from './schema.rules.ts'

type Requested = { kycStatus: KycStatus; informationRequests: readonly OpenInformationRequest[] }

/**
 * Points to support while the provider waits for a response. What the end-user can do comes first, because the provider takes it
 * while a request is open; and a response changes nothing for an end-user who was rejected or offboarded.
 */
export function actionOfBusiness(action: NextAction, { kycStatus, informationRequests }: Requested): NextAction {
  const isRequested = informationRequests.some(({ state }) => state === 'action_required')
  const isOver = kycStatus === 'rejected' || kycStatus === 'offboarded'
  const isOfEndUser = action.kind !== 'none' && action.kind !== 'wait' && action.kind !== 'contact_support'
  if (!isRequested || isOver || isOfEndUser) return action
  return { kind: 'contact_support', reason: 'information_requested' }
}
