// A person of a company: the request, and the provider's response.

import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import { readObject, requiredText, text } from '../../http/fields.ts'
import type { ProviderPerson } from './types.ts'

/** The provider takes these times as text. */
const times = ['attested_ownership_structure_at', 'relationship_established_at']

export function associatedPersonBody(person: JsonObject): JsonObject {
  const { id: _, ...body } = person
  for (const name of times) {
    const time = body[name]
    if (typeof time === 'number') body[name] = new Date(time).toISOString()
  }
  return body
}

/** A customer's body, with its people in the provider's form. */
export function customerBody(customer: JsonObject): JsonObject {
  const people = customer['associated_persons']
  if (!Array.isArray(people)) return customer
  return { ...customer, associated_persons: people.map((one) => (isJsonObject(one) ? associatedPersonBody(one) : one)) }
}

export function readAssociatedPerson(value: unknown): ProviderPerson {
  const person = readObject(value)
  return { id: requiredText(person, 'associated person', 'id'), email: text(person, 'email') }
}
