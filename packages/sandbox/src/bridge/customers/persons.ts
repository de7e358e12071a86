// The persons behind a business: added, changed and removed one by one, which is the only way to change them.
import { invalidParameters, refuse } from '../../platform/errors.ts'
import { unknownId } from '../forms/errors.ts'
import type { World } from '../state/world.ts'
import { assess, reopen, saveCustomer } from './customers.ts'
import { type PersonForm, parsePerson } from './form/associated-person.ts'
import { customerById, personFrom } from './record.ts'
import { ownerNeeds } from './requirements.ts'
import type { AssociatedPerson, Customer } from './rows.ts'

/** Returns the business of an associated person. */
export const businessOf = (world: World, personId: string): Customer => {
  const business = world.state.customers.all().find(({ persons }) => persons.some(({ id }) => id === personId))
  if (!business) throw unknownId('associated person')
  return business
}

export const personOf = (world: World, customerId: string, personId: string): AssociatedPerson => {
  const person = customerById(world, customerId).persons.find(({ id }) => id === personId)
  if (!person) throw unknownId('associated person')
  return person
}

export const addPerson = (world: World, customerId: string, body: unknown): AssociatedPerson => {
  const customer = customerById(world, customerId)
  if (customer.type !== 'business') {
    throw refuse(400, 'bad_customer_request', 'Only a business has associated persons')
  }
  const given = parsePerson(body)
  const person = personFrom(world, given)
  supplyPersons(world, customer, [...customer.persons, person], given)
  return person
}

/** Replaces a person. As the provider's document requires, the body is the whole person. */
export const updatePerson = (world: World, customerId: string, personId: string, body: unknown): AssociatedPerson => {
  const known = personOf(world, customerId, personId)
  const given = parsePerson(body)
  const person = personFrom(world, given, known)
  const customer = customerById(world, customerId)
  const persons = customer.persons.map((other) => (other.id === personId ? person : other))
  if (losesSigner(customer, persons)) throw invalidParameters('body', { is_signer: 'At least one signer must stay' })
  supplyPersons(world, customer, persons, given)
  return person
}

export const removePerson = (world: World, customerId: string, personId: string): AssociatedPerson => {
  const person = personOf(world, customerId, personId)
  const customer = customerById(world, customerId)
  const persons = customer.persons.filter(({ id }) => id !== personId)
  if (losesSigner(customer, persons)) throw refuse(400, 'bad_customer_request', 'At least one signer must stay')
  saveCustomer(world, customer, assess(world, withPersons(customer, persons)))
  return person
}

/** Saves persons. Their documents can resolve a rejection or a request, and an owner resolves the request for owners. */
const supplyPersons = (world: World, before: Customer, persons: AssociatedPerson[], given: PersonForm): void => {
  const customer = withPersons(before, persons)
  const isAnswer = given.has_ownership || given.attested_ownership_structure_at !== undefined
  const facts = isAnswer ? [...new Set([...customer.facts, ...ownerNeeds])] : customer.facts
  saveCustomer(world, before, assess(world, reopen({ ...customer, facts })))
}

/** A business that was verified on the hosted page has a person in control who is not in this list. */
const withPersons = (customer: Customer, persons: AssociatedPerson[]): Customer => {
  const others = customer.facts.filter((fact) => fact !== 'control_person')
  const wasListed = customer.persons.some(({ hasControl }) => hasControl)
  const isListed = persons.some(({ hasControl }) => hasControl)
  const facts = isListed ? [...others, 'control_person'] : wasListed ? others : customer.facts
  return { ...customer, persons, facts }
}

const losesSigner = ({ persons: before }: Customer, after: AssociatedPerson[]): boolean =>
  before.some(({ isSigner }) => isSigner) && !after.some(({ isSigner }) => isSigner)
