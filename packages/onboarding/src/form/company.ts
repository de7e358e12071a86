// Questions about a company. Its people get the questions for persons.

import type { KycRequirements } from '@causeway/sdk'
import { readEmail } from '../../../forms/src/email.ts'
import { cleanText } from '../../../forms/src/text.ts'
import { addressOf, is, latinOf, taxIdOf } from './identity.ts'
import type { Answers, Question, Section } from './question.ts'

const sameAddress = 'physical_address.is_same'
/** The rules of the operating address follow from its own country. */
export const operatingCountry = 'physical_address.country'
export const isSameAddress = (answers: Answers): boolean => answers[sameAddress] !== false

const plainText = (written: string) => ({ value: cleanText(written) })

const text = (path: string, more: Partial<Question> = {}): Question => ({
  path,
  label: path as Question['label'],
  kind: 'text',
  ...more,
})

type CompanyOptions = {
  /** The requested documents; default: those that every company has to send. */
  purposes?: readonly string[]
  /** The requirements of the country in which it operates, where that is another address. */
  operating?: KycRequirements | undefined
}

const elsewhere = (answers: Answers): boolean => !isSameAddress(answers)

const whereElsewhere = (question: Question): Question => ({
  ...question,
  when: (answers) => elsewhere(answers) && (question.when?.(answers) ?? true),
})

export function companySections(
  requirements: KycRequirements,
  { purposes = requirements.documents.requiredPurposes, operating }: CompanyOptions = {},
): Section[] {
  const allowed = new Map(requirements.fields.map(({ field, allowed }) => [field, allowed ?? []]))
  const choice = (path: string) => text(path, { kind: 'choice', choices: allowed.get(path) ?? [] })
  const sections: Section[] = [
    ...aboutCompany(choice),
    {
      name: 'registered',
      members: ['registered_address'],
      questions: addressOf(requirements, 'registered_address'),
    },
    {
      name: 'operating',
      members: ['physical_address'],
      questions: [
        text(sameAddress, { label: 'is_same_address', kind: 'yesNo' }),
        text(operatingCountry, { label: 'country', kind: 'country', when: elsewhere }),
      ],
    },
    {
      name: 'operatingAddress',
      members: ['physical_address'],
      questions: operating ? addressOf(operating, 'physical_address').map(whereElsewhere) : [],
    },
    { name: 'companyTaxId', members: ['identifying_information'], questions: taxIdOf(requirements, '') },
    { name: 'documents', members: ['documents'], questions: papersOf(purposes) },
    {
      name: 'companyFunds',
      members: ['account_purpose', 'account_purpose_other', 'source_of_funds'],
      questions: [
        choice('account_purpose'),
        text('account_purpose_other', { kind: 'long', when: is('account_purpose', 'other') }),
        choice('source_of_funds'),
      ],
    },
  ]
  return sections.filter(({ questions }) => questions.length > 0)
}

const names = [
  text('business_legal_name', { autoComplete: 'organization', reads: plainText }),
  text('business_trade_name', { hint: 'tradeName', reads: plainText }),
]

const aboutCompany = (choice: (path: string) => Question): Section[] => [
  {
    name: 'company',
    members: [
      'business_legal_name',
      'business_trade_name',
      'business_type',
      'business_description',
      'business_industry',
    ],
    questions: [
      ...names,
      ...names.map((name) => latinOf(name, '')),
      choice('business_type'),
      text('business_description', { kind: 'long' }),
      text('business_industry', { kind: 'industry' }),
    ],
  },
  {
    name: 'companyMore',
    members: ['primary_website', 'email', 'is_dao', 'has_material_intermediary_ownership'],
    questions: [
      text('email', { kind: 'email', autoComplete: 'email', reads: readEmail }),
      text('primary_website', { kind: 'url', hint: 'website', autoComplete: 'url' }),
      text('is_dao', { kind: 'yesNo' }),
      text('has_material_intermediary_ownership', { kind: 'yesNo' }),
    ],
  },
]

/** @param at path of the values of the person or company */
export const papersOf = (purposes: readonly string[], at = ''): Question[] =>
  purposes.map((purpose) => ({ path: `${at}documents.${purpose}`, label: 'document', kind: 'paper', purpose }))
