// The next action of a business if the provider has requested information in addition to its verdict.

import type { KycStatus, NextAction, OpenInformationRequest } from './schema.rules.ts'

type Requested = { kycStatus: KycStatus; informationRequests: readonly OpenInformationRequest[] }

/**
 * Points to support while the provider waits for a response. Actions of the end-user come first, because the provider
 * accepts them while a request is open. For a rejected or offboarded end-user, a response changes nothing.
 */
export function actionOfBusiness(action: NextAction, { kycStatus, informationRequests }: Requested): NextAction {
  const isRequested = informationRequests.some(({ state }) => state === 'action_required')
  const isOver = kycStatus === 'rejected' || kycStatus === 'offboarded'
  const isOfEndUser = action.kind !== 'none' && action.kind !== 'wait' && action.kind !== 'contact_support'
  if (!isRequested || isOver || isOfEndUser) return action
  return { kind: 'contact_support', reason: 'information_requested' }
}
