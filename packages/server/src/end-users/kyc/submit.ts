// KYC submission: what an end-user is asked for passes through to the provider in memory. Of it we keep the provider's
// customer id, the verdicts (kyc-verdict.ts), and the signed agreement's id.

import type { Deps } from '../../app/context.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import type { Business } from '../../platform/http/caller.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { EndUserView } from '../schema.rules.ts'
import { endUserOf, endUserView, nextActionFor } from '../service.ts'
import type * as store from '../store.ts'
import { companyChangeOf } from './form/company.rules.ts'
import { checkKycSubmission, missingForApproval } from './form/submission.rules.ts'
import { sendSubmission } from './sending.ts'
import { isResubmittable } from './status.rules.ts'

/** Whether another submission makes sense; where it does not, only the provider or an operator can move on. */
export function maySubmit(user: store.EndUserRow): boolean {
  switch (user.kycStatus) {
    case 'paused':
    case 'offboarded':
      return false
    case 'rejected':
      return isResubmittable(user)
    default:
      return true
  }
}

/**
 * Sends an end-user's KYC data to the provider. `dryRun` checks it and tells what is missing, and sends nothing.
 * @returns the end-user with the state that the provider's answer puts it in
 * @throws ApiError `holder_not_found`, `invalid_kyc_data`, `tos_not_accepted`, `signed_agreement_invalid`,
 *   `kyc_not_resubmittable`, `kyc_submission_in_progress`, `provider_rejected`, `provider_unavailable`, `provider_timeout`
 */
export async function submitKyc(
  deps: Deps,
  business: Business,
  externalUserId: string,
  body: unknown,
  options: { dryRun: boolean },
): Promise<EndUserView> {
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const submission = checkedSubmission(deps, user, body)
  requireSubmittable(deps, user)
  const agreement = agreementOf(user, submission)
  if (options.dryRun) {
    const terms = agreement === undefined ? ['terms_of_service_v1'] : []
    const requirements = { ...user.requirements, currentlyDue: [...terms, ...missingForApproval(submission)] }
    return endUserView({ ...user, requirements }, deps.now())
  }
  if (agreement === undefined) throw tosNotAccepted(user)
  const terms = agreement === null ? {} : { signed_agreement_id: agreement }
  const sent = { ...submission, ...terms, client_reference_id: user.id }
  requireChangeable(user, sent)
  return await sendSubmission(deps, user, sent, agreement)
}

function requireChangeable(user: store.EndUserRow, sent: JsonObject): void {
  if (user.type !== 'business' || user.providerCustomerId === null) return
  const change = companyChangeOf(sent)
  if (!change.ok) throw fail('invalid_kyc_data', { details: change.problems })
}

function checkedSubmission(deps: Deps, user: store.EndUserRow, body: unknown): JsonObject {
  const checked = checkKycSubmission(body, { nowMs: deps.now(), defaultType: user.type })
  if (!checked.ok) throw fail('invalid_kyc_data', { details: checked.problems })
  if (checked.type !== user.type) {
    const message = `type must be ${user.type}, the type this end-user was created with.`
    throw fail('invalid_kyc_data', { details: [{ param: 'type', code: 'invalid_value', message }] })
  }
  return checked.body
}

/** The agreement of this body, else the one we hold; null where the provider says that the terms are accepted; or none. */
function agreementOf(user: store.EndUserRow, submission: JsonObject): string | null | undefined {
  const given = submission['signed_agreement_id']
  if (typeof given === 'string') return given
  if (user.signedAgreementId !== null) return user.signedAgreementId
  return user.tosStatus === 'approved' ? null : undefined
}

function tosNotAccepted(user: store.EndUserRow): ApiError {
  return fail('tos_not_accepted', { param: 'signed_agreement_id', facts: { externalUserId: user.externalUserId } })
}

function requireSubmittable(deps: Deps, user: store.EndUserRow): void {
  if (maySubmit(user)) return
  const action = nextActionFor(user, deps.now(), null)
  throw fail('kyc_not_resubmittable', {
    facts: { externalUserId: user.externalUserId },
    details: [
      { param: 'kycStatus', code: user.kycStatus, message: `The end-user's kycStatus is ${user.kycStatus}.` },
      { param: 'nextAction', code: action.kind, message: `The next action is ${action.kind}.` },
    ],
  })
}
