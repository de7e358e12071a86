// The form of a person in the KYC body: an individual end-user, and a person associated with a business.

import { document } from './document-image.rules.ts'
import {
  birthDate,
  bool,
  country,
  date,
  dateTime,
  email,
  type Fields,
  type FormSchema,
  integer,
  list,
  object,
  oneOf,
  phone,
  requiredWhen,
  subdivision,
  text,
  timeOrMs,
  wordOf,
} from './form.rules.ts'
import {
  employmentStatuses,
  endorsementNames,
  governmentIdTypes,
  monthlyPayments,
  personAccountPurposes,
  personDocumentPurposes,
  personSourcesOfFunds,
  taxIdTypes,
} from './vocabulary.rules.ts'

const mebibyte = 1_048_576
export const imageLimits = { kinds: ['png', 'jpeg', 'pdf', 'heic', 'tiff'], bytesMax: 10 * mebibyte } as const
// The provider takes documents up to 24 MB, more than one body here may hold with its other parts.
export const fileLimits = { kinds: ['pdf', 'jpeg', 'png', 'heic', 'tiff'], bytesMax: 20 * mebibyte } as const

const image = document(imageLimits.kinds, imageLimits.bytesMax)
const selfie = document(['png', 'jpeg', 'heic', 'tiff'], imageLimits.bytesMax)
const file = document(fileLimits.kinds, fileLimits.bytesMax)

export const longText = text(1, 1024)
const transliterated = text(1, 256)

const american = { type: 'string', pattern: '^[Uu][Ss][Aa]$' }

export const address = object(
  {
    street_line_1: text(4, 1024),
    street_line_2: longText,
    city: longText,
    subdivision,
    postal_code: text(1, 64),
    country,
  },
  ['street_line_1', 'city', 'country'],
  requiredWhen('subdivision', 'country', american, 'is required for an address in the USA'),
)

export const identifyingInformation = list(
  object(
    {
      type: wordOf([...governmentIdTypes, ...taxIdTypes]),
      issuing_country: country,
      number: longText,
      description: longText,
      expiration: date,
      image_front: image,
      image_back: image,
    },
    ['type', 'issuing_country'],
    {
      allOf: [
        requiredWhen('description', 'type', { const: 'other' }, 'is required when type is other'),
        requiredWhen('number', 'type', { enum: [...taxIdTypes] }, 'is required for a tax identification'),
      ],
    },
  ),
  20,
)

export function documentsFor(purposes: readonly string[]): FormSchema {
  const one = { purposes: list(oneOf(purposes), 20), file, description: longText }
  const isOther = { type: 'array', contains: { const: 'other' } }
  const described = requiredWhen('description', 'purposes', isOther, 'is required when a purpose is other')
  return list(object(one, ['purposes', 'file'], described), 20)
}

const personFields = {
  first_name: text(2, 1024),
  middle_name: longText,
  last_name: text(2, 1024),
  transliterated_first_name: transliterated,
  transliterated_middle_name: transliterated,
  transliterated_last_name: transliterated,
  email,
  phone,
  residential_address: address,
  transliterated_residential_address: address,
  birth_date: birthDate(18),
  nationality: country,
  nationalities: list(country, 10),
  place_of_birth: object({ country, city: longText }),
  verified_govid_at: dateTime,
  verified_selfie_at: dateTime,
  verified_database_at: dateTime,
  completed_customer_safety_check_at: dateTime,
  liveness_check_selfies: list(object({ image: selfie }, ['image']), 10),
  identifying_information: identifyingInformation,
  documents: documentsFor(personDocumentPurposes),
}

/** Properties that any customer has, a person or a business. */
export const customerFields = {
  signed_agreement_id: longText,
  client_reference_id: text(1, 256),
  endorsements: list(wordOf(endorsementNames), 20),
}

export const individualFields: Fields = {
  ...customerFields,
  ...personFields,
  account_purpose: oneOf(personAccountPurposes),
  account_purpose_other: longText,
  employment_status: oneOf(employmentStatuses),
  expected_monthly_payments_usd: oneOf(monthlyPayments),
  acting_as_intermediary: bool,
  most_recent_occupation: text(1, 64),
  source_of_funds: oneOf(personSourcesOfFunds),
}

// The last millisecond that ECMAScript can name.
const attestedAt = timeOrMs(8_640_000_000_000_000)

export const associatedPersonFields: Fields = {
  // The provider's, of a person whom it has; without one the person is known by `email`.
  id: longText,
  ...personFields,
  first_name: longText,
  // A minor can own a part of a business; whether that is acceptable is the provider's verdict.
  birth_date: birthDate(0),
  has_ownership: bool,
  has_control: bool,
  is_signer: bool,
  is_director: bool,
  title: longText,
  ownership_percentage: integer(0, 100),
  attested_ownership_structure_at: attestedAt,
  relationship_established_at: attestedAt,
}

const personNeeds = [
  'first_name',
  'last_name',
  'email',
  'residential_address',
  'identifying_information',
  'birth_date',
  'has_ownership',
  'has_control',
  'is_signer',
]

const titled = requiredWhen('title', 'has_control', { const: true }, 'is required when has_control is true')

export const associatedPersons = list(object(associatedPersonFields, personNeeds, titled), 50)
