// How a submission reaches the provider: under a key that is stored first, as a new customer or as a change of the one that
// the provider has, and what becomes of one whose answer was lost. Its data is held in memory alone.

import type { Deps } from '../../app/context.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { transactionUnlessBusy } from '../../platform/postgres/lock-order.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { canonicalJson, type JsonObject } from '../../platform/values/json.ts'
import type { Operation } from '../../provider/operations/operation.rules.ts'
import {
  type BeginResult,
  beginOperation,
  performOperation,
  readProvider,
  settleByReading,
  supersedeOperation,
} from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { ProviderError, type Write } from '../../provider/port.ts'
import type { ProviderCustomer } from '../../provider/types.ts'
import type { EndUserView } from '../schema.rules.ts'
import { lockedEndUser } from '../service.ts'
import * as store from '../store.ts'
import { applyCustomer, lockApplicant, refreshEndUser } from './apply-verdict.ts'
import { sendPeople } from './company-people.ts'
import { emailMarks, explainTakenEmail, findByEmail } from './customers.ts'
import { companyChangeOf, isWholeCompany, peopleOf, wholeCompany } from './form/company.rules.ts'
import { defaultEndorsementsOf, residenceOf } from './form/submission.rules.ts'

/**
 * Sends a submission: the customer first, then the people of a company that the provider has already.
 * @param sent with our id of the end-user and the agreement, without defaults
 * @param agreement null where the provider says that the terms are accepted
 */
export async function sendSubmission(
  deps: Deps,
  seen: store.EndUserRow,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const { user, begun } = await transactionUnlessBusy(deps, submissionInProgress, (tx) =>
    beginSubmission(deps, tx, seen, sent),
  )
  if (begun === 'in_progress') throw submissionInProgress()
  if (begun === 'other_request') return await resolveEarlierSubmission(deps, user, sent, agreement)
  const customerId = user.providerCustomerId
  if (customerId !== null) return await changeCustomer(deps, { user, customerId }, begun.operation, sent, agreement)
  let adopted: string | null = null
  const view = await performOperation(deps, begun.operation, {
    call: async (write) => {
      const made = await createOrAdoptCustomer(deps, user, begun, sent, write)
      adopted = made.isAdopted ? made.customer.id : null
      return made.customer
    },
    lock: (tx) => lockApplicant(deps, tx, user),
    settle: (tx, customer, applicant) => applyCustomer(deps, tx, applicant, customer, agreement),
    rejection: (error) => submissionRejection(error, sent, user.externalUserId),
  })
  return adopted === null ? view : ((await sendPeopleOf(deps, { user, customerId: adopted }, sent)) ?? view)
}

/** @param operation of whichever kind, begun for this end-user */
async function changeCustomer(
  deps: Deps,
  company: { user: store.EndUserRow; customerId: string },
  operation: Operation,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const { user, customerId } = company
  const hasPeople = user.type === 'business' && peopleOf(sent).length > 0
  // The answer to the request comes after its people.
  const view = await performOperation(hasPeople ? { ...deps, heldKey: null } : deps, operation, {
    call: () => updateCustomer(deps, customerId, user, sent),
    lock: (tx) => lockApplicant(deps, tx, user),
    settle: (tx, customer, applicant) => {
      const isAgreed = user.type !== 'business' || isWholeCompany(sent)
      return applyCustomer(deps, tx, applicant, customer, isAgreed ? agreement : null)
    },
    rejection: (error) => submissionRejection(error, sent, user.externalUserId),
  })
  return (await sendPeopleOf(deps, company, sent)) ?? view
}

/** @throws ProviderError also for a change of a company that cannot be written down: it may come up only here */
async function updateCustomer(
  deps: Deps,
  customerId: string,
  user: store.EndUserRow,
  sent: JsonObject,
): Promise<ProviderCustomer> {
  if (user.type !== 'business') return await deps.provider.updateCustomer(customerId, sent)
  const change = companyChangeOf(sent)
  if (!change.ok) {
    const fields = Object.fromEntries(change.problems.map(({ param, message }) => [param, message]))
    throw new ProviderError('rejected', { code: 'missing_field', fields })
  }
  if (change.body === null) return await deps.provider.getCustomer(customerId)
  return await deps.provider.updateCustomer(customerId, change.body)
}

