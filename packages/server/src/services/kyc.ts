// KYC: submit, follow, and the hosted link. What an end-user is asked for passes through to the provider in memory;
// of it we keep the provider's customer id, the verdicts, and the signed agreement's id.

import type { Business } from '../domain/business.ts'
import { canonicalJson, type JsonObject } from '../domain/json.ts'
import { deriveKyc, type KycStatus, type ProviderCustomer } from '../domain/kyc.ts'
import { checkKycSubmission, missingForApproval } from '../domain/kyc-submission.ts'
import { type ApiError, fail } from '../errors.ts'
import { ProviderError, type ProviderKycLink } from '../provider/port.ts'
import type { Tx } from '../store/db.ts'
import * as store from '../store/end-users.ts'
import { hurryUnrouted } from '../store/events.ts'
import { type OperationRow, settleOperation } from '../store/operations.ts'
import type { Deps } from './deps.ts'
import { type EndUserView, endUserOf, endUserView, nextActionFor, openTosUrl, ownerOf } from './onboarding.ts'
import { appendOwnEvent } from './own-events.ts'
import { beginUpstream, performUpstream, providerRejection, readUpstream, repeatDelayMs } from './upstream.ts'
import { startWaitingAccounts } from './virtual-accounts.ts'

/** States in which another submission makes sense; in the others only the provider or an operator can move on. */
const submittable: Readonly<Record<KycStatus, boolean>> = {
  not_started: true,
  under_review: true,
  action_required: true,
  approved: true,
  rejected: true,
  paused: false,
  offboarded: false,
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
  const agreement = agreementOf(user, submission)
  requireSubmittable(user)
  if (options.dryRun) {
    const requirements = { ...user.requirements, currentlyDue: missingForApproval(submission) }
    return endUserView({ ...user, requirements }, deps.now())
  }
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
  user: store.EndUserRow,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const fingerprint = deps.secrets.fingerprint('kyc', canonicalJson(sent))
  const kind = user.providerCustomerId === null ? 'customer.create' : 'customer.update'
  const intent = { businessId: user.businessId, kind, subjectId: user.id, fingerprint } as const
  const begun = await deps.db.transaction((tx) => beginUpstream(deps, tx, intent))
  if (begun === 'in_progress') throw fail('kyc_submission_in_progress', { retryAfterSeconds: 2 })
  if (begun === 'other_request') return await resolveEarlierSubmission(deps, user, sent, agreement)
  const customerId = user.providerCustomerId
  return await performUpstream(deps, begun.operation, {
    call: (write) =>
      customerId === null ? deps.provider.createCustomer(sent, write) : deps.provider.updateCustomer(customerId, sent),
    settle: (tx, customer) => takeInCustomer(deps, tx, user, customer, agreement),
    rejection: (error) => submissionRejection(error, sent),
  })
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
  const email = sent['email']
  const candidates =
    typeof email === 'string' ? await readUpstream(() => deps.provider.findCustomersByEmail(email)) : []
  const ours = candidates.find((customer) => customer.clientReferenceId === user.id)
  const resolved = await deps.db.transaction(async (tx) => {
    const begun = await beginUpstream(deps, tx, {
      businessId: user.businessId,
      kind: 'customer.create',
      subjectId: user.id,
    })
    if (typeof begun === 'string') throw fail('kyc_submission_in_progress', { retryAfterSeconds: 2 })
    await settleOperation(tx, begun.operation, ours ? { state: 'done' } : { state: 'failed', errorCode: 'superseded' })
    if (ours) await store.saveProviderCustomer(tx, user.businessId, user.id, ours.id)
    return await store.getEndUser(tx, user.businessId, user.id)
  })
  return await sendSubmission(deps, resolved, sent, agreement)
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

/** The agreement of this body, else the one we hold; null where the provider itself says that the terms are accepted. */
function agreementOf(user: store.EndUserRow, submission: JsonObject): string | null {
  const given = submission['signed_agreement_id']
  if (typeof given === 'string') return given
  if (user.signedAgreementId !== null) return user.signedAgreementId
  if (user.tosStatus === 'approved') return null
  throw fail('tos_not_accepted', { param: 'signed_agreement_id', facts: { externalUserId: user.externalUserId } })
}

function requireSubmittable(user: store.EndUserRow): void {
  const errors = user.requirements.errors
  const finallyRejected =
    user.kycStatus === 'rejected' && errors.length > 0 && errors.every((error) => !error.resubmittable)
  if (submittable[user.kycStatus] && !finallyRejected) return
  throw fail('kyc_not_resubmittable', {
    facts: { externalUserId: user.externalUserId },
    details: [
      { param: 'kycStatus', code: 'kyc_not_resubmittable', message: `The end-user's kycStatus is ${user.kycStatus}.` },
    ],
  })
}

function submissionRejection(error: ProviderError, sent: JsonObject): ApiError {
  const names = Object.keys(error.fields)
  const code =
    names.some((name) => name.includes('signed_agreement_id')) || error.code === 'has_not_accepted_tos'
      ? 'signed_agreement_invalid'
      : 'provider_rejected'
  return providerRejection(error, sent, code)
}

/** Replaces our view of the end-user by the provider's answer, and tells about what changed, in one transaction. */
export async function takeInCustomer(
  deps: Deps,
  tx: Tx,
  seen: Pick<store.EndUserRow, 'businessId' | 'id'>,
  customer: ProviderCustomer,
  agreement: string | null = null,
): Promise<EndUserView> {
  const before = await store.lockEndUser(tx, seen.businessId, seen.id)
  if (before.providerCustomerId === null) {
    await store.saveProviderCustomer(tx, before.businessId, before.id, customer.id)
    await hurryUnrouted(tx, [customer.id])
  }
  if (agreement !== null && before.signedAgreementId !== agreement) {
    await store.saveAgreement(tx, before.businessId, before.id, agreement)
  }
  const view = deriveKyc(
    { kycStatus: before.kycStatus, tosStatus: agreement === null ? before.tosStatus : 'approved' },
    customer,
  )
  const after = await store.saveKyc(tx, before.businessId, before.id, view)
  const shown = endUserView(after, deps.now())
  if (before.tosStatus !== 'approved' && after.tosStatus === 'approved') {
    await appendOwnEvent(deps, tx, 'end_user.tos.accepted', ownerOf(after), shown)
  }
  if (kycText(before) !== kycText(after)) {
    await appendOwnEvent(deps, tx, 'end_user.kyc.updated', ownerOf(after), shown)
    if (after.kycStatus === 'approved') await startWaitingAccounts(deps, tx, after)
  }
  return shown
}

/** What `end_user.kyc.updated` is about, as text to compare. */
function kycText(row: store.EndUserRow): string {
  const { kycStatus, providerStatus, rails, requirements, rejectionReasons } = row
  return canonicalJson({
    kycStatus,
    providerStatus,
    rails: { ...rails } as JsonObject,
    requirements: { ...requirements },
    rejectionReasons,
  })
}

/** Reads the customer at the provider and takes the answer in. @throws ApiError `provider_unavailable`, `provider_timeout` */
export async function refreshEndUser(deps: Deps, user: store.EndUserRow): Promise<EndUserView> {
  const customerId = user.providerCustomerId ?? (await customerOfKycLink(deps, user))
  if (customerId === null) return endUserView(user, deps.now())
  const customer = await readUpstream(() => deps.provider.getCustomer(customerId))
  return await deps.db.transaction((tx) => takeInCustomer(deps, tx, user, customer))
}

/** A hosted link's customer exists only once terms and identity are done. */
async function customerOfKycLink(deps: Deps, user: store.EndUserRow): Promise<string | null> {
  const linkId = user.providerKycLink?.id
  if (linkId === undefined) return null
  const link = await readUpstream(() => deps.provider.getKycLink(linkId))
  return link.customerId
}

/**
 * Where an end-user stands and what is open: the place callers are sent to by `kyc_not_approved`.
 * @throws ApiError `holder_not_found`, `provider_unavailable`, `provider_timeout`
 */
export async function getKycLinks(deps: Deps, business: Business, externalUserId: string) {
  const found = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  if (found.kycStatus !== 'approved') await refreshEndUser(deps, found)
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const kycLink = await hostedLink(deps, user)
  return await deps.db.read(async (query) => {
    const current = await endUserOf(query, business, externalUserId)
    const tosLink =
      (await openTosUrl(query, current)) ??
      (current.tosStatus === 'approved' ? null : (current.providerKycLink?.tosUrl ?? null))
    return {
      externalUserId,
      kycStatus: current.kycStatus,
      tosStatus: current.tosStatus,
      kycLink,
      tosLink,
      rejectionReasons: current.rejectionReasons,
      requirements: current.requirements,
      nextAction: nextActionFor(current, deps.now(), tosLink),
    }
  })
}

/** The provider's hosted page: none for those who are done, or whom a page can not help. */
async function hostedLink(deps: Deps, user: store.EndUserRow): Promise<string | null> {
  if (user.kycStatus === 'approved' || !submittable[user.kycStatus]) return null
  const customerId = user.providerCustomerId
  if (customerId !== null) return (await readUpstream(() => deps.provider.getCustomerKycLink(customerId))).url
  if (user.providerKycLink) return user.providerKycLink.url
  return user.email === null ? null : await requestKycLink(deps, user, user.email)
}

async function requestKycLink(deps: Deps, user: store.EndUserRow, email: string): Promise<string | null> {
  const intent = { businessId: user.businessId, kind: 'kyc_link.create', subjectId: user.id } as const
  const begun = await deps.db.transaction((tx) => beginUpstream(deps, tx, intent))
  if (typeof begun === 'string') return null // another request is making it; the next read shows it
  const save = async (tx: Tx, link: ProviderKycLink) => {
    await store.saveKycLink(tx, user.businessId, user.id, { id: link.id, url: link.kycLink, tosUrl: link.tosLink })
    return link.kycLink
  }
  return await performUpstream(deps, begun.operation, {
    call: (write) =>
      createOrAdoptKycLink(
        deps,
        user,
        { email, type: user.type, endorsements: [...deps.config.kycEndorsements] },
        write,
      ),
    settle: save,
    rejection: (error) => linkRejection(error, email),
  })
}

function linkRejection(error: ProviderError, email: string): ApiError {
  if (error.code !== 'duplicate_record') return providerRejection(error, { email })
  const message = 'The provider knows this e-mail address already, for somebody else.'
  return fail('provider_rejected', { cause: error, details: [{ param: 'email', code: 'duplicate_record', message }] })
}

/**
 * The provider answers a second request for one e-mail address with the link it has: that is a success, unless the link
 * is of another end-user of ours, whose papers and verdict it would hand over.
 */
async function createOrAdoptKycLink(
  deps: Deps,
  user: store.EndUserRow,
  input: { email: string; type: 'individual' | 'business'; endorsements: string[] },
  write: { idempotencyKey: string },
): Promise<ProviderKycLink> {
  try {
    return await deps.provider.createKycLink(input, write)
  } catch (error) {
    const existing = error instanceof ProviderError ? error.existingKycLink : null
    if (existing === null) throw error
    const ids = [existing.id, existing.customerId].filter((id) => id !== null)
    if (await deps.db.read((query) => store.isHeldByAnother(query, user.id, ids))) throw error
    return existing
  }
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
  const { providerCustomerId, email } = user
  if (providerCustomerId !== null) return await readUpstream(() => deps.provider.getCustomer(providerCustomerId))
  if (email === null) return undefined
  const found = await readUpstream(() => deps.provider.findCustomersByEmail(email))
  return found.find((customer) => customer.clientReferenceId === user.id)
}
