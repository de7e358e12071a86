// The parts of a person that all customers are made of: names, address, identifying papers, documents.

import {
  day,
  isDay,
  join,
  list,
  matching,
  object,
  oneOf,
  type Rule,
  refined,
  rule,
  text,
  timestampText,
} from '../../../platform/fields.ts'
import { listedCountry } from '../../lists/countries.ts'
import { dataUri, type FileLimits } from './images.ts'
import { countryCodes, individualDocumentPurposes, photoIdTypes, taxIdTypes } from './vocabulary.ts'

const megabyte = 1024 * 1024
export const selfie: FileLimits = { types: ['jpeg', 'png', 'heic', 'heif', 'tif'], bytesMax: 15 * megabyte }
const idImage: FileLimits = { types: ['pdf', 'jpeg', 'png', 'heic', 'tif'], bytesMax: 15 * megabyte }
const document: FileLimits = { types: ['pdf', 'jpeg', 'png', 'heic', 'tif'], bytesMax: 24 * megabyte }

export const country: Rule<string> = rule(
  'must be an ISO 3166-1 alpha-3 country code',
  (value) => typeof value === 'string' && countryCodes.has(value.toUpperCase()),
)

const addressOf = (street: Rule<string>, part: Rule<string>) =>
  object(
    {
      street_line_1: street,
      street_line_2: part,
      city: part,
      subdivision: text(1, 3),
      postal_code: text(1, 32),
      country,
    },
    ['street_line_1', 'city', 'country'],
  )

/** The parts by the lists of `GET /lists/countries`, where the country is among them. */
export const address = refined(addressOf(text(4, 1024), text(1, 1024)), (given, path, problems) => {
  const code = String(given['country']).toUpperCase()
  const { subdivision, postal_code: postalCode } = given
  const { subdivisions = [], postalCodes } = listedCountry(code)
  if (code === 'USA' && !subdivision) problems[`${path}.subdivision`] ??= 'is required for the USA'
  if (subdivision && subdivisions.length > 0 && !subdivisions.includes(String(subdivision).toUpperCase()))
    problems[`${path}.subdivision`] ??= `is no subdivision of ${code}`
  if (postalCodes && !postalCode) problems[`${path}.postal_code`] ??= 'is missing'
  if (postalCodes && postalCode && !postalCodes.test(String(postalCode).toUpperCase()))
    problems[`${path}.postal_code`] ??= `is no postal code of ${code}`
})

const isAdult = (birthDate: string): boolean => {
  const adultOn = new Date(`${birthDate}T00:00:00Z`)
  adultOn.setUTCFullYear(adultOn.getUTCFullYear() + 18)
  return adultOn.getTime() <= Date.now()
}

const birthDate: Rule<string> = (value, path, problems) => {
  if (isDay(value) && !isAdult(value)) problems[path] ??= 'must be at least 18 years ago'
  return day(value, path, problems)
}

export const identification = refined(
  object(
    {
      type: oneOf([...photoIdTypes, ...taxIdTypes]),
      issuing_country: country,
      number: text(1, 256),
      description: text(1, 1024),
      expiration: day,
      image_front: dataUri(idImage),
      image_back: dataUri(idImage),
    },
    ['type', 'issuing_country'],
  ),
  (given, path, problems) => {
    const type = String(given['type'])
    const isPhotoId = photoIdTypes.includes(type)
    if (isPhotoId && !given['image_front'] && !given['number']) problems[`${path}.image_front`] ??= 'is missing'
    if (taxIdTypes.includes(type) && !given['number']) problems[`${path}.number`] ??= 'is missing'
    if (type === 'other' && !given['description']) problems[`${path}.description`] ??= 'is required when type is other'
  },
)

export const documents = (purposes: readonly string[]) =>
  list(
    refined(
      object({ purposes: list(oneOf(purposes)), file: dataUri(document), description: text(1, 1024) }, [
        'purposes',
        'file',
      ]),
      ({ purposes: given, description }, path, problems) => {
        const needsDescription = Array.isArray(given) && given.includes('other')
        if (needsDescription && !description) {
          problems[`${path}.description`] ??= 'is required when the purpose is other'
        }
      },
    ),
  )

const name = text(2, 1024)
/** "Acceptable characters" of the fields `transliterated_*` in the provider's document. */
const latinLetters = /^[ -~À-ÖØ-ßà-öø-ÿ]*$/
const latin = (charsMax: number) =>
  matching(new RegExp(latinLetters.source.replace('*', `{1,${charsMax}}`)), 'must have Latin-1 characters only')
const latinName = latin(256)
export const latinLine = latin(1024)
export const line = text(1, 1024)
export const email = matching(/^[^\s@]{1,256}@[^\s@]{1,767}$/, 'must be an email address')
export const latinAddress = addressOf(latin(1024), latinLine)
export const birthPlace = object({ country, city: line })

/** The fields that individuals and the persons behind a business have in common. */
export const person = {
  first_name: name,
  middle_name: line,
  last_name: name,
  transliterated_first_name: latinName,
  transliterated_middle_name: latinName,
  transliterated_last_name: latinName,
  email,
  phone: matching(/^\+[1-9]\d{6,14}$/, 'must be a phone number as +12223334444'),
  residential_address: address,
  transliterated_residential_address: latinAddress,
  birth_date: birthDate,
  verified_govid_at: timestampText,
  verified_selfie_at: timestampText,
  verified_database_at: timestampText,
  verified_proof_of_address_at: timestampText,
  identifying_information: list(identification),
  documents: documents(individualDocumentPurposes),
}

/** Requires the form in Latin letters of each name or address that has other letters. */
export const withLatinForms = <Value>(base: Rule<Value>, fields: readonly string[]): Rule<Value> =>
  refined(base, (given, path, problems) => {
    for (const field of fields) {
      const transliterated = `transliterated_${field}`
      if (isLatin(given[field]) || given[transliterated]) continue
      problems[join(path, transliterated)] ??= `is required when ${field} has characters outside Latin-1`
    }
  })

export const personalLatinForms = ['first_name', 'middle_name', 'last_name', 'residential_address']

const isLatin = (given: unknown): boolean => {
  if (typeof given === 'string') return latinLetters.test(given)
  return typeof given !== 'object' || given === null || Object.values(given).every(isLatin)
}