/** @returns the end-user as it stands then; undefined where the submission has no people */
async function sendPeopleOf(
  deps: Deps,
  company: { user: store.EndUserRow; customerId: string },
  sent: JsonObject,
): Promise<EndUserView | undefined> {
  const people = company.user.type === 'business' ? peopleOf(sent) : []
  if (people.length === 0) return undefined
  await sendPeople(deps, company, people)
  return await refreshEndUser(
    deps,
    await deps.db.read((query) => store.getEndUser(query, company.user.businessId, company.user.id)),
  )
}

async function beginSubmission(
  deps: Deps,
  tx: Tx,
  seen: store.EndUserRow,
  sent: JsonObject,
): Promise<{ user: store.EndUserRow; begun: BeginResult }> {
  // Whoever held the operation before has committed by then which customer it made.
  const user = await lockedEndUser(tx, seen)
  const creates = user.providerCustomerId === null
  const begun = await beginOperation(deps, tx, {
    businessId: user.businessId,
    kind: creates ? 'customer.create' : 'customer.update',
    subjectId: user.id,
    // A change has no key at the provider: after an unknown outcome anything may be sent, the same or something else.
    ...(creates ? creationIntent(deps, sent) : {}),
  })
  return { user, begun }
}

function creationIntent(deps: Deps, sent: JsonObject) {
  const [emailMark = null] = emailMarks(deps, sent['email'])
  const fingerprints = deps.secrets.fingerprints('kyc', canonicalJson(creationOf(deps, sent)))
  return { fingerprints, request: { emailMark } }
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
  begun: Exclude<BeginResult, string>,
  sent: JsonObject,
  write: Write,
): Promise<{ customer: ProviderCustomer; isAdopted: boolean }> {
  try {
    const customer = await deps.provider.createCustomer(creationOf(deps, sent), write)
    return { customer, isAdopted: false }
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const ours = await findByEmail(deps, user, [sent['email']], begun.resumed ? null : begun.operation)
    if (ours) return { customer: await updateCustomer(deps, ours.id, user, sent), isAdopted: true }
    throw await explainTakenEmail(deps, user.businessId, error, sent['email'])
  }
}

/**
 * An earlier submission's outcome is unknown and this one sends something else, so its key cannot be repeated. Reading
 * tells: the provider keeps our end-user's id on its customer. Then this submission goes out by itself.
 */
async function resolveEarlierSubmission(
  deps: Deps,
  user: store.EndUserRow,
  sent: JsonObject,
  agreement: string | null,
): Promise<EndUserView> {
  const ours = await readProvider(() => findByEmail(deps, user, [user.email, sent['email']]))
  const resolved = await deps.db.transaction(async (tx) => {
    const applicant = await lockApplicant(deps, tx, user)
    const intent = { businessId: user.businessId, kind: 'customer.create', subjectId: user.id } as const
    if (!(await supersedeOperation(deps, tx, intent, () => ours !== undefined))) throw submissionInProgress()
    if (ours) await applyCustomer(deps, tx, applicant, ours)
    return await store.getEndUser(tx, user.businessId, user.id)
  })
  return await sendSubmission(deps, resolved, sent, agreement)
}

/** What a customer is created from: what nobody named is asked for by default, here and never in a change. */
function creationOf(deps: Deps, sent: JsonObject): JsonObject {
  const endorsements = defaultEndorsementsOf(deps.config.kycEndorsements, residenceOf(sent))
  const body = { endorsements, ...sent }
  return sent['type'] === 'business' ? wholeCompany(body) : body
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
 * A submission whose outcome is unknown. Its data is not stored, so it cannot be repeated by us; but what became of it
 * can be read: from the customer we know, or from the one that carries our end-user's id. A caller's repeat settles it too.
 */
export async function resumeSubmission(deps: Deps, operation: Operation): Promise<void> {
  const user = await deps.db.read((query) => store.getEndUser(query, operation.businessId, operation.subjectId))
  const customer = await findSubmitted(deps, user)
  await deps.db.transaction(async (tx) => {
    const applicant = await lockApplicant(deps, tx, user)
    await settleByReading(deps, tx, operation, customer !== undefined)
    if (customer) await applyCustomer(deps, tx, applicant, customer)
  })
}

async function findSubmitted(deps: Deps, user: store.EndUserRow): Promise<ProviderCustomer | undefined> {
  const id = user.providerCustomerId
  return await readProvider(() => (id === null ? findByEmail(deps, user, [user.email]) : deps.provider.getCustomer(id)))
}
