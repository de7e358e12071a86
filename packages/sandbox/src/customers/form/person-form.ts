// The parts of a person that both kinds of customer are made of: address, papers, documents, names.
import { countriesWithPostalCodes } from '../../lists/countries.ts'
import {
  all,
  day,
  isDay,
  type JsonObject,
  list,
  matching,
  object,
  oneOf,
  type Rule,
  text,
  textOf,
  timestampText,
} from '../../platform/fields.ts'
import { dataUri, type FileLimits } from './images.ts'
import { countryCodes, individualDocumentPurposes, photoIdTypes, taxIdTypes } from './vocabulary.ts'

const megabyte = 1024 * 1024
export const selfie: FileLimits = { types: ['jpeg', 'png', 'heic', 'heif', 'tif'], bytesMax: 15 * megabyte }
const idImage: FileLimits = { types: ['pdf', 'jpeg', 'png', 'heic', 'tif'], bytesMax: 15 * megabyte }
const document: FileLimits = { types: ['pdf', 'jpeg', 'png', 'heic', 'tif'], bytesMax: 24 * megabyte }

export const country: Rule = (value, path, problems) => {
  const known = typeof value === 'string' && countryCodes.has(value.toUpperCase())
  if (!known) problems[path] ??= 'must be an ISO 3166-1 alpha-3 country code'
}

export const addressForm = object(
  {
    street_line_1: text(4, 1024),
    street_line_2: text(1, 1024),
    city: text(1, 1024),
    subdivision: text(1, 3),
    postal_code: text(1, 32),
    country,
  },
  ['street_line_1', 'city', 'country'],
)

export const address: Rule = all(addressForm, (value, path, problems) => {
  const given = value as JsonObject | null
  const code = typeof given?.['country'] === 'string' ? given['country'].toUpperCase() : ''
  if (code === 'USA' && !given?.['subdivision']) problems[`${path}.subdivision`] ??= 'is required for the USA'
  if (countriesWithPostalCodes.has(code) && !given?.['postal_code']) problems[`${path}.postal_code`] ??= 'is missing'
})

const isAdult = (birthDate: string): boolean => {
  const adultOn = new Date(`${birthDate}T00:00:00Z`)
  adultOn.setUTCFullYear(adultOn.getUTCFullYear() + 18)
  return adultOn.getTime() <= Date.now()
}

const birthDate: Rule = all(day, (value, path, problems) => {
  if (isDay(value) && !isAdult(value)) problems[path] ??= 'must be at least 18 years ago'
})

export const identification: Rule = all(
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
  (value, path, problems) => {
    const given = value as JsonObject
    const type = given?.['type']
    if (typeof type !== 'string') return
    const isPhotoId = photoIdTypes.includes(type)
    if (isPhotoId && !given['image_front'] && !given['number']) problems[`${path}.image_front`] ??= 'is missing'
    if (taxIdTypes.includes(type) && !given['number']) problems[`${path}.number`] ??= 'is missing'
    if (type === 'other' && !given['description']) problems[`${path}.description`] ??= 'is required when type is other'
  },
)

export const documents = (purposes: readonly string[]): Rule =>
  list(
    all(
      object({ purposes: list(oneOf(purposes)), file: dataUri(document), description: text(1, 1024) }, [
        'purposes',
        'file',
      ]),
      (value, path, problems) => {
        const { purposes: given, description } = (value ?? {}) as { purposes?: unknown; description?: unknown }
        const needsDescription = Array.isArray(given) && given.includes('other')
        if (needsDescription && !description)
          problems[`${path}.description`] ??= 'is required when the purpose is other'
      },
    ),
  )

const name = text(2, 1024)
const latinName = text(1, 256)
export const line = text(1, 1024)
export const email = matching(/^[^\s@]{1,256}@[^\s@]{1,767}$/, 'must be an e-mail address')

/** The parts that individuals and the persons behind a business have in common. */
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
  transliterated_residential_address: addressForm,
  birth_date: birthDate,
  verified_govid_at: timestampText,
  verified_selfie_at: timestampText,
  verified_database_at: timestampText,
  completed_customer_safety_check_at: timestampText,
  identifying_information: list(identification),
  documents: documents(individualDocumentPurposes),
}

export const latinWhereNeeded: Rule = (value, path, problems) => {
  const given = (value ?? {}) as JsonObject
  for (const field of ['first_name', 'middle_name', 'last_name']) {
    const written = textOf(given, field)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is the whole of Latin-1.
    if (!written || /^[\u0000-\u00ff]*$/.test(written) || given[`transliterated_${field}`]) continue
    const key = `transliterated_${field}`
    problems[path === '' ? key : `${path}.${key}`] ??= 'is required when the name has characters outside Latin-1'
  }
}
