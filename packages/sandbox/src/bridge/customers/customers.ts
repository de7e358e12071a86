// Customers: created, updated, removed, and moved by their data from `incomplete` to `under_review`. The provider's
// decisions after that are in kyc.ts.
import { isDeepStrictEqual } from 'node:util'
import { refuse } from '../../platform/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { emitEvent } from '../webhooks/events.ts'
import { endorsementsByDefault, isSupplied, setEndorsement, withEndorsements } from './endorsements.ts'
import { type CustomerForm, parseCustomerUpdate, parseNewCustomer } from './form/customer-form.ts'
import { emitLinkChanges, removeLinks } from './kyc-links.ts'
import { customerByEmail, customerById, draftCustomer, personFrom, renderCustomer } from './record.ts'
import { factsIn, residenceIn, termsFacts } from './requirements.ts'
import type { Customer, CustomerStatus, CustomerType } from './rows.ts'
import { checkAgreement } from './sessions.ts'

export const createCustomer = (world: World, body: unknown): Customer => {
  const { type, given } = parseNewCustomer(body, world.behaviour.has('company_whole'))
  const asked = given.endorsements?.length ? given.endorsements : endorsementsByDefault
  const persons = (given.associated_persons ?? []).map((person) => personFrom(world, person))
  const draft = draftCustomer(world, type, { endorsements: withEndorsements([], asked), persons })
  return introduceCustomer(world, supply(world, draft, given))
}

/** Stores a new customer, who comes from a body or from a finished KYC link, and assesses the data. */
export const introduceCustomer = (world: World, draft: Customer): Customer => {
  refuseTakenEmail(world, draft)
  return storeNew(world, assess(world, draft))
}

/** Stores a new customer without assessing the data, and emits the event. */
export const storeNew = (world: World, draft: Customer): Customer => {
  const customer = world.state.customers.put(draft)
  emitEvent(world, {
    category: 'customer',
    mutation: 'created',
    object: renderCustomer(world, customer),
    status: customer.status,
  })
  return customer
}

export const updateCustomer = (world: World, id: string, body: unknown): Customer => {
  const before = customerById(world, id)
  const given = parseCustomerUpdate(before.type, body, world.behaviour.has('company_whole'))
  // The whole body of a business names its persons, but only their own operations change them.
  const { associated_persons: _, ...own } = given
  const after = supply(world, before, own)
  refuseTakenEmail(world, after)
  return saveCustomer(world, before, assess(world, isResubmission(before.type, given) ? reopen(after) : after))
}

export const removeCustomer = (world: World, id: string): Customer => {
  const customer = customerById(world, id)
  world.state.customers.remove(id)
  removeLinks(world, id)
  emitEvent(world, {
    category: 'customer',
    mutation: 'deleted',
    object: renderCustomer(world, customer),
    status: customer.status,
  })
  return customer
}

/** Stores a changed customer. Emits an event if the change shows on the wire. */
export const saveCustomer = (world: World, before: Customer, changed: Customer): Customer => {
  const shows = !isDeepStrictEqual(renderCustomer(world, before), renderCustomer(world, changed))
  const after = world.state.customers.put(shows ? { ...changed, updatedAt: timestamp(world) } : changed)
  if (!shows) return after
  emitEvent(world, {
    category: 'customer',
    mutation: before.status === after.status ? 'updated' : 'updated.status_transitioned',
    object: renderCustomer(world, after),
    status: after.status,
    before: renderCustomer(world, before),
  })
  emitLinkChanges(world, before, after)
  return after
}

/** Adds facts that are not from a body, such as the accepted terms, and assesses the customer. */
export const addFacts = (world: World, customer: Customer, facts: string[]): Customer =>
  saveCustomer(world, customer, assess(world, { ...customer, facts: union(customer.facts, facts) }))

/** Returns true if a body has documents, which resolve a rejection or a request for a document. */
const isResubmission = (type: CustomerType, { identifying_information = [], documents = [] }: CustomerForm): boolean =>
  identifying_information.length > 0 || (type === 'business' && documents.length > 0)

/** Clears the customer's issues. After a rejection revoked endorsements can be granted again. */
export const reopen = (customer: Customer): Customer => {
  const cured = { ...customer, issues: [] }
  if (customer.status !== 'rejected') return cured
  return {
    ...cured,
    status: 'incomplete',
    endorsements: setEndorsement(customer.endorsements, ({ status }) => status === 'revoked', 'incomplete'),
  }
}

/** Statuses that further data does not change: a manual review is not restarted by it. */
const settledStatuses: readonly CustomerStatus[] = [
  'under_review',
  'rejected',
  'paused',
  'offboarded',
  'deposits_restricted',
]

const awaitsAnswers = ({ status, wanted, facts }: Customer): boolean =>
  (status === 'awaiting_questionnaire' || status === 'awaiting_ubo') && wanted.some((need) => !facts.includes(need))

/**
 * Moves a customer by the supplied data: to `incomplete` while a requirement is missing, else to `under_review` with a
 * decision scheduled. An active customer stays active during the check of a further endorsement.
 */
export const assess = (world: World, customer: Customer): Customer => {
  if (customer.deciding || settledStatuses.includes(customer.status) || awaitsAnswers(customer)) return customer
  const isActive = customer.status === 'active'
  // After an ordered review the customer is not active, and approved endorsements are checked again.
  const isJudgeable = customer.endorsements.some(({ name, status }) =>
    status === 'incomplete' ? isSupplied(customer, name) : status === 'approved' && !isActive,
  )
  if (!isJudgeable || customer.issues.length > 0) return isActive ? customer : { ...customer, status: 'incomplete' }
  world.schedule('kyc_decision', customer.id, world.settings.kycDecisionMs)
  return { ...customer, deciding: true, rejectionReasons: [], status: isActive ? 'active' : 'under_review' }
}

const supply = (world: World, customer: Customer, given: CustomerForm): Customer => {
  const agreement = given.signed_agreement_id
  const isStated = given.has_accepted_terms_of_service === true && world.behaviour.has('terms_reliance')
  if (agreement !== undefined && !isStated) checkAgreement(world, agreement)
  return {
    ...customer,
    firstName: given.first_name ?? given.business_legal_name ?? customer.firstName,
    middleName: given.middle_name ?? customer.middleName,
    lastName: given.last_name ?? customer.lastName,
    email: given.email ?? customer.email,
    clientReferenceId: given.client_reference_id ?? customer.clientReferenceId,
    residence: residenceIn(given) ?? customer.residence,
    facts: union(customer.facts, [...factsIn(customer.type, given), ...(agreement === undefined ? [] : termsFacts)]),
    endorsements: withEndorsements(customer.endorsements, given.endorsements ?? []),
  }
}

const union = (held: string[], added: string[]): string[] => [...new Set([...held, ...added])]

const refuseTakenEmail = (world: World, { id, email }: Customer): void => {
  const holder = email === null ? undefined : customerByEmail(world, email)
  if (holder && holder.id !== id) {
    throw refuse(400, 'bad_customer_request', 'A customer with this email already exists')
  }
}
