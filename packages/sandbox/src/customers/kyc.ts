// The provider's verdicts on a customer: by itself after a while, by the e-mail's magic value, by the hosted page, by
// command, and by the simulation that upstream's sandbox offers.

import { refuse } from '../platform/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { assess, reopen, saveCustomer } from './customers.ts'
import { isEndorsement, isSupplied, setEndorsement } from './endorsements.ts'
import { allFacts, ownerDocumentNeeds, ownerNeeds, questionnaireNeeds } from './requirements.ts'
import type { AssociatedPerson, Customer, Decision, Endorsement, EndorsementName, RejectionReason } from './rows.ts'

/** From an announcement to the day on which it counts. */
const noticeMs = 60 * 24 * 60 * 60 * 1000

type Ruling = { endorsement?: EndorsementName; reason?: string }

const rulings: Record<Decision, (world: World, customer: Customer, ruling: Ruling) => Customer> = {
  approve: (_, customer) => ({
    ...customer,
    status: 'active',
    issues: [],
    rejectionReasons: [],
    endorsements: setEndorsement(customer.endorsements, isGrantable(customer), 'approved'),
  }),
  reject: (world, customer, { reason }) => ({
    ...customer,
    status: 'rejected',
    issues: ['government_id_verification_failed'],
    endorsements: setEndorsement(customer.endorsements, isApproved, 'revoked'),
    rejectionReasons: [rejection(world, reason)],
  }),
  review: (_, customer) => ({ ...reopen(customer), rejectionReasons: [], status: 'under_review' }),
  request_document: (_, customer) => ({
    ...reviewedAnew(customer),
    status: 'incomplete',
    issues: [
      customer.type === 'individual'
        ? { id_front_photo: 'id_expired' }
        : { business_formation_document: 'document_expired' },
    ],
  }),
  request_questionnaire: (_, customer) => ({
    ...ask(customer, questionnaireNeeds[customer.type]),
    status: 'awaiting_questionnaire',
  }),
  request_ubo: (_, customer) => ({ ...ask(customer, ownerNeeds), status: 'awaiting_ubo' }),
  request_owner_document: (_, customer) => {
    const owner = ownerOf(customer)
    return {
      ...reviewedAnew(customer),
      status: 'incomplete',
      persons: customer.persons.map((person) =>
        person === owner ? { ...person, wanted: ownerDocumentNeeds } : person,
      ),
    }
  },
  pause: (_, customer) => ({ ...customer, status: 'paused' }),
  offboard: (_, customer) => ({
    ...customer,
    status: 'offboarded',
    endorsements: setEndorsement(customer.endorsements, isApproved, 'revoked'),
  }),
  restrict_deposits: (_, customer) => ({
    ...customer,
    status: 'deposits_restricted',
    endorsements: setEndorsement(customer.endorsements, isGrantable(customer), 'approved'),
  }),
  announce_requirements: (world, customer, ruling) => {
    const needs = questionnaireNeeds[customer.type]
    const effectiveOn = new Date(world.now() + noticeMs).toISOString().slice(0, 10)
    const approved = rulings.approve(world, customer, ruling)
    return { ...approved, facts: without(customer.facts, needs), announced: { effectiveOn, needs } }
  },
  revoke_endorsement: (_, customer, { endorsement }) => ({
    ...customer,
    endorsements: setEndorsement(
      customer.endorsements,
      ({ name, status }) => status === 'approved' && name === (endorsement ?? name),
      'revoked',
    ),
  }),
}

/** Applies a verdict at once. One that is still on its way is overtaken by it. */
export const decide = (world: World, customer: Customer, decision: Decision, ruling: Ruling = {}): Customer => {
  if (!appliesTo(customer, decision)) {
    throw customer.type === 'business'
      ? refuse(409, 'no_associated_persons', 'The business has nobody who could be asked')
      : refuse(400, 'wrong_customer_type', 'Owners can be asked of a business only')
  }
  const decided = { ...rulings[decision](world, customer, ruling), deciding: false, hostedOutcome: null, judged: true }
  return saveCustomer(world, customer, decided)
}

const appliesTo = (customer: Customer, decision: Decision): boolean => {
  if (decision === 'request_ubo') return customer.type === 'business'
  return decision !== 'request_owner_document' || ownerOf(customer) !== undefined
}

/** Whom a question about the owners is about. */
const ownerOf = ({ persons }: Customer): AssociatedPerson | undefined =>
  persons.find(({ hasOwnership }) => hasOwnership) ?? persons[0]

const withNothingWanted = ({ persons }: Customer): AssociatedPerson[] =>
  persons.map((person) => ({ ...person, wanted: [] }))

