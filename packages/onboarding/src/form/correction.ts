// Questions after a rejection or a missing document: only the affected ones, with the provider's reasons.

import type { KycRequirements } from '@causeway/sdk'
import type { OpenError, Opening, PageState } from '../client.ts'
import { companySections, papersOf } from './company.ts'
import { personSections } from './person.ts'
import type { Section } from './question.ts'

/** Somebody of a company whose data are asked for again. */
export type AskedPerson = { id: string; purposes: readonly string[] }

export type Correction = {
  fields: ReadonlySet<string>
  /** The purposes of the requested documents. */
  purposes: readonly string[]
  identity: { taxId: boolean; photoId: boolean }
  people: readonly AskedPerson[]
  /** The company lacks somebody. */
  addsPeople: boolean
  /** Whether other questions depend on the country. */
  needsCountry: boolean
}

/** Parts of a company that the provider accepts separately; anything else only with the whole company. */
const partsOfCompany: ReadonlySet<string> = new Set([
  ...[
    'registered_address',
    'physical_address',
    'account_purpose',
    'account_purpose_other',
    'source_of_funds',
    'documents',
  ],
  ...['expected_monthly_payments_usd', 'acting_as_intermediary', 'associated_persons'],
])

const purposesByRequirement: readonly (readonly [RegExp, string])[] = [
  [/formation/, 'business_formation'],
  [/ownership_document/, 'ownership_information'],
  [/address/, 'proof_of_address'],
]

type Open = { currentlyDue: readonly string[]; errors: readonly OpenError[] }

/** @returns null where everything has to be sent: nothing was sent yet, or a company is taken as a whole only */
export function correctionOf(
  type: Opening['type'],
  { nextAction, requirements, rejectionReasons }: PageState,
): Correction | null {
  const fields = new Set(nextAction.fields ?? [])
  if (nextAction.kind !== 'resubmit_kyc' || fields.size === 0) return null
  if (type === 'business' && [...fields].some((field) => !partsOfCompany.has(field))) return null
  const names = namesOf(requirements)
  const isTaxId = names.some((name) => name.includes('tax_identification'))
  const isPhotoId = rejectionReasons.length > 0 || names.some((name) => /government_id|^id_/.test(name))
  const people = (nextAction.associatedPersons ?? []).map(({ id, fields: asked }) => {
    const open = requirements.associatedPersons.find((person) => person.id === id)
    return { id, purposes: asked.includes('documents') && open ? purposesOf(namesOf(open)) : [] }
  })
  return {
    fields,
    purposes: fields.has('documents') ? purposesOf(names) : [],
    identity: { taxId: isTaxId || !isPhotoId, photoId: isPhotoId || !isTaxId },
    people,
    addsPeople: fields.has('associated_persons') && (people.length === 0 || names.some(isOfPeople)),
    needsCountry:
      [...fields].some((field) => field !== 'documents' && field !== 'associated_persons') &&
      !isPhotoOnly(fields, isTaxId),
  }
}

const isPhotoOnly = (fields: ReadonlySet<string>, isTaxId: boolean): boolean =>
  !isTaxId && [...fields].every((field) => field === 'identifying_information' || field === 'documents')

const isOfPeople = (name: string): boolean =>
  /control_person|beneficial_owner|associated_person|has_control|has_title/.test(name)

const namesOf = ({ currentlyDue, errors }: Open): string[] => [
  ...currentlyDue,
  ...errors.flatMap(({ requirement, code }) => [requirement, code]),
]

function purposesOf(names: readonly string[]): string[] {
  const found = names.flatMap((name) => purposesByRequirement.find(([pattern]) => pattern.test(name))?.[1] ?? [])
  return found.length > 0 ? [...new Set(found)] : ['proof_of_address']
}

/** The sections that a correction asks of the person or company itself. */
export function correctedSections(
  requirements: KycRequirements,
  { fields, purposes, identity }: Correction,
  operating?: KycRequirements,
): Section[] {
  const isCompany = requirements.type === 'business'
  const isAddress = fields.has('registered_address') || fields.has('physical_address')
  const asked = new Set([...fields, ...(isAddress ? ['registered_address', 'physical_address'] : [])])
  const papers: Section = { name: 'documents', members: ['documents'], questions: papersOf(purposes) }
  const all = isCompany
    ? companySections(requirements, { purposes, operating })
    : [...personSections(requirements, '', [...fields]), papers]
  return all
    .filter(({ name }) => (name === 'taxId' ? identity.taxId : name === 'photoId' ? identity.photoId : true))
    .map((section) => ({
      ...section,
      questions: section.questions.filter((question) => isAmong(asked, section, question.path)),
    }))
    .map((section) => (section.name === 'photoId' ? withoutOptional(section) : section))
    .filter(({ questions }) => questions.length > 0)
}

function isAmong(asked: ReadonlySet<string>, { members }: Section, path: string): boolean {
  const [member = ''] = path.split('.', 1)
  const name = member === 'tax_id' || member === 'photo_id' ? 'identifying_information' : member
  if (name.startsWith('transliterated_')) return asked.has(name) || asked.has(name.slice('transliterated_'.length))
  return asked.has(name) && members.includes(name)
}

const withoutOptional = (section: Section): Section => ({
  ...section,
  questions: section.questions.map((question) => ({ ...question, isOptional: false })),
})
