// KYC submission: the data passes through to the provider in memory, as a new customer under a key that is stored
// first, or as a change of the existing customer. Causeway stores the provider's customer ID, the verdicts
// (apply-verdict.ts), and the ID of the signed agreement. So the outcome of a lost response is read at the provider.

import { type ApiError, fail } from '../../platform/errors.ts'
import type { HeldKey, RequestScope } from '../../platform/http/scope.ts'
import { transactionUnlessBusy } from '../../platform/postgres/lock-order.ts'
import { canonicalJson, type JsonObject } from '../../platform/values/json.ts'
import {
  beginOperation,
  type Intent,
  type Operation,
  performOperation,
  readForSettling,
  readProvider,
  settleByReading,
  supersedeOperation,
} from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { ProviderError, type Submission } from '../../provider/port.ts'
import type { EndUserView } from '../schema.rules.ts'
import { endUserOf, endUserView, lockedEndUser, nextActionFor } from '../service.ts'
import { type EndUserRow, getEndUser } from '../store.ts'
import { type Agreement, agreementOf, bindTo, freeFrom } from './agreements.ts'
import { applyCustomer, presenceOfCreation, refreshEndUser } from './apply-verdict.ts'
import { sendPeople, submissionInProgress } from './company-people.ts'
import { emailMarks, explainTakenEmail, findByEmail, findMade } from './customers.ts'
import { eeaPresenceOf, presenceIn } from './form/eea.rules.ts'
import {
  checkKycSubmission,
  defaultEndorsementsOf,
  missingForApproval,
  peopleOf,
  residenceOf,
} from './form/submission.rules.ts'
import type { Kyc } from './ports.ts'
import { maySubmit } from './status.rules.ts'

/**
 * Sends an end-user's KYC data to the provider. `dryRun` checks the data, reports missing data, and sends nothing.
 * @returns the end-user with the state from the provider's response
 * @throws ApiError `holder_not_found`, `invalid_kyc_data`, `tos_not_accepted`, `signed_agreement_invalid`,
 * `terms_reliance_not_enabled`, `kyc_not_resubmittable`, `kyc_submission_in_progress`, `provider_rejected`,
 * `provider_unavailable`, `provider_timeout`
 */
export async function submitKyc(
  deps: Kyc,
  { business, held }: Pick<RequestScope, 'business' | 'held'>,
  externalUserId: string,
  body: unknown,
  options: { dryRun: boolean },
): Promise<EndUserView> {
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const submission = checkedSubmission(deps, user, body)
  requireSubmittable(deps, user)
  const agreement = agreementOf(deps, user, submission)
  if (options.dryRun) {
    const terms = agreement === undefined ? ['terms_of_service_v1'] : []
    const requirements = { ...user.requirements, currentlyDue: [...terms, ...missingForApproval(submission)] }
    return endUserView(deps, { ...user, requirements })
  }
  if (agreement === undefined)
    throw fail('tos_not_accepted', { param: 'signed_agreement_id', facts: { externalUserId } })
  const { signed_agreement_id: _, client_reference_id: __, ...sent } = submission
  const id = agreement.by === 'held' ? null : agreement.id
  return await sendSubmission(deps, held, user, { body: sent, agreement: id, reference: user.id }, agreement)
}

function checkedSubmission(deps: Kyc, user: EndUserRow, body: unknown): JsonObject {
  const checked = checkKycSubmission(body, { nowMs: deps.now(), defaultType: user.type })
  if (!checked.ok) throw fail('invalid_kyc_data', { details: checked.problems })
  if (checked.type === user.type) {
    const problems = deps.provider.form?.problems(checked.type, checked.body) ?? []
    if (problems.length > 0) throw fail('invalid_kyc_data', { details: problems })
    return checked.body
  }
  const message = `type must be ${user.type}, the type of this end-user.`
  throw fail('invalid_kyc_data', { details: [{ param: 'type', code: 'invalid_value', message }] })
}

function requireSubmittable(deps: Kyc, user: EndUserRow): void {
  if (maySubmit(user)) return
  const action = nextActionFor(deps, user, null)
  throw fail('kyc_not_resubmittable', {
    facts: { externalUserId: user.externalUserId },
    details: [
      { param: 'kycStatus', code: user.kycStatus, message: `The end-user's kycStatus is ${user.kycStatus}.` },
      { param: 'nextAction', code: action.kind, message: `The next action is ${action.kind}.` },
    ],
  })
}

/**
 * Sends a submission: the customer first, then the people of an existing company.
 * @param sent without defaults
 */
