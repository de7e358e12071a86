// The answers as the body of a submission, in the provider's shape.

import type { Answer, Answers, Paper, Question, Section } from './questions.ts'
import { isAsked } from './questions.ts'

type Json = string | boolean | number | readonly Json[] | { [name: string]: Json }
export type Body = { [name: string]: Json }

/** @param countries of residence or registration by the place of the answers: empty, or `people.0.` */
export function bodyOf(
  type: 'individual' | 'business',
  { sections, answers, country }: { sections: readonly Section[]; answers: Answers; country: string },
  people: readonly { sections: readonly Section[]; answers: Answers; country: string }[] = [],
): Body {
  const given = takenFrom(sections, answers)
  if (type === 'individual') return { type, ...personOf(given, country) }
  const { tax_id: taxId, documents, physical_address: physical, registered_address: registered, ...rest } = given
  const address = { ...objectOf(registered), country }
  return {
    type,
    ...rest,
    ...(typeof rest['business_industry'] === 'string' && { business_industry: [rest['business_industry']] }),
    ...(registered && { registered_address: address }),
    ...(registered && { physical_address: answers['physical_address.is_same'] === true ? address : { ...objectOf(physical), country } }),
    ...(taxId && { identifying_information: [{ ...objectOf(taxId), issuing_country: country }] }),
    ...(documents && { documents: Object.entries(objectOf(documents)).map(([purpose, file]) => ({ purposes: [purpose], file })) }),
    ...(people.length > 0 && {
      associated_persons: people.map((person) => personOf(takenFrom(person.sections, person.answers), person.country)),
    }),
  }
}

function personOf(given: Body, country: string): Body {
  const { tax_id: taxId, photo_id: photoId, residential_address: address, ...rest } = given
  const identifying = [
    ...(taxId ? [{ issuing_country: country, ...objectOf(taxId) }] : []),
    ...(photoId ? [objectOf(photoId)] : []),
  ]
  return {
    ...rest,
    ...(address && { residential_address: { ...objectOf(address), country } }),
    ...(identifying.length > 0 && { identifying_information: identifying }),
  }
}

const objectOf = (value: Json | undefined): { [name: string]: Json } =>
  typeof value === 'object' && !Array.isArray(value) ? (value as { [name: string]: Json }) : {}

/** The answers to what is asked, as an object of the depth that their paths have. */
function takenFrom(sections: readonly Section[], answers: Answers): Body {
  const body: Body = {}
  for (const { questions } of sections)
    for (const question of questions) {
      const answer = answers[question.path]
      if (answer === undefined || answer === '' || !isAsked(question, answers)) continue
      put(body, pathOf(question), jsonOf(answer))
    }
  return body
}

/** Without the place of a person: `people.0.first_name` is `first_name` of that person. */
const pathOf = ({ path }: Question): string[] => path.replace(/^people\.\d+\./, '').split('.')

function put(body: Body, [name = '', ...rest]: string[], value: Json): void {
  if (rest.length === 0) body[name] = value
  else put((body[name] ??= {}) as Body, rest, value)
}

function jsonOf(answer: Answer): Json {
  if (typeof answer === 'object' && 'uri' in answer) return (answer as Paper).uri
  return typeof answer === 'string' ? answer.trim() : (answer as boolean | readonly string[])
}
