// What is asked, made of the requirements for country, currencies and type. A question has a path: the place of its answer.

import type { KycRequirements } from '@causeway/sdk'
import type { Texts } from '../texts/en.ts'

/** A picture or a paper: its name, its kind and its content as a data: URI, in memory alone. */
export type Paper = { name: string; type: string; uri: string }

export type Answer = string | boolean | readonly string[] | Paper
export type Answers = Readonly<Record<string, Answer>>

export type Question = {
  path: string
  label: keyof Texts['field']
  kind: 'text' | 'long' | 'email' | 'tel' | 'date' | 'country' | 'countries' | 'choice' | 'yesNo' | 'photo' | 'paper'
  choices?: readonly string[]
  isOptional?: boolean
  autoComplete?: string
  /** Of a photo: the front or the back. */
  side?: 'front' | 'backSide'
  /** Whether it is asked, by the other answers. */
  when?: (answers: Answers) => boolean
}

export type Section = {
  /** The member of the body that it fills, and by which a correction names it. */
  members: readonly string[]
  heading: keyof Texts['form']
  questions: readonly Question[]
}

const is = (path: string, value: Answer) => (answers: Answers) => answers[path] === value
const isBeyondLatin = (path: string) => (answers: Answers) => /[^\u0000-\u00ff]/.test(String(answers[path] ?? ''))

/** Documents of one page have no back. */
const withoutBack: ReadonlySet<Answer | undefined> = new Set(['passport', 'visa'])

/** Which kind of number is usual, where the provider takes many. */
const usualTaxIds: Readonly<Record<string, string>> = {
  ...{ AUT: 'tin', BEL: 'nrn', DEU: 'steuer_id', DNK: 'cpr', ESP: 'nif', FIN: 'hetu', FRA: 'spi', GBR: 'nino' },
  ...{ IRL: 'ppsn', ITA: 'cf', NLD: 'bsn', POL: 'pesel', PRT: 'nif', SWE: 'pin', USA: 'ssn', MEX: 'rfc', BRA: 'cpf' },
  ...{ ARG: 'cuil', CHL: 'rut', COL: 'nit', PER: 'ruc' },
}

/** @returns the kinds of numbers, the usual one first */
export function taxIdChoices({ country, type, identityDocuments: { taxId } }: KycRequirements): readonly string[] {
  const usual = type === 'business' && country === 'USA' ? 'ein' : usualTaxIds[country]
  if (usual === undefined || !taxId.types.includes(usual)) return taxId.types
  return [usual, ...taxId.types.filter((name) => name !== usual)]
}

/** @param at where the answers of this person or company stand: empty, or `people.0.` */
export function sectionsOf(requirements: KycRequirements, at = ''): Section[] {
  const sections = requirements.type === 'individual' ? personSections(requirements, at) : companySections(requirements)
  return sections.filter(({ questions }) => questions.length > 0)
}

function personSections(requirements: KycRequirements, at: string): Section[] {
  const text = (path: string, label: Question['label'], more: Partial<Question> = {}): Question => ({
    path: at + path,
    label,
    kind: 'text',
    ...more,
  })
  const asked = new Set(requirements.fields.map(({ field }) => field))
  const latin = (name: 'first_name' | 'middle_name' | 'last_name') =>
    text(`transliterated_${name}`, `transliterated_${name}`, { when: isBeyondLatin(at + name) })
  return [
    {
      members: ['first_name', 'middle_name', 'last_name', 'birth_date', 'transliterated_first_name',
        'transliterated_middle_name', 'transliterated_last_name'],
      heading: 'about',
      questions: [
        text('first_name', 'first_name', { autoComplete: 'given-name' }),
        text('middle_name', 'middle_name', { autoComplete: 'additional-name', isOptional: true }),
        text('last_name', 'last_name', { autoComplete: 'family-name' }),
        latin('first_name'),
        latin('middle_name'),
        latin('last_name'),
        text('birth_date', 'birth_date', { kind: 'date', autoComplete: 'bday' }),
      ],
    },
    {
      members: ['email', 'phone'],
      heading: 'contact',
      questions: [
        text('email', 'email', { kind: 'email', autoComplete: 'email' }),
        text('phone', 'phone', { kind: 'tel', autoComplete: 'tel', isOptional: true }),
      ],
    },
    { members: ['residential_address'], heading: 'address', questions: addressOf(requirements, `${at}residential_address`) },
    { members: ['identifying_information'], heading: 'taxId', questions: taxIdOf(requirements, at) },
    { members: ['identifying_information'], heading: 'photoId', questions: photoIdOf(requirements, at) },
    { members: [...moreFields.keys()].map(memberOf), heading: 'more', questions: moreOf(requirements, asked, at) },
  ]
}

const memberOf = (path: string): string => path.split('.', 1)[0] ?? path

/** An address but for its country, which is asked first, because the rest follows from it. */
function addressOf({ addressRules }: KycRequirements, at: string): Question[] {
  const autoCompletes: Readonly<Record<string, string>> = {
    street_line_1: 'address-line1',
    street_line_2: 'address-line2',
    city: 'address-level2',
    subdivision: 'address-level1',
    postal_code: 'postal-code',
  }
  return addressRules.fields.flatMap(({ field, required }) => {
    const autoComplete = autoCompletes[field]
    if (autoComplete === undefined) return []
    const label = field as Question['label']
    return [{ path: `${at}.${field}`, label, kind: 'text' as const, autoComplete, isOptional: required !== 'always' }]
  })
}

