// Questions about a person, and further ones about a person of a company.

import type { KycRequirements } from '@causeway/sdk'
import { countryCodes } from '../../../forms/src/countries/codes.ts'
import { readBirthDate } from '../../../forms/src/dates.ts'
import { readEmail } from '../../../forms/src/email.ts'
import { readName } from '../../../forms/src/names.ts'
import { charsMax } from '../../../forms/src/text.ts'
import { addressOf, is, latinOf, photoIdOf, taxIdOf } from './identity.ts'
import type { Question, Section } from './question.ts'

type Text = (path: string, more?: Partial<Question>) => Question

/** A question for a text whose label is named as its path. */
const textAt =
  (at: string): Text =>
  (path, more = {}) => ({ path: at + path, label: path as Question['label'], kind: 'text', ...more })

/** Loads the plans of the world's numbers once somebody writes one. A number may be written as it is dialed at home. */
const readPhone = (country: string) => async (text: string) =>
  (await import('../../../forms/src/phone.ts')).readPhone(text, countryCodes.get(country))

/**
 * @param at path of the values of this person: empty, or `people.0.`
 * @param wanted fields in addition to those of every person of the country
 */
export function personSections(requirements: KycRequirements, at = '', wanted: readonly string[] = []): Section[] {
  const text = textAt(at)
  // The provider takes a first name of one letter of somebody of a company.
  const isOfCompany = at !== ''
  const named = (name: string, charsMin: number, more: Partial<Question>) =>
    text(name, {
      ...more,
      reads: (written) => readName(written, charsMin),
      ...(isOfCompany && { autoComplete: 'off' }),
    })
  const names = [
    named('first_name', isOfCompany ? 1 : 2, { autoComplete: 'given-name' }),
    named('middle_name', 1, { autoComplete: 'additional-name', isOptional: true }),
    named('last_name', 2, { autoComplete: 'family-name' }),
  ]
  // The person who enters the people of a company must not get suggestions with personal data from the browser.
  const own = (autoComplete: string) => (isOfCompany ? 'off' : autoComplete)
  const birthYearsMin = isOfCompany ? 0 : 18
  const sections: Section[] = [
    {
      name: 'about',
      members: ['first_name', 'middle_name', 'last_name', 'birth_date'],
      questions: [
        ...names,
        ...names.map((name) => ({ ...latinOf(name, at), charsMax: charsMax.latinName })),
        text('birth_date', {
          kind: 'date',
          autoComplete: own('bday'),
          reads: (date) => readBirthDate(date, { yearsMin: birthYearsMin, nowMs: Date.now() }),
        }),
      ],
    },
    {
      name: 'contact',
      members: ['email', 'phone'],
      questions: [
        text('email', { kind: 'email', autoComplete: own('email'), reads: readEmail }),
        text('phone', {
          kind: 'tel',
          autoComplete: own('tel'),
          isOptional: true,
          charsMax: charsMax.phone,
          reads: readPhone(requirements.country),
        }),
      ],
    },
    {
      name: 'address',
      members: ['residential_address'],
      questions: addressOf(requirements, 'residential_address', at),
    },
    { name: 'taxId', members: ['identifying_information'], questions: taxIdOf(requirements, at) },
    { name: 'photoId', members: ['identifying_information'], questions: photoIdOf(requirements, at) },
    { name: 'more', members: [...moreFields.keys()].map(memberOf), questions: moreOf(requirements, at, wanted) },
  ]
  return sections.filter(({ questions }) => questions.length > 0)
}

/** The roles of a person in a company. */
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

/** Questions only for some countries, or only on request of the provider, in the order of the page. */
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