async function sendSubmission(
  deps: Kyc,
  held: HeldKey | null,
  seen: EndUserRow,
  sent: Submission,
  agreement: Agreement,
): Promise<EndUserView> {
  const { user, begun, isNewlyBound } = await beginSubmission(deps, seen, sent, agreement)
  if (begun === 'in_progress') throw submissionInProgress()
  if (begun === 'other_request') {
    await resolveEarlierSubmission(deps, user, sent)
    return await sendSubmission(deps, held, user, sent, agreement)
  }
  const isChange = user.providerCustomerId !== null
  const people = user.type === 'business' ? peopleOf(sent.body) : []
  // The customer that this submission changes, with people that are changed one by one.
  let changedId = user.providerCustomerId
  const presence = eeaPresenceOf(sent.body)
  const current = { type: user.type, agreement: user.signedAgreementId }
  // The idempotent response of a change comes after its people.
  const view = await performOperation(deps, isChange && people.length > 0 ? null : held, begun.operation, {
    call: async (write) => {
      const change = (id: string) => deps.provider.customers.change(id, sent, current, write)
      if (changedId !== null) return await change(changedId)
      try {
        const standing = await deps.provider.customers.create(creationOf(deps, sent), write)
        return { standing, isAgreed: true }
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
        // The provider may already have the customer, from a submission that arrived after we had given it up.
        const ours = await findByEmail(deps, user, [sent.body['email']], begun.resumed ? null : begun.operation)
        if (!ours) throw await explainTakenEmail(deps, user.businessId, error, sent.body['email'])
        changedId = ours.id
        return await change(ours.id)
      }
    },
    // A change has no key, and may differ by now: a caller's retry sends it.
    ...(!isChange && {
      read: async (made: string | null) => {
        const standing = await findMade(deps, user, [sent.body['email']], made)
        return standing && { standing, isAgreed: true }
      },
      repeatsUnseen: true,
    }),
    lock: (tx) => lockedEndUser(tx, user),
    settle: async (tx, { standing, isAgreed }, locked) => {
      // Whether the statement of a business counts, the customer shows.
      const taken = isAgreed && agreement.by === 'page' ? agreement.id : null
      const view = await applyCustomer(deps, tx, locked, standing, { agreement: taken, presence })
      if (!isAgreed) await freeFrom(tx, user, agreement, isNewlyBound)
      return view
    },
    undo: (tx) => freeFrom(tx, user, agreement, isNewlyBound),
    rejection: (error) => submissionRejection(error, sent, user.externalUserId),
  })
  await deps.followVerdict(user)
  if (changedId === null || people.length === 0) return view
  await sendPeople(deps, { user, customerId: changedId }, people)
  return await refreshEndUser(deps, await deps.db.read((query) => getEndUser(query, user)))
}

async function beginSubmission(deps: Kyc, seen: EndUserRow, sent: Submission, agreement: Agreement) {
  return await transactionUnlessBusy(deps, submissionInProgress, async (tx) => {
    // The previous holder of the operation has committed by then which customer it created.
    const user = await lockedEndUser(tx, seen)
    const begun = await beginOperation(deps, tx, intentOf(deps, user, sent))
    // Only a sent submission binds its agreement.
    const isNewlyBound = typeof begun !== 'string' && (await bindTo(tx, user, agreement))
    return { user, begun, isNewlyBound }
  })
}

function intentOf(deps: Kyc, user: EndUserRow, sent: Submission): Intent {
  const subject = { businessId: user.businessId, subjectId: user.id }
  const presence = eeaPresenceOf(sent.body)
  // A change has no key at the provider: after an unknown outcome the same or another change may be sent.
  if (user.providerCustomerId !== null) return { ...subject, kind: 'customer.update', request: { presence } }
  const [emailMark = null] = emailMarks(deps, sent.body['email'])
  const fingerprints = deps.secrets.fingerprints('kyc', canonicalJson(creationOf(deps, sent)))
  return { ...subject, kind: 'customer.create', fingerprints, request: { emailMark, presence } }
}

/**
 * Settles an earlier submission with an unknown outcome, whose key this one cannot reuse because it sends other data.
 * The provider keeps our end-user's ID on its customer.
 */
async function resolveEarlierSubmission(deps: Kyc, user: EndUserRow, sent: Submission): Promise<void> {
  const ours = await readProvider(() => findByEmail(deps, user, [user.email, sent.body['email']]))
  await deps.db.transaction(async (tx) => {
    const held = await lockedEndUser(tx, user)
    const intent = { businessId: user.businessId, kind: 'customer.create', subjectId: user.id } as const
    const presence = await presenceOfCreation(tx, held)
    if (!(await supersedeOperation(deps, tx, intent, () => ours !== undefined))) throw submissionInProgress()
    if (ours) await applyCustomer(deps, tx, held, ours, { presence })
  })
  await deps.followVerdict(user)
}

/** Requests the default endorsements: in a creation, never in a change. */
function creationOf(deps: Kyc, sent: Submission): Submission {
  const endorsements = defaultEndorsementsOf(deps.config.kycEndorsements, residenceOf(sent.body))
  return { ...sent, body: { endorsements, ...sent.body } }
}

function submissionRejection(error: ProviderError, sent: Submission, externalUserId: string): ApiError {
  const isOfTerms = error.refusal === 'terms_not_accepted' || error.refusal === 'agreement_invalid'
  const code = isOfTerms ? 'signed_agreement_invalid' : 'provider_rejected'
  return providerRejection(error, sent, code, { externalUserId })
}

/**
 * Settles a submission with an unknown outcome by reading the known customer, or the one with our end-user's ID. A
 * caller's retry also settles the submission.
 */
export async function resumeSubmission(deps: Kyc, operation: Operation): Promise<void> {
  const key = { businessId: operation.businessId, id: operation.subjectId }
  const user = await deps.db.read((query) => getEndUser(query, key))
  const id = user.providerCustomerId
  const customer = await readForSettling(deps, operation, () =>
    id === null ? findMade(deps, user, [user.email], operation.providerObjectId) : deps.provider.customers.read(id),
  )
  await deps.db.transaction(async (tx) => {
    const held = await lockedEndUser(tx, user)
    const isCreation = operation.kind === 'customer.create'
    const presence = isCreation ? await presenceOfCreation(tx, held) : presenceIn(operation.request)
    await settleByReading(deps, tx, operation, customer !== undefined)
    if (customer) await applyCustomer(deps, tx, held, customer, { presence })
  })
  await deps.followVerdict(user)
}