function taxIdOf(requirements: KycRequirements, at: string): Question[] {
  if (!requirements.identityDocuments.taxId.required) return []
  const type = `${at}tax_id.type`
  return [
    { path: type, label: 'tax_id_type', kind: 'choice', choices: taxIdChoices(requirements) },
    { path: `${at}tax_id.number`, label: 'tax_id_number', kind: 'text' },
    { path: `${at}tax_id.description`, label: 'tax_id_description', kind: 'text', when: is(type, 'other') },
  ]
}

function photoIdOf({ identityDocuments: { photoId } }: KycRequirements, at: string): Question[] {
  if (photoId.types.length === 0) return []
  const type = `${at}photo_id.type`
  const isOptional = !photoId.required
  const isGiven = (answers: Answers) => !isOptional || answers[type] !== undefined
  return [
    { path: type, label: 'photo_id_type', kind: 'choice', choices: photoId.types, isOptional },
    { path: `${at}photo_id.issuing_country`, label: 'photo_id_country', kind: 'country', when: isGiven },
    { path: `${at}photo_id.image_front`, label: 'photo_id_type', kind: 'photo', side: 'front', when: isGiven },
    {
      path: `${at}photo_id.image_back`,
      label: 'photo_id_type',
      kind: 'photo',
      side: 'backSide',
      when: (answers) => isGiven(answers) && !withoutBack.has(answers[type]),
    },
  ]
}

type More = { label: Question['label']; kind: Question['kind'] }

/** What is asked of a person only in some countries, or only when the provider wants it, in the order of the page. */
const moreFields: ReadonlyMap<string, More> = new Map<string, More>([
  ['nationalities', { label: 'nationalities', kind: 'countries' }],
  ['place_of_birth.country', { label: 'place_of_birth.country', kind: 'country' }],
  ['place_of_birth.city', { label: 'place_of_birth.city', kind: 'text' }],
  ['account_purpose', { label: 'account_purpose', kind: 'choice' }],
  ['account_purpose_other', { label: 'account_purpose_other', kind: 'long' }],
  ['employment_status', { label: 'employment_status', kind: 'choice' }],
  ['most_recent_occupation', { label: 'most_recent_occupation', kind: 'text' }],
  ['source_of_funds', { label: 'source_of_funds', kind: 'choice' }],
  ['expected_monthly_payments_usd', { label: 'expected_monthly_payments_usd', kind: 'choice' }],
  ['acting_as_intermediary', { label: 'acting_as_intermediary', kind: 'yesNo' }],
])

function moreOf(requirements: KycRequirements, asked: ReadonlySet<string>, at: string): Question[] {
  const allowed = new Map(
    [...requirements.fields, ...requirements.additionalForHighRisk].map((field) => [field.field, field.allowed ?? []]),
  )
  return [...moreFields].flatMap(([path, { label, kind }]) => {
    if (!asked.has(path)) return []
    const isOther = path === 'account_purpose_other'
    return [
      {
        path: at + path,
        label,
        kind,
        ...(kind === 'choice' && { choices: allowed.get(path) ?? [] }),
        ...(isOther && { when: is(`${at}account_purpose`, 'other') }),
      },
    ]
  })
}

function companySections(requirements: KycRequirements): Section[] {
  const allowed = new Map(requirements.fields.map(({ field, allowed }) => [field, allowed ?? []]))
  const text = (path: string, more: Partial<Question> = {}): Question => ({
    path,
    label: path as Question['label'],
    kind: 'text',
    ...more,
  })
  const choice = (path: string) => text(path, { kind: 'choice', choices: allowed.get(path) ?? [] })
  const differs = (answers: Answers) => answers['physical_address.is_same'] !== true
  const operating = addressOf(requirements, 'physical_address').map((question) => ({ ...question, when: differs }))
  return [
    {
      members: ['business_legal_name', 'business_trade_name', 'business_type', 'business_description',
        'business_industry', 'primary_website', 'email', 'is_dao', 'has_material_intermediary_ownership'],
      heading: 'company',
      questions: [
        text('business_legal_name', { autoComplete: 'organization' }),
        text('business_trade_name'),
        choice('business_type'),
        text('business_description', { kind: 'long' }),
        text('business_industry'),
        text('primary_website', { autoComplete: 'url' }),
        text('email', { kind: 'email', autoComplete: 'email' }),
        text('is_dao', { kind: 'yesNo' }),
        text('has_material_intermediary_ownership', { kind: 'yesNo' }),
      ],
    },
    { members: ['registered_address'], heading: 'registered', questions: addressOf(requirements, 'registered_address') },
    { members: ['physical_address'], heading: 'operating', questions: operating },
    { members: ['identifying_information'], heading: 'taxId', questions: taxIdOf(requirements, '') },
    {
      members: ['documents'],
      heading: 'documents',
      questions: requirements.documents.requiredPurposes.map((purpose) => ({
        path: `documents.${purpose}`,
        label: 'document',
        kind: 'paper',
        choices: [purpose],
      })),
    },
    {
      members: ['account_purpose', 'account_purpose_other', 'source_of_funds'],
      heading: 'more',
      questions: [choice('account_purpose'), choice('source_of_funds')],
    },
  ]
}

/** Whether a question is asked now. */
export const isAsked = (question: Question, answers: Answers): boolean => question.when?.(answers) ?? true
