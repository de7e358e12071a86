// What happens to the people of a business: added, changed and removed one by one, which is the only way to change them.

import { invalidParameters, refuse, unknownId } from '../platform/errors.ts'
import { type JsonObject, textOf } from '../platform/fields.ts'
import type { World } from '../state/world.ts'
import { assess, reopen, saveCustomer } from './customers.ts'
import { parsePerson } from './form/customer-form.ts'
import { personFrom } from './person-record.ts'
import { customerById } from './record.ts'
import { ownerNeeds } from './requirements.ts'
import type { AssociatedPerson, Customer } from './rows.ts'

/** The company that a person stands behind. */
export const companyOf = (world: World, personId: string): Customer => {
  const company = world.state.customers.all().find(({ persons }) => persons.some(({ id }) => id === personId))
  if (!company) throw unknownId('associated person')
  return company
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

/** The body is the whole person, as the document requires of this operation. */
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

/** Papers of a person answer a rejection or a request for a document, and an owner answers the question for owners. */
const supplyPersons = (world: World, before: Customer, persons: AssociatedPerson[], given: JsonObject): void => {
  const customer = withPersons(before, persons)
  const isAnswer = given['has_ownership'] === true || textOf(given, 'attested_ownership_structure_at') !== undefined
  const facts = isAnswer ? [...new Set([...customer.facts, ...ownerNeeds])] : customer.facts
  saveCustomer(world, before, assess(world, reopen({ ...customer, facts })))
}

/** A company that was verified on the hosted page has somebody in control whom this list does not name. */
const withPersons = (customer: Customer, persons: AssociatedPerson[]): Customer => {
  const others = customer.facts.filter((fact) => fact !== 'control_person')
  const wasListed = customer.persons.some(({ hasControl }) => hasControl)
  const isListed = persons.some(({ hasControl }) => hasControl)
  const facts = isListed ? [...others, 'control_person'] : wasListed ? others : customer.facts
  return { ...customer, persons, facts }
}

const losesSigner = ({ persons: before }: Customer, after: AssociatedPerson[]): boolean =>
  before.some(({ isSigner }) => isSigner) && !after.some(({ isSigner }) => isSigner)
