// What is asked of a person, and besides of a person of a company.

import type { KycRequirements } from '@causeway/sdk'
import { addressOf, is, photoIdOf, taxIdOf } from './identity.ts'
import type { Answers, Question, Section } from './question.ts'

type Text = (path: string, more?: Partial<Question>) => Question

/** A question for a text whose label is named as its path. */
const textAt =
  (at: string): Text =>
  (path, more = {}) => ({ path: at + path, label: path as Question['label'], kind: 'text', ...more })

/** Beyond ASCII and the letters of Latin-1: such a name is needed in Latin letters as well. */
const isBeyondLatin = (path: string) => (answers: Answers) => !/^[ -~À-ÖØ-ßà-öø-ÿ]*$/.test(String(answers[path] ?? ''))

/**
 * @param at where the answers of this person stand: empty, or `people.0.`
 * @param wanted fields that are asked for beside those of every person of the country
 */
export function personSections(requirements: KycRequirements, at = '', wanted: readonly string[] = []): Section[] {
  const text = textAt(at)
  const latin = (name: string) => text(`transliterated_${name}`, { when: isBeyondLatin(at + name) })
  const names = ['first_name', 'middle_name', 'last_name']
  const sections: Section[] = [
    {
      name: 'about',
      members: [...names, ...names.map((name) => `transliterated_${name}`), 'birth_date'],
      questions: [
        text('first_name', { autoComplete: 'given-name' }),
        text('middle_name', { autoComplete: 'additional-name', isOptional: true }),
        text('last_name', { autoComplete: 'family-name' }),
        ...names.map(latin),
        text('birth_date', { kind: 'date', autoComplete: 'bday' }),
      ],
    },
    {
      name: 'contact',
      members: ['email', 'phone'],
      questions: [
        text('email', { kind: 'email', autoComplete: 'email' }),
        text('phone', { kind: 'tel', autoComplete: 'tel', isOptional: true, hint: 'phone' }),
      ],
    },
    {
      name: 'address',
      members: ['residential_address'],
      questions: addressOf(requirements, `${at}residential_address`),
    },
    { name: 'taxId', members: ['identifying_information'], questions: taxIdOf(requirements, at) },
    { name: 'photoId', members: ['identifying_information'], questions: photoIdOf(requirements, at) },
    { name: 'more', members: [...moreFields.keys()].map(memberOf), questions: moreOf(requirements, at, wanted) },
  ]
  return sections.filter(({ questions }) => questions.length > 0)
}

/** What somebody is to a company. */
export function roleSection(at: string): Section {
  const text = textAt(at)
  return {
    name: 'role',
    members: ['has_ownership', 'ownership_percentage', 'has_control', 'title', 'is_signer'],
    questions: [
      text('has_ownership', { kind: 'yesNo' }),
      text('ownership_percentage', { kind: 'percent', when: is(`${at}has_ownership`, true) }),
      text('has_control', { kind: 'yesNo' }),
      text('title', { when: is(`${at}has_control`, true), autoComplete: 'organization-title' }),
      text('is_signer', { kind: 'yesNo' }),
    ],
  }
}

const memberOf = (path: string): string => path.split('.', 1)[0] ?? path

/** What is asked of a person only in some countries, or only when the provider wants it, in the order of the page. */
const moreFields: ReadonlyMap<string, Question['kind']> = new Map([
  ['nationalities', 'countries'],
  ['place_of_birth.country', 'country'],
  ['place_of_birth.city', 'text'],
  ['account_purpose', 'choice'],
  ['account_purpose_other', 'long'],
  ['employment_status', 'choice'],
  ['most_recent_occupation', 'occupation'],
  ['source_of_funds', 'choice'],
  ['expected_monthly_payments_usd', 'choice'],
  ['acting_as_intermediary', 'yesNo'],
])

function moreOf(requirements: KycRequirements, at: string, wanted: readonly string[]): Question[] {
  const { fields, additionalForHighRisk } = requirements
  const allowed = new Map([...additionalForHighRisk, ...fields].map((each) => [each.field, each.allowed ?? []]))
  const asked = new Set([...fields.map(({ field }) => field), ...wanted])
  // A purpose that is none of the list is described.
  if (asked.has('account_purpose')) asked.add('account_purpose_other')
  return [...moreFields].flatMap(([path, kind]) => {
    if (!asked.has(path) && !asked.has(memberOf(path))) return []
    const question = textAt(at)(path, { kind })
    if (kind === 'choice') question.choices = allowed.get(path) ?? []
    if (path === 'account_purpose_other') question.when = is(`${at}account_purpose`, 'other')
    return [question]
  })
}
