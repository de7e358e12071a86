// The customer record and its face on the wire.
import { type Endorsement, renderEndorsement } from './endorsements.ts'
import { unknownId } from './errors.ts'
import type { Resource } from './events.ts'
import { newId } from './ids.ts'
import type { Decision } from './kyc.ts'
import type { AssociatedPerson } from './person-record.ts'
import type { Residence } from './requirements.ts'
import type { CustomerType } from './vocabulary.ts'
import { timestamp, type World } from './world.ts'

export type CustomerStatus =
  | 'not_started'
  | 'incomplete'
  | 'awaiting_questionnaire'
  | 'awaiting_ubo'
  | 'under_review'
  | 'active'
  | 'rejected'
  | 'paused'
  | 'offboarded'
  | 'deposits_restricted'

export type RejectionReason = { developer_reason: string; reason: string; created_at: string }

/** A name of a problem, or a field with its problem. */
export type Issue = string | Record<string, string>

export type Customer = {
  id: string
  type: CustomerType
  /** The legal name for a business. */
  firstName: string | null
  middleName: string | null
  lastName: string | null
  email: string | null
  clientReferenceId: string | null
  status: CustomerStatus
  /** Names of the requirements whose data was supplied; the data is not kept. */
  facts: string[]
  residence: Residence | null
  endorsements: Endorsement[]
  /** Requirements that were asked for beyond those of everybody, by their names on the wire. */
  wanted: string[]
  /** What will be asked for from a day on (yyyy-mm-dd). */
  announced: { effectiveOn: string; needs: string[] } | null
  issues: Issue[]
  rejectionReasons: RejectionReason[]
  persons: AssociatedPerson[]
  /** A decision of the provider is on its way. */
  deciding: boolean
  /** What the hosted page was told to make of the verification. */
  hostedOutcome: Decision | null
  /** There was a verdict before: what is submitted next is judged without the e-mail's magic value. */
  judged: boolean
  createdAt: string
  updatedAt: string
}

/** What the customers of an older sandbox lack. */
export const laterCustomerFields = { wanted: [], announced: null, judged: false } satisfies Partial<Customer>

/** A customer of whom nothing is known but what is given. Not stored. */
export const draftCustomer = (world: World, type: CustomerType, known: Partial<Customer> = {}): Customer => ({
  id: newId(),
  type,
  firstName: null,
  middleName: null,
  lastName: null,
  email: null,
  clientReferenceId: null,
  status: 'incomplete',
  facts: [],
  residence: null,
  endorsements: [],
  wanted: [],
  announced: null,
  issues: [],
  rejectionReasons: [],
  persons: [],
  deciding: false,
  hostedOutcome: null,
  judged: false,
  createdAt: timestamp(world),
  updatedAt: timestamp(world),
  ...known,
})

export const customerById = (world: World, id: string): Customer => {
  const customer = world.state.customers.get(id)
  if (!customer) throw unknownId('customer')
  return customer
}

export const customerByEmail = (world: World, email: string): Customer | undefined =>
  world.state.customers.all().find((customer) => customer.email?.toLowerCase() === email.toLowerCase())

export const acceptsTerms = (customer: Customer): boolean => customer.facts.includes('terms_of_service_v1')

export const renderCustomer = (world: World, customer: Customer): Resource => {
  const echoesReference = customer.clientReferenceId !== null && !world.behaviour.has('client_reference_id_absent')
  const isActive = customer.status === 'active'
  const isRestricted = customer.status === 'deposits_restricted'
  const ordinary = customer.status === 'rejected' ? 'rejected' : isActive || isRestricted ? 'active' : 'pending'
  const payin = isRestricted ? 'inactive' : ordinary
  return {
    id: customer.id,
    type: customer.type,
    ...(customer.firstName === null ? {} : { first_name: customer.firstName }),
    ...(customer.middleName === null ? {} : { middle_name: customer.middleName }),
    ...(customer.lastName === null && customer.type === 'individual' ? {} : { last_name: customer.lastName }),
    ...(customer.email === null ? {} : { email: customer.email }),
    ...(echoesReference ? { client_reference_id: customer.clientReferenceId } : {}),
    status: customer.status,
    persona_inquiry_type: customer.type === 'individual' ? 'gov_id_db' : 'business',
    has_accepted_terms_of_service: acceptsTerms(customer),
    endorsements: customer.endorsements.map((endorsement) => renderEndorsement(world, customer, endorsement)),
    capabilities: { payin_crypto: payin, payout_crypto: ordinary, payin_fiat: payin, payout_fiat: ordinary },
    requirements_due: isActive || isRestricted ? ['external_account'] : ['external_account', 'id_verification'],
    future_requirements_due: [],
    rejection_reasons: customer.rejectionReasons,
    ...(customer.type === 'business'
      ? { associated_persons: customer.persons.map(({ id, email }) => ({ id, email })) }
      : {}),
    created_at: customer.createdAt,
    updated_at: customer.updatedAt,
  }
}
