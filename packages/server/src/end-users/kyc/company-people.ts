// The people of a company that the provider knows: each is changed or added by a write of its own. A person is known again
// by the provider's id or by e-mail address; of the people themselves nothing is stored.

import type { Deps } from '../../app/context.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { transactionUnlessBusy } from '../../platform/postgres/lock-order.ts'
import { canonicalJson, type JsonObject } from '../../platform/values/json.ts'
import type { Operation } from '../../provider/operations/operation.rules.ts'
import {
  beginOperation,
  performOperation,
  readProvider,
  settleByReading,
  supersedeOperation,
} from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { ProviderError, type Write } from '../../provider/port.ts'
import type { ProviderPerson } from '../../provider/types.ts'
import { lockedEndUser } from '../service.ts'
import { type EndUserRow, getEndUser } from '../store.ts'
import { refreshEndUser } from './apply-verdict.ts'

type Company = { user: EndUserRow; customerId: string }
/** @property at the person's place in the submission */
type Entry = { person: JsonObject; at: string }

/**
 * Sends the people of a submission to the provider, in order, each as a change of a person it has or as a new person.
 * @throws ApiError `invalid_kyc_data` before anything is sent, `kyc_submission_in_progress`, `provider_rejected`,
 *   `provider_unavailable`, `provider_timeout`
 */
export async function sendPeople(deps: Deps, company: Company, people: readonly JsonObject[]): Promise<void> {
  const known = await listPeople(deps, company)
  const entries = people.map((person, index) => ({ person, at: `associated_persons[${index}]` }))
  refuseUnclear(entries, known)
  for (const entry of entries) await sendPerson(deps, company, known, entry)
}

async function sendPerson(deps: Deps, company: Company, known: readonly ProviderPerson[], entry: Entry): Promise<void> {
  const match = matchOf(entry.person, known)
  if (match) await changePerson(deps, company, match, entry)
  else await addPerson(deps, company, known, entry)
}

async function listPeople(deps: Deps, { customerId }: Company): Promise<ProviderPerson[]> {
  return await readProvider(() => deps.provider.listAssociatedPersons(customerId))
}

function matchOf({ id, email }: JsonObject, known: readonly ProviderPerson[]): ProviderPerson | undefined {
  return known.find((one) => (id === undefined ? sameEmail(one.email, email) : one.id === id))
}

function sameEmail(one: string | null, other: unknown): boolean {
  return one !== null && typeof other === 'string' && one.toLowerCase() === other.toLowerCase()
}

function refuseUnclear(entries: readonly Entry[], known: readonly ProviderPerson[]): void {
  const details = entries.flatMap(({ person, at }, index) => {
    const { id, email } = person
    if (id !== undefined && !known.some((one) => one.id === id))
      return [
        { param: `${at}.id`, code: 'invalid_value', message: `${at}.id must be that of a person of this company.` },
      ]
    const isTaken = entries.slice(0, index).some((entry) => sameEmail(String(entry.person['email']), email))
    if (!isTaken) return []
    const message = `${at}.email must not be that of another person of this submission.`
    return [{ param: `${at}.email`, code: 'invalid_value', message }]
  })
  if (details.length > 0) throw fail('invalid_kyc_data', { details })
}

/** A change has no key at the provider, and needs none: the same data twice leaves the same person. */
async function changePerson(deps: Deps, company: Company, match: ProviderPerson, entry: Entry): Promise<void> {
  try {
    await deps.provider.updateAssociatedPerson(company.customerId, match.id, entry.person)
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'rejected' || error.kind === 'not_found'))
      throw personRejection(error, company, entry)
    await readProvider(() => Promise.reject(error))
  }
}

/**
 * Adds a person under a key that is stored first. The stored request names the people who were there before, so that what
 * became of a lost answer can be read without knowing whom it was about.
 */
async function addPerson(deps: Deps, company: Company, known: readonly ProviderPerson[], entry: Entry): Promise<void> {
  const { user } = company
  const begun = await transactionUnlessBusy(deps, inProgress, async (tx) => {
    await lockedEndUser(tx, user)
    return await beginOperation(deps, tx, {
      businessId: user.businessId,
      kind: 'associated_person.create',
      subjectId: user.id,
      fingerprints: deps.secrets.fingerprints('kyc', canonicalJson(entry.person)),
      request: { known: known.map(({ id }) => id) },
    })
  })
  if (begun === 'in_progress') throw inProgress()
  if (begun === 'other_request') {
    await resolveEarlierPerson(deps, company)
    return await sendPerson(deps, company, await listPeople(deps, company), entry)
  }
  // The idempotent answer is that of the whole submission, not of this person.
  await performOperation({ ...deps, heldKey: null }, begun.operation, {
    call: (write) => createOrChangePerson(deps, company, entry, write),
    lock: (tx) => lockedEndUser(tx, user),
    settle: async () => undefined,
    rejection: (error) => personRejection(error, company, entry),
  })
}

/** Looks for the person once the operation is ours: an earlier holder has made the person by then, or never will. */
async function createOrChangePerson(
  deps: Deps,
  { customerId }: Company,
  { person }: Entry,
  write: Write,
): Promise<ProviderPerson> {
  const match = matchOf(person, await deps.provider.listAssociatedPersons(customerId))
  return match
    ? await deps.provider.updateAssociatedPerson(customerId, match.id, person)
    : await deps.provider.createAssociatedPerson(customerId, person, write)
}

/** An earlier person's outcome is unknown, and this one is another or has other data: its key cannot be repeated. */
async function resolveEarlierPerson(deps: Deps, company: Company): Promise<void> {
  const people = await listPeople(deps, company)
  await deps.db.transaction(async (tx) => {
    const { businessId, id } = await lockedEndUser(tx, company.user)
    const intent = { businessId, kind: 'associated_person.create', subjectId: id } as const
    const isSettled = await supersedeOperation(deps, tx, intent, (operation) => isThere(operation, people))
    if (!isSettled) throw inProgress()
  })
}

/** Whether the company has a person whom it did not have when the operation began. */
function isThere(operation: Operation, people: readonly ProviderPerson[]): boolean {
  const before = operation.request?.['known']
  return Array.isArray(before) && people.some(({ id }) => !before.includes(id))
}

/** A person whose outcome is unknown, and whose data is not stored: only reading tells. A caller's repeat settles it, too. */
export async function resumePerson(deps: Deps, operation: Operation): Promise<void> {
  const user = await deps.db.read((query) => getEndUser(query, operation.businessId, operation.subjectId))
  const customerId = user.providerCustomerId
  if (customerId === null) throw new Error(`end-user ${user.id} has no provider customer`)
  const hasArrived = isThere(operation, await listPeople(deps, { user, customerId }))
  await deps.db.transaction((tx) => settleByReading(deps, tx, operation, hasArrived))
  if (hasArrived) await refreshEndUser(deps, user)
}

function inProgress(): ApiError {
  return fail('kyc_submission_in_progress', { retryAfterSeconds: 2 })
}

/** The provider names the fields of a person alone; the caller sent a list of people. */
function personRejection(error: ProviderError, { user }: Company, { person, at }: Entry): ApiError {
  const { status, code, cause, reason } = error
  const whole: [string, string][] = reason === null ? [] : [[at, reason]]
  const named = Object.entries(error.fields).map(([name, text]): [string, string] => [`${at}.${name}`, text])
  const fields = Object.fromEntries(named.length > 0 ? named : whole)
  const placed = new ProviderError('rejected', { status, code, cause, fields })
  return providerRejection(placed, person, 'provider_rejected', { externalUserId: user.externalUserId })
}
