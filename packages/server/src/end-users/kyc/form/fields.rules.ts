// The properties of the submit-kyc body, each with its form: of an individual, of a business, and of a person associated with
// a business. The closed lists of words are those that the provider documents.

import { charsMax } from '../../../../../forms/src/text.ts'
import { words } from '../../../platform/values/words.ts'
import {
  bool,
  country,
  date,
  dateTime,
  type Fields,
  type FormSchema,
  integer,
  integerOrWord,
  list,
  longText,
  object,
  oneOf,
  requiredWhen,
  text,
  timeOrMs,
  wordOf,
} from './form.rules.ts'
import {
  businessDocumentPurposes,
  documentsFor,
  identification,
  personDocumentPurposes,
  selfie,
} from './papers.rules.ts'
import { birthDate, email, latinText, name, phone, street, subdivision, writtenText } from './written.rules.ts'

const monthlyPayments = words('0_4999 5000_9999 10000_49999 50000_plus')

const transliterated = latinText(charsMax.latinName)
const writtenLine = writtenText(charsMax.text)
const american = { type: 'string', pattern: '^[Uu][Ss][Aa]$' }

const addressIn = (title: string, texts: { street_line_1: FormSchema; line: FormSchema; postal_code: FormSchema }) =>
  object(
    {
      street_line_1: texts.street_line_1,
      street_line_2: texts.line,
      city: texts.line,
      subdivision,
      postal_code: texts.postal_code,
      country,
    },
    ['street_line_1', 'city', 'country'],
    { title, ...requiredWhen('subdivision', 'country', american, 'is required for an address in the USA') },
  )

export const address = addressIn('KycAddress', {
  street_line_1: street,
  line: writtenLine,
  postal_code: writtenText(charsMax.postalCode),
})
const latinAddress = addressIn('KycLatinAddress', {
  street_line_1: latinText(charsMax.text),
  line: latinText(charsMax.text),
  postal_code: latinText(charsMax.postalCode),
})

// A check that the operator's programme lets a business make itself (reliance): the provider ignores it elsewhere.
const screen = object(
  { screened_at: dateTime, result: oneOf('KycScreenResult', 'passed failed') },
  ['screened_at', 'result'],
  {
    title: 'KycScreen',
  },
)

const personFields = {
  first_name: name(2),
  middle_name: writtenLine,
  last_name: name(2),
  transliterated_first_name: transliterated,
  transliterated_middle_name: transliterated,
  transliterated_last_name: transliterated,
  email,
  phone,
  residential_address: address,
  transliterated_residential_address: latinAddress,
  birth_date: birthDate(18),
  nationality: country,
  nationalities: list(country, 10),
  place_of_birth: object({ country, city: writtenLine }, [], { title: 'KycPlaceOfBirth' }),
  verified_govid_at: dateTime,
  verified_selfie_at: dateTime,
  verified_database_at: dateTime,
  verified_proof_of_address_at: dateTime,
  kyc_screen: screen,
  ofac_screen: screen,
  liveness_check_selfies: list(object({ image: selfie }, ['image'], { title: 'KycSelfie' }), 10),
  identifying_information: list(identification, 20),
  documents: documentsFor('KycPersonDocument', personDocumentPurposes),
}

const customerFields = {
  signed_agreement_id: longText,
  // The business states the acceptance, and `signed_agreement_id` is its own identifier of the attestation.
  has_accepted_terms_of_service: bool,
  client_reference_id: text(1, 256),
  endorsements: list(wordOf(words('base cards cop faster_payments pix pix_onramp pix_offramp reliance sepa spei')), 20),
}

export const individualFields: Fields = {
  ...customerFields,
  ...personFields,
  account_purpose: oneOf(
    'KycIndividualAccountPurpose',
    `
    charitable_donations ecommerce_retail_payments investment_purposes operating_a_company other
    payments_to_friends_or_family_abroad personal_or_living_expenses protect_wealth purchase_goods_and_services
    receive_payment_for_freelancing receive_salary`,
  ),
  account_purpose_other: longText,
  employment_status: oneOf('KycEmploymentStatus', 'employed homemaker retired self_employed student unemployed'),
  expected_monthly_payments_usd: oneOf('KycMonthlyPayments', monthlyPayments),
  acting_as_intermediary: bool,
  most_recent_occupation: text(1, 64),
  source_of_funds: oneOf(
    'KycIndividualSourceOfFunds',
    `
    company_funds ecommerce_reseller gambling_proceeds gifts government_benefits inheritance investments_loans
    pension_retirement salary sale_of_assets_real_estate savings someone_elses_funds`,
  ),
}

// The last millisecond that ECMAScript can name.
const attestedAt = timeOrMs(8_640_000_000_000_000)

