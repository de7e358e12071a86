// The people of a company at the provider: each is changed or added by a separate write. A person is recognized by the
// provider's ID or by email address. Causeway stores nothing about these people.

import { type ApiError, fail } from '../../platform/errors.ts'
import { transactionUnlessBusy } from '../../platform/postgres/lock-order.ts'
import { canonicalJson, type JsonObject } from '../../platform/values/json.ts'
import {
  beginOperation,
  type Operation,
  performOperation,
  readForSettling,
  readProvider,
  settleByReading,
  supersedeOperation,
} from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { type Person, ProviderError } from '../../provider/port.ts'
import { lockedEndUser } from '../service.ts'
import { type EndUserRow, getEndUser } from '../store.ts'
import { refreshEndUser } from './apply-verdict.ts'
import type { Kyc } from './ports.ts'

type Company = { user: EndUserRow; customerId: string }
/** @property at the person's index in the submission */
type Entry = { person: JsonObject; at: string }

/**
 * Sends the people of a submission to the provider, in order: as changes of existing people, or as new people.
 * @throws ApiError `invalid_kyc_data` before anything is sent, `kyc_submission_in_progress`, `provider_rejected`,
 * `provider_unavailable`, `provider_timeout`
 */
export async function sendPeople(deps: Kyc, company: Company, people: readonly JsonObject[]): Promise<void> {
  const known = await listPeople(deps, company)
  const entries = people.map((person, index) => ({ person, at: `associated_persons[${index}]` }))
  refuseUnclear(entries, known)
  for (const entry of entries) await sendPerson(deps, company, known, entry)
}

async function sendPerson(deps: Kyc, company: Company, known: readonly Person[], entry: Entry): Promise<void> {
  const match = matchOf(entry.person, known)
  if (!match) return await addPerson(deps, company, known, entry)
  // A change has no key at the provider, and needs none: the same data twice gives the same person.
  await readProvider(
    () => deps.provider.customers.people.change(company.customerId, match.id, entry.person),
    (error) => personRejection(error, company, entry),
  )
}

async function listPeople(deps: Kyc, { customerId }: Company): Promise<Person[]> {
  return await readProvider(() => deps.provider.customers.people.list(customerId))
}

function matchOf({ id, email }: JsonObject, known: readonly Person[]): Person | undefined {
  return known.find((one) => (id === undefined ? sameEmail(one.email, email) : one.id === id))
}

function sameEmail(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase()
}

function refuseUnclear(entries: readonly Entry[], known: readonly Person[]): void {
  const details = entries.flatMap(({ person, at }, index) => {
    const problem = (name: string, rule: string) => {
      return [{ param: `${at}.${name}`, code: 'invalid_value', message: `${at}.${name} must ${rule}.` }]
    }
    if (person['id'] !== undefined && !matchOf(person, known))
      return problem('id', 'be that of a person of this company')
    const isTaken = entries.slice(0, index).some((entry) => sameEmail(entry.person['email'], person['email']))
    return isTaken ? problem('email', 'not be that of another person of this submission') : []
  })
  if (details.length > 0) throw fail('invalid_kyc_data', { details })
}

const personIntent = ({ user }: Company) =>
  ({ businessId: user.businessId, kind: 'associated_person.create', subjectId: user.id }) as const

/**
 * Adds a person under a key that is stored first. The stored request lists the existing people, so that the outcome of
 * a lost response can be read without storing who was added.
 */
async function addPerson(deps: Kyc, company: Company, known: readonly Person[], entry: Entry): Promise<void> {
  const { user, customerId } = company
  const { person } = entry
  const begun = await transactionUnlessBusy(deps, submissionInProgress, async (tx) => {
    await lockedEndUser(tx, user)
    const fingerprints = deps.secrets.fingerprints('kyc', canonicalJson(person))
    const request = { known: known.map(({ id }) => id) }
    return await beginOperation(deps, tx, { ...personIntent(company), fingerprints, request })
  })
  if (begun === 'in_progress') throw submissionInProgress()
  if (begun === 'other_request') {
    await resolveEarlierPerson(deps, company)
    return await sendPerson(deps, company, await listPeople(deps, company), entry)
  }
  // The idempotent response is that of the whole submission, not of this person.
  await performOperation(deps, null, begun.operation, {
    call: async (write) => {
      // Read once this request holds the operation: an earlier holder has created the person by then, or never will.
      const match = matchOf(person, await deps.provider.customers.people.list(customerId))
      return match
        ? await deps.provider.customers.people.change(customerId, match.id, person)
        : await deps.provider.customers.people.add(customerId, person, write)
    },
    read: async (personId) => {
      const people = await deps.provider.customers.people.list(customerId)
      return people.find(({ id }) => id === personId) ?? matchOf(person, people)
    },
    repeatsUnseen: true,
    lock: (tx) => lockedEndUser(tx, user),
    settle: async () => undefined,
    rejection: (error) => personRejection(error, company, entry),
  })
}

/** Settles an earlier person with an unknown outcome, whose key cannot be reused because this person has other data. */
async function resolveEarlierPerson(deps: Kyc, company: Company): Promise<void> {
  const people = await listPeople(deps, company)
  await deps.db.transaction(async (tx) => {
    await lockedEndUser(tx, company.user)
    const isSettled = await supersedeOperation(deps, tx, personIntent(company), (operation) =>
      isThere(operation, people),
    )
    if (!isSettled) throw submissionInProgress()
  })
}

/** Returns whether the company has a person that it did not have when the operation began. */
function isThere(operation: Operation, people: readonly Person[]): boolean {
  const before = operation.request?.['known']
  return Array.isArray(before) && people.some(({ id }) => !before.includes(id))
}

/**
 * Settles a person with an unknown outcome by reading, because the data is not stored. A caller's retry also settles
 * it.
 */
export async function resumePerson(deps: Kyc, operation: Operation): Promise<void> {
  const key = { businessId: operation.businessId, id: operation.subjectId }
  const user = await deps.db.read((query) => getEndUser(query, key))
  const customerId = user.providerCustomerId
  if (customerId === null) throw new Error(`end-user ${user.id} has no provider customer`)
  const people = await readForSettling(deps, operation, () => deps.provider.customers.people.list(customerId))
  const hasArrived = isThere(operation, people)
  await deps.db.transaction((tx) => settleByReading(deps, tx, operation, hasArrived))
  if (hasArrived) await refreshEndUser(deps, user)
}

/** Creates the error for a submission while another one of the same end-user is in progress. */
export const submissionInProgress = (): ApiError => fail('kyc_submission_in_progress', { retryAfterSeconds: 2 })

/** The provider names fields of one person; the caller sent a list of people. */
function personRejection(error: ProviderError, { user }: Company, { person, at }: Entry): ApiError {
  const { status, code, refusal, cause, reason } = error
  const named = Object.entries(error.fields).map(([name, text]) => [`${at}.${name}`, text] as const)
  const fields = Object.fromEntries(named.length === 0 && reason !== null ? [[at, reason]] : named)
  const placed = new ProviderError('rejected', { status, code, refusal, cause, fields })
  return providerRejection(placed, person, 'provider_rejected', { externalUserId: user.externalUserId })
}