/** Verdicts that the local part of an e-mail asks for by its suffix, e.g. `ada+reject@example.com`. */
const magic: Partial<Record<string, Decision>> = {
  reject: 'reject',
  review: 'review',
  document: 'request_document',
  questionnaire: 'request_questionnaire',
  ubo: 'request_ubo',
  ownerdocument: 'request_owner_document',
  paused: 'pause',
  offboard: 'offboard',
  restricted: 'restrict_deposits',
  future: 'announce_requirements',
  revoke: 'revoke_endorsement',
}

/** The decision that was on its way arrives. What is to be revoked is granted first and revoked a while later. */
export const decideInTime = (world: World, customerId: string): void => {
  const customer = world.state.customers.get(customerId)
  if (!customer?.deciding) return
  const wish = wishFor(customer)
  const isRevoking = wish === 'revoke_endorsement'
  decide(world, customer, isRevoking ? 'approve' : wish)
  if (isRevoking) world.later('endorsement_revocation', customerId, world.settings.kycDecisionMs)
}

export const revokeInTime = (world: World, customerId: string): void => {
  const customer = world.state.customers.get(customerId)
  if (customer) decide(world, customer, 'revoke_endorsement')
}

/**
 * Approves a customer and the endorsements that `which` picks, filling in whatever data is missing. The terms alone stay
 * the customer's own to accept.
 */
export const approveOnRequest = (
  world: World,
  customer: Customer,
  which: (endorsement: Endorsement) => boolean,
): Customer =>
  saveCustomer(world, customer, {
    ...customer,
    status: 'active',
    wanted: [],
    announced: null,
    persons: withNothingWanted(customer),
    issues: [],
    rejectionReasons: [],
    deciding: false,
    hostedOutcome: null,
    judged: true,
    firstName: customer.firstName ?? 'Sandbox',
    lastName: customer.lastName ?? (customer.type === 'individual' ? 'Customer' : null),
    facts: [...new Set([...customer.facts, ...allFacts(customer.type)])],
    endorsements: setEndorsement(customer.endorsements, which, 'approved'),
  })

/** Checks what a command names; an endorsement must be one of the customer's. */
export const endorsementIn = (customer: Customer, name: unknown): EndorsementName | undefined => {
  if (name === undefined) return undefined
  if (!isEndorsement(name) || !customer.endorsements.some((held) => held.name === name)) {
    throw refuse(400, 'unknown_endorsement', 'The customer has no endorsement of this name')
  }
  return name
}

/**
 * Hands in a finished hosted verification: all data is there, and the page says what is to come of it. That ends a
 * manual review as well.
 */
export const submitHosted = (world: World, customer: Customer, outcome: Decision): Customer => {
  const reopened = reopen(customer)
  const isUndecided = customer.status === 'under_review' && !customer.deciding
  return saveCustomer(
    world,
    customer,
    assess(world, {
      ...reopened,
      ...(isUndecided ? { status: 'incomplete' } : {}),
      persons: withNothingWanted(customer),
      facts: [...new Set([...customer.facts, ...allFacts(customer.type), ...customer.wanted])],
      hostedOutcome: outcome,
    }),
  )
}

const isApproved = ({ status }: Endorsement): boolean => status === 'approved'

const isGrantable =
  (customer: Customer) =>
  ({ name, status }: Endorsement): boolean =>
    status === 'incomplete' && isSupplied(customer, name)

/** An endorsement that stood is looked into again: nobody is active while something is asked of them. */
const reviewedAnew = (customer: Customer): Customer => {
  const reopened = reopen(customer)
  return {
    ...reopened,
    rejectionReasons: [],
    endorsements: setEndorsement(reopened.endorsements, isApproved, 'incomplete'),
  }
}

/** Asks for what may have been supplied before, too: an answer counts from now on. */
const ask = (customer: Customer, wanted: string[]): Customer => ({
  ...reviewedAnew(customer),
  wanted,
  facts: without(customer.facts, wanted),
})

const without = (facts: string[], needs: string[]): string[] => facts.filter((fact) => !needs.includes(fact))

/** The first verdict alone is the e-mail's to choose: what is submitted after it is approved. */
const wishFor = (customer: Customer): Decision => {
  const chosen = customer.hostedOutcome ?? (customer.judged ? undefined : magic[magicSuffix(customer) ?? ''])
  const isOpen = customer.status !== 'active' && chosen !== undefined && appliesTo(customer, chosen)
  return isOpen ? chosen : 'approve'
}

const magicSuffix = ({ email }: Customer): string | undefined => /\+(\w+)@/.exec(email ?? '')?.[1]?.toLowerCase()

const rejection = (world: World, reason = 'Missing required ID details.'): RejectionReason => ({
  developer_reason: reason,
  reason: 'Cannot validate ID -- upload a clear photo of the full ID',
  created_at: timestamp(world),
})