export const associatedPersonFields: Fields = {
  // The provider's id of a person whom the provider has; a person without an id is recognised by `email`.
  id: longText,
  ...personFields,
  first_name: writtenLine,
  // A minor can own a part of a business; whether that is acceptable is the provider's verdict.
  birth_date: birthDate(0),
  has_ownership: bool,
  has_control: bool,
  is_signer: bool,
  is_director: bool,
  title: writtenLine,
  ownership_percentage: integer(0, 100),
  verified_account_authorization_at: dateTime,
  attested_ownership_structure_at: attestedAt,
  relationship_established_at: attestedAt,
}

export const associatedPersons = list(
  object(
    associatedPersonFields,
    words(`first_name last_name email residential_address identifying_information birth_date
      has_ownership has_control is_signer`),
    {
      title: 'KycAssociatedPerson',
      ...requiredWhen('title', 'has_control', { const: true }, 'is required when has_control is true'),
    },
  ),
  50,
)

const regulatedActivity = {
  regulated_activities_description: longText,
  primary_regulatory_authority_country: country,
  primary_regulatory_authority_name: longText,
  license_number: longText,
}

const listing = object({ market_identifier_code: text(1, 64), stock_number: text(1, 64), ticker: text(1, 64) }, [], {
  title: 'KycListing',
})

export const businessFields: Fields = {
  ...customerFields,
  business_legal_name: writtenLine,
  transliterated_business_legal_name: latinText(charsMax.text),
  business_trade_name: writtenLine,
  transliterated_business_trade_name: latinText(charsMax.text),
  business_description: writtenLine,
  business_type: oneOf('KycLegalForm', 'cooperative corporation llc other partnership sole_prop trust'),
  business_industry: list(text(1, 64), 20),
  primary_website: writtenLine,
  other_websites: list(longText, 50),
  email,
  phone,
  registered_address: address,
  transliterated_registered_address: latinAddress,
  physical_address: address,
  transliterated_physical_address: latinAddress,
  is_dao: bool,
  incorporation_date: date,
  has_foreign_tax_registration: bool,
  kyb_screen: screen,
  verified_business_formation_at: dateTime,
  verified_business_registry_at: dateTime,
  verified_evidence_of_good_standing_at: dateTime,
  verified_ownership_at: dateTime,
  ownership_threshold: integer(5, 25),
  has_material_intermediary_ownership: bool,
  // The provider's own list has had the fifth range both with and without its last digit.
  estimated_annual_revenue_usd: oneOf(
    'KycAnnualRevenue',
    `
    0_99999 100000_999999 1000000_9999999 10000000_49999999 50000000_249999999 50000000_24999999 250000000_plus`,
  ),
  expected_monthly_payments_usd: integerOrWord(0, 1_000_000_000_000, monthlyPayments),
  operates_in_prohibited_countries: bool,
  account_purpose: oneOf(
    'KycBusinessAccountPurpose',
    `
    charitable_donations ecommerce_retail_payments investment_purposes other payments_to_friends_or_family_abroad payroll
    personal_or_living_expenses protect_wealth purchase_goods_and_services receive_payments_for_goods_and_services
    tax_optimization third_party_money_transmission treasury_management`,
  ),
  account_purpose_other: longText,
  high_risk_activities: list(
    oneOf(
      'KycHighRiskActivity',
      `
    adult_entertainment gambling hold_client_funds investment_services lending_banking
    marijuana_or_related_services money_services nicotine_tobacco_or_related_services
    operate_foreign_exchange_virtual_currencies_brokerage_otc pharmaceuticals
    precious_metals_precious_stones_jewelry safe_deposit_box_rentals third_party_payment_processing
    weapons_firearms_and_explosives none_of_the_above`,
    ),
    20,
  ),
  high_risk_activities_explanation: longText,
  source_of_funds: oneOf(
    'KycBusinessSourceOfFunds',
    `
    business_loans grants inter_company_funds investment_proceeds legal_settlement owners_capital pension_retirement
    sale_of_assets sales_of_goods_and_services tax_refund third_party_funds treasury_reserves`,
  ),
  source_of_funds_description: longText,
  conducts_money_services: bool,
  conducts_money_services_using_bridge: bool,
  conducts_money_services_description: longText,
  compliance_screening_explanation: longText,
  regulated_activity: object(regulatedActivity, Object.keys(regulatedActivity), { title: 'KycRegulatedActivity' }),
  publicly_traded_listings: list(listing, 20),
  acting_as_intermediary: bool,
  associated_persons: associatedPersons,
  identifying_information: list(identification, 20),
  documents: documentsFor('KycBusinessDocument', businessDocumentPurposes),
}
