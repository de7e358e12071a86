// KYC submission: what an end-user is asked for passes through to the provider in memory. We keep the provider's customer id,
// the verdicts (apply-verdict.ts), and the id of the signed agreement.

import type { Deps } from '../../app/context.ts'
import { fail } from '../../platform/errors.ts'
import type { Business } from '../../platform/http/caller.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { EndUserView } from '../schema.rules.ts'
import { endUserOf, endUserView, nextActionFor } from '../service.ts'
import type { EndUserRow } from '../store.ts'
import { companyChangeOf } from './form/company.rules.ts'
import { checkKycSubmission, missingForApproval } from './form/submission.rules.ts'
import { sendSubmission } from './sending.ts'
import { maySubmit } from './status.rules.ts'

/**
 * Sends an end-user's KYC data to the provider. `dryRun` checks the data and tells what is missing, and sends nothing.
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
  if (agreement === undefined)
    throw fail('tos_not_accepted', { param: 'signed_agreement_id', facts: { externalUserId } })
  const terms = agreement === null ? {} : { signed_agreement_id: agreement }
  const sent = { ...submission, ...terms, client_reference_id: user.id }
  if (user.type === 'business' && user.providerCustomerId !== null) {
    const change = companyChangeOf(sent)
    if (!change.ok) throw fail('invalid_kyc_data', { details: change.problems })
  }
  return await sendSubmission(deps, user, sent, agreement)
}

function checkedSubmission(deps: Deps, user: EndUserRow, body: unknown): JsonObject {
  const checked = checkKycSubmission(body, { nowMs: deps.now(), defaultType: user.type })
  if (!checked.ok) throw fail('invalid_kyc_data', { details: checked.problems })
  if (checked.type === user.type) return checked.body
  const message = `type must be ${user.type}, the type this end-user was created with.`
  throw fail('invalid_kyc_data', { details: [{ param: 'type', code: 'invalid_value', message }] })
}

/**
 * Finds the agreement to send: that of the body, else the one we hold.
 * @returns null where the provider says that the terms are accepted; undefined without an agreement
 */
function agreementOf(user: EndUserRow, submission: JsonObject): string | null | undefined {
  const given = submission['signed_agreement_id']
  if (typeof given === 'string') return given
  return user.signedAgreementId ?? (user.tosStatus === 'approved' ? null : undefined)
}

function requireSubmittable(deps: Deps, user: EndUserRow): void {
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
