// KYC submission: what an end-user is asked for passes through to the provider in memory. Of it we keep the provider's
// customer id, the verdicts (kyc-verdict.ts), and the signed agreement's id.

import type { Business } from '../domain/business.ts'
import { canonicalJson, type JsonObject } from '../domain/json.ts'
import { isResubmittable, type ProviderCustomer } from '../domain/kyc.ts'
import { checkKycSubmission, missingForApproval } from '../domain/kyc-submission.ts'
import { type ApiError, fail } from '../errors.ts'
import { ProviderError, type Write } from '../provider/port.ts'
import * as store from '../store/end-users.ts'
import { type OperationRow, settleOperation } from '../store/operations.ts'
import type { Tx } from '../store/query.ts'
import type { Deps } from './deps.ts'
import { explainTakenEmail, findByEmail } from './kyc-customers.ts'
import { takeInCustomer } from './kyc-verdict.ts'
import { type EndUserView, endUserOf, endUserView, nextActionFor } from './onboarding.ts'
import {
  type Begun,
  beginUpstream,
  performUpstream,
  providerRejection,
  readUpstream,
  repeatDelayMs,
} from './upstream.ts'

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
  const sent: JsonObject = {
    endorsements: [...deps.config.kycEndorsements],
    ...submission,
    client_reference_id: user.id,
    ...(agreement === null ? {} : { signed_agreement_id: agreement }),
  }
  return await sendSubmission(deps, user, sent, agreement)
}

async function sendSubmission(
  deps: Deps,
  seen: store.EndUserRow,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const { user, begun } = await deps.db.transaction((tx) => beginSubmission(deps, tx, seen, sent))
  if (begun === 'in_progress') throw submissionInProgress()
  if (begun === 'other_request') return await resolveEarlierSubmission(deps, user, sent, agreement)
  const customerId = user.providerCustomerId
  return await performUpstream(deps, begun.operation, {
    call: (write) =>
      customerId === null
        ? createOrAdoptCustomer(deps, user, sent, write)
        : deps.provider.updateCustomer(customerId, sent),
    settle: (tx, customer) => takeInCustomer(deps, tx, user, customer, agreement),
    rejection: (error) => submissionRejection(error, sent, user.externalUserId),
  })
}

async function beginSubmission(
  deps: Deps,
  tx: Tx,
  seen: store.EndUserRow,
  sent: JsonObject,
): Promise<{ user: store.EndUserRow; begun: Begun }> {
  const creates = seen.providerCustomerId === null
  const begun = await beginUpstream(deps, tx, {
    businessId: seen.businessId,
    kind: creates ? 'customer.create' : 'customer.update',
    subjectId: seen.id,
    // A change has no key at the provider: after an unknown outcome anything may be sent, the same or something else.
    ...(creates ? { fingerprints: deps.secrets.fingerprints('kyc', canonicalJson(sent)) } : {}),
  })
  // Read once the operation is ours: whoever held it before has committed by then which customer it made.
  return { user: await store.getEndUser(tx, seen.businessId, seen.id), begun }
}

function submissionInProgress(): ApiError {
  return fail('kyc_submission_in_progress', { retryAfterSeconds: 2 })
}

/**
 * The provider may refuse a customer because it has it already: from a submission that arrived after we had given it up.
 * Then that customer gets this submission's data.
 */
async function createOrAdoptCustomer(
  deps: Deps,
  user: store.EndUserRow,
  sent: JsonObject,
  write: Write,
): Promise<ProviderCustomer> {
  try {
    return await deps.provider.createCustomer(sent, write)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const ours = await findByEmail(deps, user, [sent['email']])
    if (ours) return await deps.provider.updateCustomer(ours.id, sent)
    throw await explainTakenEmail(deps, error, sent['email'])
  }
}

/**
 * An earlier submission's outcome is unknown and this one sends something else, so its key can not be repeated. Reading
 * tells: the provider keeps our end-user's id on its customer. Then this submission goes out by itself.
 */
async function resolveEarlierSubmission(
  deps: Deps,
  user: store.EndUserRow,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const ours = await readUpstream(() => findByEmail(deps, user, [user.email, sent['email']]))
  const resolved = await deps.db.transaction(async (tx) => {
    const intent = { businessId: user.businessId, kind: 'customer.create', subjectId: user.id } as const
    const begun = await beginUpstream(deps, tx, intent)
    if (typeof begun === 'string') throw submissionInProgress()
    if (!ours && begun.resumed && mayStillArrive(deps, begun.operation)) throw submissionInProgress()
    await settleOperation(tx, begun.operation, ours ? { state: 'done' } : { state: 'failed', errorCode: 'superseded' })
    if (ours) await takeInCustomer(deps, tx, user, ours)
    return await store.getEndUser(tx, user.businessId, user.id)
  })
  return await sendSubmission(deps, resolved, sent, agreement)
}

/** A request that we gave up may be worked off for as long again; that nothing is found proves nothing until then. */
function mayStillArrive(deps: Deps, operation: OperationRow): boolean {
  return deps.now() - operation.createdAt.getTime() < 2 * deps.config.providerTimeoutMs
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

function submissionRejection(error: ProviderError, sent: JsonObject, externalUserId: string): ApiError {
  const names = Object.keys(error.fields)
  const code =
    names.some((name) => name.includes('signed_agreement_id')) || error.code === 'has_not_accepted_tos'
      ? 'signed_agreement_invalid'
      : 'provider_rejected'
  return providerRejection(error, sent, code, { externalUserId })
}

/**
 * A submission whose outcome is unknown. Its data is not stored, so it can not be repeated by us; but what became of it
 * can be read: from the customer we know, or from the one that carries our end-user's id. A caller's repeat settles it too.
 */
export async function resumeSubmission(deps: Deps, operation: OperationRow): Promise<void> {
  const user = await deps.db.read((query) => store.getEndUser(query, operation.businessId, operation.subjectId))
  const customer = await findSubmitted(deps, user)
  await deps.db.transaction(async (tx) => {
    const givenUp = deps.now() - operation.createdAt.getTime() > providerKeyLifeMs
    if (customer) await takeInCustomer(deps, tx, user, customer)
    if (customer) await settleOperation(tx, operation, { state: 'done' })
    else if (givenUp) await settleOperation(tx, operation, { state: 'failed', errorCode: 'never_seen' })
    else
      await settleOperation(tx, operation, {
        state: 'unknown',
        errorCode: 'not_seen_yet',
        retryInMs: repeatDelayMs(operation.attempts),
      })
  })
}

// Past it a repeat under the same key would be a new request to the provider.
const providerKeyLifeMs = 24 * 3_600_000

async function findSubmitted(deps: Deps, user: store.EndUserRow): Promise<ProviderCustomer | undefined> {
  const id = user.providerCustomerId
  return await readUpstream(() => (id === null ? findByEmail(deps, user, [user.email]) : deps.provider.getCustomer(id)))
}
