// Bodies of customers that hold every property and, over all variants, every word that the form of a submission knows:
// what the client may send, to be held against the provider's document.

import type { Fields, FormSchema } from '../src/end-users/kyc/form/form.rules.ts'
import type { Json, JsonObject } from '../src/platform/values/json.ts'

/** More than any list of allowed words is long. */
export const variants = 160

/** @param variant index of the allowed word for each property with a list of words */
export function bodyOf(fields: Fields, variant: number): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, sampleOf(rule, variant)]))
}

function sampleOf(schema: FormSchema, variant: number): Json {
  const { known, enum: allowed = known, properties, items, type, description } = schema
  if (properties) return bodyOf(properties, variant)
  if (items) return [sampleOf(items, variant)]
  const isNumber = Array.isArray(type) && variant % 2 === 0
  if (allowed && !isNumber) return allowed[variant % allowed.length] ?? ''
  if (type === 'boolean') return true
  if (type === 'integer' || isNumber) return Number(/from (\d+)/.exec(description)?.[1] ?? 0)
  return textSamples.find(([rule]) => description.includes(rule))?.[1] ?? 'text'
}

/** By a part of the rule's words; the first that fits. */
const textSamples: [rule: string, sample: string][] = [
  ['ISO 8601', '2025-05-27T17:55:33.308Z'],
  ['yyyy-mm-dd', '1990-01-15'],
  ['country code', 'USA'],
  ['data URI', 'data:image/png;base64,AAAA'],
  ['e-mail', 'ann@example.com'],
  ['international form', '+12223334444'],
  ['ISO 3166-2', 'CA'],
]
