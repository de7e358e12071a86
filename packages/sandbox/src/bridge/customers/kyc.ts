// The provider's decisions on a customer: after a delay, by the magic value of the email, by the hosted page, by command, and by
// the approval that the provider's own sandbox simulates.
import { refuse } from '../../platform/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { assess, reopen, saveCustomer } from './customers.ts'
import { isSupplied, setEndorsement } from './endorsements.ts'
import { allFacts, ownerDocumentNeeds, ownerNeeds, questionnaireNeeds } from './requirements.ts'
import type { AssociatedPerson, Customer, Decision, Endorsement, EndorsementName, RejectionReason } from './rows.ts'

/** From the announcement of requirements to the day from which they apply. */
const noticeMs = 60 * 24 * 60 * 60 * 1000

type DecisionOptions = { endorsement?: EndorsementName | undefined; reason?: string | undefined }

const effects: Record<Decision, (world: World, customer: Customer, options: DecisionOptions) => Customer> = {
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
    ...reviewedAgain(customer),
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
      ...reviewedAgain(customer),
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
  announce_requirements: (world, customer, options) => {
    const needs = questionnaireNeeds[customer.type]
    const effectiveOn = new Date(world.now() + noticeMs).toISOString().slice(0, 10)
    const approved = effects.approve(world, customer, options)
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

/**
 * Applies a decision at once, in place of a scheduled one.
 * @throws Refusal `no_associated_persons` or `wrong_customer_type`
 */
export const decide = (
  world: World,
  customer: Customer,
  decision: Decision,
  options: DecisionOptions = {},
): Customer => {
  if (!appliesTo(customer, decision)) {
    throw customer.type === 'business'
      ? refuse(409, 'no_associated_persons', 'The business has no associated persons')
      : refuse(400, 'wrong_customer_type', 'Only a business can be asked for its owners')
  }
  const decided = { ...effects[decision](world, customer, options), deciding: false, hostedOutcome: null, judged: true }
  return saveCustomer(world, customer, decided)
}

const appliesTo = (customer: Customer, decision: Decision): boolean => {
  if (decision === 'request_ubo') return customer.type === 'business'
  return decision !== 'request_owner_document' || ownerOf(customer) !== undefined
}

/** Returns the person whom a question about the owners is about. */
const ownerOf = ({ persons }: Customer): AssociatedPerson | undefined =>
  persons.find(({ hasOwnership }) => hasOwnership) ?? persons[0]

const withoutWanted = ({ persons }: Customer): AssociatedPerson[] =>
  persons.map((person) => ({ ...person, wanted: [] }))

/** Decisions that the suffix of an email's local part chooses, such as `ada+reject@example.com`. */
export const magicSuffixes: Partial<Record<string, Decision>> = {
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

/** Applies the scheduled decision. A revocation approves first and revokes after another delay. */
export const applyDueDecision = (world: World, customerId: string): void => {
  const customer = world.state.customers.get(customerId)
  if (!customer?.deciding) return
  const decision = decisionFor(customer)
  const isRevoking = decision === 'revoke_endorsement'
  decide(world, customer, isRevoking ? 'approve' : decision)
  if (isRevoking) world.schedule('endorsement_revocation', customerId, world.settings.kycDecisionMs)
}

export const applyDueRevocation = (world: World, customerId: string): void => {
  const customer = world.state.customers.get(customerId)
  if (customer) decide(world, customer, 'revoke_endorsement')
}

/** Approves a customer and the endorsements that `which` picks. Supplies missing data, except accepted terms. */
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
    persons: withoutWanted(customer),
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

/**
 * Finds the customer's endorsement that a command names.
 * @throws Refusal `unknown_endorsement`
 */
export const endorsementIn = (customer: Customer, name: string | undefined): EndorsementName | undefined => {
  const endorsement = customer.endorsements.find((held) => held.name === name)
  if (endorsement || name === undefined) return endorsement?.name
  throw refuse(400, 'unknown_endorsement', 'The customer has no endorsement with this name')
}

/** Submits a finished hosted verification, with all data and the chosen outcome. It also ends a manual review. */
export const submitHosted = (world: World, customer: Customer, outcome: Decision): Customer => {
  const reopened = reopen(customer)
  const isUndecided = customer.status === 'under_review' && !customer.deciding
  return saveCustomer(
    world,
    customer,
    assess(world, {
      ...reopened,
      ...(isUndecided ? { status: 'incomplete' } : {}),
      persons: withoutWanted(customer),
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

/** Reopens approved endorsements, because a customer with an open question is not active. */
const reviewedAgain = (customer: Customer): Customer => {
  const reopened = reopen(customer)
  return {
    ...reopened,
    rejectionReasons: [],
    endorsements: setEndorsement(reopened.endorsements, isApproved, 'incomplete'),
  }
}

/** Requests requirements. Data from before the request does not count. */
const ask = (customer: Customer, wanted: string[]): Customer => ({
  ...reviewedAgain(customer),
  wanted,
  facts: without(customer.facts, wanted),
})

const without = (facts: string[], needs: string[]): string[] => facts.filter((fact) => !needs.includes(fact))

/** Chooses the scheduled decision. The email chooses only the first one. */
const decisionFor = (customer: Customer): Decision => {
  const chosen = customer.hostedOutcome ?? (customer.judged ? undefined : magicSuffixes[magicSuffix(customer) ?? ''])
  const isOpen = customer.status !== 'active' && chosen !== undefined && appliesTo(customer, chosen)
  return isOpen ? chosen : 'approve'
}

const magicSuffix = ({ email }: Customer): string | undefined => /\+(\w+)@/.exec(email ?? '')?.[1]?.toLowerCase()

const rejection = (world: World, reason = 'Missing required ID details.'): RejectionReason => ({
  developer_reason: reason,
  reason: 'Cannot validate ID -- upload a clear photo of the full ID',
  created_at: timestamp(world),
})
