// The provider's verdicts on a customer: by itself after a while, by the e-mail's magic value, by the hosted page, by
// command, and by the simulation that upstream's sandbox offers.
import type { Customer, RejectionReason } from './customer-record.ts'
import { assess, saveCustomer } from './customers.ts'
import { type Endorsement, isEndorsement, isSupplied, setEndorsement } from './endorsements.ts'
import { refuse } from './errors.ts'
import { allFacts } from './requirements.ts'
import type { EndorsementName } from './vocabulary.ts'
import { timestamp, type World } from './world.ts'

export const decisions = [
  'approve',
  'reject',
  'review',
  'request_document',
  'pause',
  'offboard',
  'revoke_endorsement',
] as const

export type Decision = (typeof decisions)[number]

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
    endorsements: setEndorsement(customer.endorsements, isApproved, 'revoked'),
    rejectionReasons: [rejection(world, reason)],
  }),
  review: (_, customer) => ({ ...customer, status: 'under_review' }),
  request_document: (_, customer) => ({
    ...customer,
    status: 'incomplete',
    documentAsked: true,
    issues: [{ id_front_photo: 'id_expired' }],
  }),
  pause: (_, customer) => ({ ...customer, status: 'paused' }),
  offboard: (_, customer) => ({
    ...customer,
    status: 'offboarded',
    endorsements: setEndorsement(customer.endorsements, isApproved, 'revoked'),
  }),
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
export const decide = (world: World, customer: Customer, decision: Decision, ruling: Ruling = {}): Customer =>
  saveCustomer(world, customer, { ...rulings[decision](world, customer, ruling), deciding: false })

/** Verdicts that the local part of an e-mail asks for by its suffix, e.g. `ada+reject@example.com`. */
const magic: Partial<Record<string, Decision>> = {
  reject: 'reject',
  review: 'review',
  document: 'request_document',
  paused: 'pause',
  revoke: 'approve',
}

/** The decision that was on its way arrives. */
export const decideInTime = (world: World, customerId: string): void => {
  const customer = world.state.customers.get(customerId)
  if (!customer?.deciding) return
  const decision = customer.status === 'active' ? 'approve' : (customer.hostedOutcome ?? magicDecision(customer))
  decide(world, { ...customer, hostedOutcome: null }, decision)
  if (decision === 'approve' && magicSuffix(customer) === 'revoke') {
    world.later('endorsement_revocation', customerId, world.settings.kycDecisionMs)
  }
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
    issues: [],
    rejectionReasons: [],
    deciding: false,
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

/** Hands in a finished hosted verification: all data is there, and the page says what is to come of it. */
export const submitHosted = (world: World, customer: Customer, outcome: Decision): Customer =>
  saveCustomer(
    world,
    customer,
    assess(world, {
      ...customer,
      facts: [...new Set([...customer.facts, ...allFacts(customer.type)])],
      issues: [],
      hostedOutcome: outcome,
    }),
  )

const isApproved = ({ status }: Endorsement): boolean => status === 'approved'

const isGrantable =
  (customer: Customer) =>
  ({ name, status }: Endorsement): boolean =>
    status === 'incomplete' && isSupplied(customer, name)

/** A document is asked for once: the next submission is approved. */
const magicDecision = (customer: Customer): Decision => {
  const decision = magic[magicSuffix(customer) ?? ''] ?? 'approve'
  return decision === 'request_document' && customer.documentAsked ? 'approve' : decision
}

const magicSuffix = ({ email }: Customer): string | undefined => /\+(\w+)@/.exec(email ?? '')?.[1]?.toLowerCase()

const rejection = (world: World, reason = 'Missing required ID details.'): RejectionReason => ({
  developer_reason: reason,
  reason: 'Cannot validate ID -- upload a clear photo of the full ID',
  created_at: timestamp(world),
})
