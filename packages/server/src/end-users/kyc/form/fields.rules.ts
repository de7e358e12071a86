// The properties of the submit-kyc body, each with its form: of an individual, of a business, and of a person associated with
// a business. The closed lists of words are those that the provider documents.

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
  integerOrWord,
  list,
  object,
  oneOf,
  phone,
  requiredWhen,
  subdivision,
  text,
  timeOrMs,
  wordOf,
  words,
} from './form.rules.ts'

export const governmentIdTypes = words(
  'drivers_license matriculate_id military_id national_id passport permanent_residency_id state_or_provincial_id visa',
)

export const taxIdTypes = words(`
  abn acn ahv ak aom arbn avs bc bce bin bir bp brn bsn bvn cc cdi cedula_juridica cf cif cin cipc cn cnp cnpj cpf cpr crc
  crib crn cro cui cuil curp cuit cvr edrpou ein embg emirates_id en fin fn gstin gui hetu hkid hn ic ico id id_broj idno
  idnp idnr if iin ik inn ird itin itr iva jmbg kbo kvk matricule mf mn ms mst nic nicn nie nif nin nino nip nipc nipt nit
  npwp nric nrn nrt ntn nuit nzbn oib orgnr other pan partita_iva pesel pib pin pk ppsn qid rc regon rfc ricn rif rn rnc
  rnokpp rp rrn rtn ruc rut si sin siren siret spi ssm ssn steuer_id strn tckn tfn tin tpin trn ucn uen uic uid usc
  ust_idnr utr vat vkn voen y_tunnus`)

export const personDocumentPurposes = words(`
  proof_of_account_purpose proof_of_address proof_of_individual_name_change proof_of_relationship proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification other`)

export const businessDocumentPurposes = words(`
  aml_comfort_letter business_formation directors_registry e_signature_certificate evidence_of_good_standing flow_of_funds
  marketing_materials ownership_chart ownership_information proof_of_account_purpose proof_of_address
  proof_of_entity_name_change proof_of_nature_of_business proof_of_signatory_authority proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification shareholder_register other`)

const monthlyPayments = words('0_4999 5000_9999 10000_49999 50000_plus')

const mebibyte = 1_048_576
export const imageLimits = { kinds: ['png', 'jpeg', 'pdf', 'heic', 'tiff'], bytesMax: 10 * mebibyte } as const
// The provider takes documents up to 24 MB, more than one body of ours can hold with its other parts.
export const fileLimits = { kinds: ['pdf', 'jpeg', 'png', 'heic', 'tiff'], bytesMax: 20 * mebibyte } as const

const image = document(imageLimits.kinds, imageLimits.bytesMax)
const selfie = document(['png', 'jpeg', 'heic', 'tiff'], imageLimits.bytesMax)
const file = document(fileLimits.kinds, fileLimits.bytesMax)

const longText = text(1, 1024)
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

const identification = object(
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
)

function documentsFor(purposes: readonly string[]): FormSchema {
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
  identifying_information: list(identification, 20),
  documents: documentsFor(personDocumentPurposes),
}

const customerFields = {
  signed_agreement_id: longText,
  client_reference_id: text(1, 256),
  endorsements: list(wordOf(words('base cards cop faster_payments pix pix_onramp pix_offramp sepa spei')), 20),
}

export const individualFields: Fields = {
  ...customerFields,
  ...personFields,
  account_purpose: oneOf(`
    charitable_donations ecommerce_retail_payments investment_purposes operating_a_company other
    payments_to_friends_or_family_abroad personal_or_living_expenses protect_wealth purchase_goods_and_services
    receive_payment_for_freelancing receive_salary`),
  account_purpose_other: longText,
  employment_status: oneOf('employed homemaker retired self_employed student unemployed'),
  expected_monthly_payments_usd: oneOf(monthlyPayments),
  acting_as_intermediary: bool,
  most_recent_occupation: text(1, 64),
  source_of_funds: oneOf(`
    company_funds ecommerce_reseller gambling_proceeds gifts government_benefits inheritance investments_loans
    pension_retirement salary sale_of_assets_real_estate savings someone_elses_funds`),
}

// The last millisecond that ECMAScript can name.
const attestedAt = timeOrMs(8_640_000_000_000_000)

export const associatedPersonFields: Fields = {
  // The provider's id of a person whom the provider has; a person without an id is recognised by `email`.
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

export const associatedPersons = list(
  object(
    associatedPersonFields,
    words(`first_name last_name email residential_address identifying_information birth_date
      has_ownership has_control is_signer`),
    requiredWhen('title', 'has_control', { const: true }, 'is required when has_control is true'),
  ),
  50,
)

const regulatedActivity = {
  regulated_activities_description: longText,
  primary_regulatory_authority_country: country,
  primary_regulatory_authority_name: longText,
  license_number: longText,
}

const listing = object({ market_identifier_code: text(1, 64), stock_number: text(1, 64), ticker: text(1, 64) })

export const businessFields: Fields = {
  ...customerFields,
  business_legal_name: longText,
  transliterated_business_legal_name: longText,
  business_trade_name: longText,
  transliterated_business_trade_name: longText,
  business_description: longText,
  business_type: oneOf('cooperative corporation llc other partnership sole_prop trust'),
  business_industry: list(text(1, 64), 20),
  primary_website: longText,
  other_websites: list(longText, 50),
  email,
  phone,
  registered_address: address,
  transliterated_registered_address: address,
  physical_address: address,
  transliterated_physical_address: address,
  is_dao: bool,
  ownership_threshold: integer(5, 25),
  has_material_intermediary_ownership: bool,
  // The provider's own list has had the fifth range both with and without its last digit.
  estimated_annual_revenue_usd: oneOf(`
    0_99999 100000_999999 1000000_9999999 10000000_49999999 50000000_249999999 50000000_24999999 250000000_plus`),
  expected_monthly_payments_usd: integerOrWord(0, 1_000_000_000_000, monthlyPayments),
  operates_in_prohibited_countries: bool,
  account_purpose: oneOf(`
    charitable_donations ecommerce_retail_payments investment_purposes other payments_to_friends_or_family_abroad payroll
    personal_or_living_expenses protect_wealth purchase_goods_and_services receive_payments_for_goods_and_services
    tax_optimization third_party_money_transmission treasury_management`),
  account_purpose_other: longText,
  high_risk_activities: list(
    oneOf(`
    adult_entertainment gambling hold_client_funds investment_services lending_banking
    marijuana_or_related_services money_services nicotine_tobacco_or_related_services
    operate_foreign_exchange_virtual_currencies_brokerage_otc pharmaceuticals
    precious_metals_precious_stones_jewelry safe_deposit_box_rentals third_party_payment_processing
    weapons_firearms_and_explosives none_of_the_above`),
    20,
  ),
  high_risk_activities_explanation: longText,
  source_of_funds: oneOf(`
    business_loans grants inter_company_funds investment_proceeds legal_settlement owners_capital pension_retirement
    sale_of_assets sales_of_goods_and_services tax_refund third_party_funds treasury_reserves`),
  source_of_funds_description: longText,
  conducts_money_services: bool,
  conducts_money_services_using_bridge: bool,
  conducts_money_services_description: longText,
  compliance_screening_explanation: longText,
  regulated_activity: object(regulatedActivity, Object.keys(regulatedActivity)),
  publicly_traded_listings: list(listing, 20),
  acting_as_intermediary: bool,
  associated_persons: associatedPersons,
  identifying_information: list(identification, 20),
  documents: documentsFor(businessDocumentPurposes),
}
