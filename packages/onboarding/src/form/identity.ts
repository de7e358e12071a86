// Questions for every party: an address, a tax number, and for a person a photo of an identity document.

import type { KycRequirements } from '@causeway/sdk'
import { readPostalCode } from '../../../forms/src/addresses.ts'
import { issuerOf, numberKindOf, numberKinds } from '../../../forms/src/countries/number-kinds.ts'
import { needsLatin, readLatin, readStreet } from '../../../forms/src/names.ts'
import { broken } from '../../../forms/src/reading.ts'
import { readTaxNumber, shownForm } from '../../../forms/src/tax-numbers.ts'
import { charsMax, cleanText } from '../../../forms/src/text.ts'
import type { Answer, Answers, Question } from './question.ts'

export const is = (path: string, value: Answer) => (answers: Answers) => answers[path] === value

/** Documents of one page have no back. */
const withoutBack: ReadonlySet<Answer | undefined> = new Set(['passport', 'visa'])

const textOf = (answer: Answer | undefined): string => (typeof answer === 'string' ? answer : '')

export const isLatinNeeded = (path: string) => (answers: Answers) => needsLatin(textOf(answers[path]))

/**
 * An address except its country, which is asked first, because the other parts depend on it.
 * @param at its path in the body of its party
 * @param party path of the values of the party
 */
export function addressOf({ addressRules: rules }: KycRequirements, at: string, party = ''): Question[] {
  const part = (name: string, more: Partial<Question>): Question => ({
    path: `${party}${at}.${name}`,
    label: name as Question['label'],
    kind: 'text',
    reads: (text) => ({ value: cleanText(text) }),
    ...more,
  })
  const isSubdivisionAsked = rules.subdivisions.length > 0
  const postalCode = { postalCode: { name: '', isRequired: false, ...patternOf(rules) } }
  const lines = [
    part('street_line_1', { autoComplete: 'address-line1', reads: readStreet }),
    part('street_line_2', { autoComplete: 'address-line2', isOptional: true }),
    part('city', { autoComplete: 'address-level2', part: rules.names.city }),
  ]
  return [
    ...lines,
    ...(isSubdivisionAsked
      ? [
          part('subdivision', {
            kind: 'subdivision',
            autoComplete: 'address-level1',
            part: rules.names.subdivision ?? 'province',
            options: rules.subdivisions.map(({ code, name }) => ({ value: code, label: name })),
            // The value may come from another country that was chosen before.
            reads: (text) =>
              rules.subdivisions.some(({ code }) => code === text) ? { value: text } : broken('subdivision'),
            isOptional: !(rules.subdivisionRequired || rules.isSubdivisionUsual),
          }),
        ]
      : []),
    ...(rules.postalCodeRequired === 'never'
      ? []
      : [
          part('postal_code', {
            autoComplete: 'postal-code',
            part: rules.names.postal_code ?? 'postal',
            isOptional: rules.postalCodeRequired === 'optional',
            charsMax: charsMax.postalCode,
            reads: (text) => readPostalCode(text, postalCode),
          }),
        ]),
    ...lines.map((line) => latinOf(line, party)),
  ]
}

const patternOf = ({ postalCodePattern: pattern, postalCodeExample: example }: KycRequirements['addressRules']) =>
  pattern === null ? {} : { pattern, example: example ?? '' }

/** The question for the Latin form of a value, asked if it has other letters. */
export function latinOf({ path, label }: Question, party: string): Question {
  return {
    path: `${party}transliterated_${path.slice(party.length)}`,
    label,
    kind: 'text',
    latinOf: path,
    when: isLatinNeeded(path),
    reads: readLatin,
  }
}

/** Kinds of number whose country nobody can tell from the kind: it is asked for. */
export const ofAnyCountry: ReadonlySet<string> = new Set(['passport', 'national_id', 'other'])

export function taxIdOf({ country, type: party, identityDocuments }: KycRequirements, at: string): Question[] {
  const { taxId, photoId, oneDocumentMayServeAsBoth } = identityDocuments
  if (!taxId.required) return []
  const [type, issuer] = [`${at}tax_id.type`, `${at}tax_id.issuing_country`]
  const usual = taxId.usual.map((each) => each.type)
  // For a company, and in the European Economic Area, the country of the number is that of the party.
  const isAskable = party === 'individual' && oneDocumentMayServeAsBoth
  const issuerIn = (answers: Answers): string | undefined => {
    const kind = textOf(answers[type])
    if (isAskable && ofAnyCountry.has(kind)) return undefined
    return issuerOf(kind, country) ?? country
  }
  const kindIn = (answers: Answers) => numberKindOf(textOf(answers[type]), issuerIn(answers) ?? textOf(answers[issuer]))
  return [
    {
      path: type,
      label: 'tax_id_type',
      kind: 'choice',
      choices: usual,
      otherChoices: taxId.types.filter((each) => !usual.includes(each)),
      names: namesOf(photoId.nationalIdName),
    },
    {
      path: issuer,
      label: 'tax_id_country',
      kind: 'country',
      when: (answers) => textOf(answers[type]) !== '',
      derived: issuerIn,
    },
    {
      path: `${at}tax_id.number`,
      label: 'tax_id_number',
      kind: 'number',
      when: (answers) => textOf(answers[type]) !== '',
      reads: (text, answers) => readTaxNumber(text, kindIn(answers)),
      form: (answers) => kindIn(answers).forms.map(shownForm).slice(0, 2).join(' · ') || undefined,
    },
    { path: `${at}tax_id.description`, label: 'tax_id_description', kind: 'text', when: is(type, 'other') },
  ]
}

/** Local names of kinds of numbers, and of the identity card. Kinds of any country have texts of the page. */
function namesOf(nationalIdName: string | null): Record<string, string> {
  const atHome = Object.entries(numberKinds).filter(([, { issuers }]) => issuers.length > 0)
  const names = Object.fromEntries(atHome.map(([kind, { name }]) => [kind, name]))
  return { ...names, ...(nationalIdName !== null && { national_id: nationalIdName }) }
}

export function photoIdOf({ identityDocuments: { taxId, photoId } }: KycRequirements, at: string): Question[] {
  if (photoId.types.length === 0) return []
  const type = `${at}photo_id.type`
  const isOptional = !photoId.required
  const isGiven = (answers: Answers) => (answers[type] ?? '') !== ''
  const photo = { label: 'photo', kind: 'photo', when: isGiven } as const
  const isAlsoNumber = (answers: Answers) => taxId.required && answers[type] === answers[`${at}tax_id.type`]
  return [
    {
      path: type,
      label: 'photo_id_type',
      kind: 'choice',
      choices: photoId.types,
      isOptional,
      ...(photoId.nationalIdName !== null && { names: { national_id: photoId.nationalIdName } }),
    },
    {
      path: `${at}photo_id.issuing_country`,
      label: 'photo_id_country',
      kind: 'country',
      when: isGiven,
      // The document whose number was given has one country.
      derived: (answers) => (isAlsoNumber(answers) ? answers[`${at}tax_id.issuing_country`] : undefined),
    },
    { ...photo, path: `${at}photo_id.image_front`, side: 'front' },
    {
      ...photo,
      path: `${at}photo_id.image_back`,
      side: 'backSide',
      when: (answers) => isGiven(answers) && !withoutBack.has(answers[type]),
    },
  ]
}
