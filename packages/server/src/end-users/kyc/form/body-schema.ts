// The body of a KYC submission as the description of the API shows it: read off the rules by which it is judged. The bodies
// themselves are not validated by it, for what it does not name passes through to the provider.

import { type TSchema, Type } from 'typebox'
import { businessFields } from './business.rules.ts'
import type { KycType } from './country.rules.ts'
import { oneOf, type Rule } from './form.rules.ts'
import { individualFields } from './person.rules.ts'

type Fields = Readonly<Record<string, Rule>>

function schemaOf({ about }: Rule): TSchema {
  const description = about.rule
  if (about.members) return objectOf(about.members, about.required ?? [], { description })
  if (about.item) return Type.Array(schemaOf(about.item), { description })
  const isText = about.type === 'string'
  return Type.Unsafe({ type: about.type, ...(isText && about.allowed && { enum: [...about.allowed] }), description })
}

function objectOf(
  fields: Fields,
  required: readonly string[],
  words: { title?: string; description?: string },
): TSchema {
  const properties = Object.entries(fields).map(([name, rule]) => {
    const schema = schemaOf(rule)
    return [name, required.includes(name) ? schema : Type.Optional(schema)] as const
  })
  return Type.Object(Object.fromEntries(properties), { ...words, additionalProperties: true })
}

const typed = (type: KycType, fields: Fields, title: string): TSchema =>
  objectOf({ type: oneOf([type]), ...fields }, [], {
    title,
    description:
      'Nothing is required for its form; `GET /v0/kyc-requirements` tells what an approval needs. Properties not named here pass through to the provider.',
  })

export const kycSubmission = Type.Unsafe({
  title: 'KycSubmission',
  type: 'object',
  minProperties: 1,
  anyOf: [typed('individual', individualFields, 'KycIndividual'), typed('business', businessFields, 'KycBusiness')],
})
