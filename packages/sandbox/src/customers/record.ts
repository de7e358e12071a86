// The customer record and its face on the wire.

import { unknownId } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { timestamp, type World } from '../state/world.ts'
import type { Resource } from '../webhooks/rows.ts'
import { renderEndorsement } from './endorsements.ts'
import type { Customer, CustomerType } from './rows.ts'

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
