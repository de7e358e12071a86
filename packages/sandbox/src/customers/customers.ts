// What happens to customers: created, updated, removed, and the way from submitted data to `under_review`. What the
// provider decides afterwards is in kyc.ts.
import { isDeepStrictEqual } from 'node:util'
import { refuse } from '../platform/errors.ts'
import { type JsonObject, listOf, textOf } from '../platform/fields.ts'
import { timestamp, type World } from '../state/world.ts'
import { recordEvent } from '../webhooks/events.ts'
import { checkAgreement } from './agreements.ts'
import { endorsementsByDefault, isEndorsement, isSupplied, setEndorsement, withEndorsements } from './endorsements.ts'
import { parseCustomerUpdate, parseNewCustomer } from './form/customer-form.ts'
import { announceLinks, forgetLinks } from './kyc-links.ts'
import { personFrom } from './person-record.ts'
import { customerByEmail, customerById, draftCustomer, renderCustomer } from './record.ts'
import { factsIn, residenceIn, termsFacts } from './requirements.ts'
import type { Customer, CustomerStatus, CustomerType } from './rows.ts'

export const createCustomer = (world: World, body: unknown): Customer => {
  const { type, given } = parseNewCustomer(body)
  const named = listOf(given, 'endorsements').filter(isEndorsement)
  const asked = named.length === 0 ? endorsementsByDefault : named
  const persons = (listOf(given, 'associated_persons') as JsonObject[]).map((person) => personFrom(world, person))
  const draft = draftCustomer(world, type, { endorsements: withEndorsements([], asked), persons })
  return introduceCustomer(world, supply(world, draft, given))
}

/** Stores a customer who has not been there before, also the one a finished KYC link brings forth. */
export const introduceCustomer = (world: World, draft: Customer): Customer => {
  refuseTakenEmail(world, draft)
  return announceNew(world, assess(world, draft))
}

/** Stores a customer as it is and tells of it. */
export const announceNew = (world: World, draft: Customer): Customer => {
  const customer = world.state.customers.put(draft)
  recordEvent(world, {
    category: 'customer',
    mutation: 'created',
    object: renderCustomer(world, customer),
    status: customer.status,
  })
  return customer
}

export const updateCustomer = (world: World, id: string, body: unknown): Customer => {
  const before = customerById(world, id)
  const given = parseCustomerUpdate(before.type, body)
  // People are changed by their own operations; the whole body of a company names them all the same.
  const { associated_persons: _, ...own } = given
  const after = supply(world, before, own)
  refuseTakenEmail(world, after)
  return saveCustomer(world, before, assess(world, isResubmission(before.type, given) ? reopen(after) : after))
}

export const removeCustomer = (world: World, id: string): Customer => {
  const customer = customerById(world, id)
  world.state.customers.remove(id)
  forgetLinks(world, id)
  recordEvent(world, {
    category: 'customer',
    mutation: 'deleted',
    object: renderCustomer(world, customer),
    status: customer.status,
  })
  return customer
}

/** Stores a changed customer and announces it, unless nothing that shows has changed. */
export const saveCustomer = (world: World, before: Customer, changed: Customer): Customer => {
  const shows = !isDeepStrictEqual(renderCustomer(world, before), renderCustomer(world, changed))
  const after = world.state.customers.put(shows ? { ...changed, updatedAt: timestamp(world) } : changed)
  if (!shows) return after
  recordEvent(world, {
    category: 'customer',
    mutation: before.status === after.status ? 'updated' : 'updated.status_transitioned',
    object: renderCustomer(world, after),
    status: after.status,
    before: renderCustomer(world, before),
  })
  announceLinks(world, before, after)
  return after
}

/** Adds facts that came by another way than a body, e.g. the accepted terms, and judges anew. */
export const addFacts = (world: World, customer: Customer, facts: string[]): Customer =>
  saveCustomer(world, customer, assess(world, { ...customer, facts: union(customer.facts, facts) }))

/** The papers with which a customer answers a rejection or a request for a document. */
const papers: Record<CustomerType, string[]> = {
  individual: ['identifying_information'],
  business: ['identifying_information', 'documents'],
}

const isResubmission = (type: CustomerType, given: JsonObject): boolean =>
  papers[type].some((field) => listOf(given, field).length > 0)

/** What stood against the customer is taken for cured, and what a rejection revoked can be granted again. */
export const reopen = (customer: Customer): Customer => {
  const cured = { ...customer, issues: [] }
  if (customer.status !== 'rejected') return cured
  return {
    ...cured,
    status: 'incomplete',
    endorsements: setEndorsement(customer.endorsements, ({ status }) => status === 'revoked', 'incomplete'),
  }
}

/** Verdicts that stand, whatever else a customer supplies: a manual review is not restarted by further data. */
const standing: readonly CustomerStatus[] = ['under_review', 'rejected', 'paused', 'offboarded', 'deposits_restricted']

const isAwaited = ({ status, wanted, facts }: Customer): boolean =>
  (status === 'awaiting_questionnaire' || status === 'awaiting_ubo') && wanted.some((need) => !facts.includes(need))

/**
 * Moves a customer to where the supplied data leads: `incomplete` while something is missing, else `under_review` with
 * a decision on its way. An active customer stays active while a further endorsement is looked into.
 */
export const assess = (world: World, customer: Customer): Customer => {
  if (customer.deciding || standing.includes(customer.status) || isAwaited(customer)) return customer
  const isActive = customer.status === 'active'
  // What stands approved is confirmed with the customer, who is active no longer when a review was ordered.
  const isJudgeable = customer.endorsements.some(({ name, status }) =>
    status === 'incomplete' ? isSupplied(customer, name) : status === 'approved' && !isActive,
  )
  if (!isJudgeable || customer.issues.length > 0) return isActive ? customer : { ...customer, status: 'incomplete' }
  world.later('kyc_decision', customer.id, world.settings.kycDecisionMs)
  return { ...customer, deciding: true, rejectionReasons: [], status: isActive ? 'active' : 'under_review' }
}

const supply = (world: World, customer: Customer, given: JsonObject): Customer => {
  const agreement = textOf(given, 'signed_agreement_id')
  if (agreement !== undefined) checkAgreement(world, agreement)
  return {
    ...customer,
    firstName: textOf(given, 'first_name') ?? textOf(given, 'business_legal_name') ?? customer.firstName,
    middleName: textOf(given, 'middle_name') ?? customer.middleName,
    lastName: textOf(given, 'last_name') ?? customer.lastName,
    email: textOf(given, 'email') ?? customer.email,
    clientReferenceId: textOf(given, 'client_reference_id') ?? customer.clientReferenceId,
    residence: residenceIn(given) ?? customer.residence,
    facts: union(customer.facts, [...factsIn(customer.type, given), ...(agreement === undefined ? [] : termsFacts)]),
    endorsements: withEndorsements(customer.endorsements, listOf(given, 'endorsements').filter(isEndorsement)),
  }
}

const union = (held: string[], added: string[]): string[] => [...new Set([...held, ...added])]

const refuseTakenEmail = (world: World, { id, email }: Customer): void => {
  const holder = email === null ? undefined : customerByEmail(world, email)
  if (holder && holder.id !== id) {
    throw refuse(400, 'bad_customer_request', 'A customer with this email already exists')
  }
}
