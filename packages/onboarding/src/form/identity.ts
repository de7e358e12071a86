// What is asked of every party: an address, a tax number, and of a person a photo of an identity document.

import type { KycRequirements } from '@causeway/sdk'
import type { Answer, Answers, Question } from './question.ts'

export const is = (path: string, value: Answer) => (answers: Answers) => answers[path] === value

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

const addressParts: Readonly<Record<string, { autoComplete: string; kind?: Question['kind'] }>> = {
  street_line_1: { autoComplete: 'address-line1' },
  street_line_2: { autoComplete: 'address-line2' },
  city: { autoComplete: 'address-level2' },
  subdivision: { autoComplete: 'address-level1', kind: 'subdivision' },
  postal_code: { autoComplete: 'postal-code' },
}

/** An address but for its country, which is asked first, because the rest follows from it. */
export function addressOf({ addressRules }: KycRequirements, at: string): Question[] {
  return addressRules.fields.flatMap(({ field, required }) => {
    const part = addressParts[field]
    if (part === undefined) return []
    const { autoComplete, kind = 'text' } = part
    const label = field as Question['label']
    return [{ path: `${at}.${field}`, label, kind, autoComplete, isOptional: required !== 'always' }]
  })
}

export function taxIdOf(requirements: KycRequirements, at: string): Question[] {
  if (!requirements.identityDocuments.taxId.required) return []
  const type = `${at}tax_id.type`
  return [
    { path: type, label: 'tax_id_type', kind: 'choice', choices: taxIdChoices(requirements) },
    { path: `${at}tax_id.number`, label: 'tax_id_number', kind: 'text' },
    { path: `${at}tax_id.description`, label: 'tax_id_description', kind: 'text', when: is(type, 'other') },
  ]
}

export function photoIdOf({ identityDocuments: { photoId } }: KycRequirements, at: string): Question[] {
  if (photoId.types.length === 0) return []
  const type = `${at}photo_id.type`
  const isOptional = !photoId.required
  const isGiven = (answers: Answers) => (answers[type] ?? '') !== ''
  const photo = { label: 'photo', kind: 'photo', when: isGiven } as const
  return [
    { path: type, label: 'photo_id_type', kind: 'choice', choices: photoId.types, isOptional },
    { path: `${at}photo_id.issuing_country`, label: 'photo_id_country', kind: 'country', when: isGiven },
    { ...photo, path: `${at}photo_id.image_front`, side: 'front' },
    {
      ...photo,
      path: `${at}photo_id.image_back`,
      side: 'backSide',
      when: (answers) => isGiven(answers) && !withoutBack.has(answers[type]),
    },
  ]
}
