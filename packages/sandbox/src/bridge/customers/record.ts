// The records of customers and of the persons behind a business: how they are made, found and rendered on the wire.

import { newId } from '../../platform/ids.ts'
import { unknownId } from '../forms/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import type { Resource } from '../webhooks/rows.ts'
import { renderEndorsement } from './endorsements.ts'
import type { PersonForm } from './form/associated-person.ts'
import { personItemsIn } from './requirements.ts'
import type { AssociatedPerson, Customer, CustomerType } from './rows.ts'

/** Makes a customer who is not stored yet. Fields that are not in `known` are empty. */
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

/** Makes a person from a body. `known` is the same person before the change. */
export const personFrom = (world: World, given: PersonForm, known?: AssociatedPerson): AssociatedPerson => {
  const items = personItemsIn(given)
  return {
    id: known?.id ?? newId(),
    email: given.email,
    firstName: given.first_name,
    lastName: given.last_name,
    hasOwnership: given.has_ownership,
    hasControl: given.has_control,
    isSigner: given.is_signer,
    title: given.title ?? null,
    attestedOwnershipStructureAt: given.attested_ownership_structure_at ?? null,
    relationshipEstablishedAt: given.relationship_established_at ?? null,
    items,
    wanted: known?.wanted.filter((need) => !items.includes(need)) ?? [],
    createdAt: known?.createdAt ?? world.now(),
    updatedAt: world.now(),
  }
}

export const renderPerson = (world: World, person: AssociatedPerson) => ({
  id: person.id,
  email: person.email,
  first_name: person.firstName,
  last_name: person.lastName,
  has_ownership: person.hasOwnership,
  has_control: person.hasControl,
  is_signer: person.isSigner,
  ...(person.title === null ? {} : { title: person.title }),
  ...(person.attestedOwnershipStructureAt === null
    ? {}
    : { attested_ownership_structure_at: person.attestedOwnershipStructureAt }),
  ...(person.relationshipEstablishedAt === null
    ? {}
    : { relationship_established_at: person.relationshipEstablishedAt }),
  created_at: renderTime(world, person.createdAt),
  updated_at: renderTime(world, person.updatedAt),
})

/** The provider's document has unix milliseconds in its schema and an ISO 8601 text in its example. */
const renderTime = (world: World, at: number): number | string =>
  world.behaviour.has('person_times_iso') ? new Date(at).toISOString() : at
