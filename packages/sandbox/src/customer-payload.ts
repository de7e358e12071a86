// What a create or update of a customer may contain, individual and business. Form only: whether it is enough is for
// the endorsements to say.
import {
  all,
  boolean,
  integer,
  type JsonObject,
  list,
  object,
  oneOf,
  parse,
  type Rule,
  text,
  timestampText,
} from './fields.ts'
import { dataUri } from './images.ts'
import {
  address,
  addressForm,
  country,
  documents,
  email,
  identification,
  latinWhereNeeded,
  line,
  person,
  selfie,
} from './person-fields.ts'
import {
  annualRevenueRanges,
  businessAccountPurposes,
  businessDocumentPurposes,
  businessFundSources,
  businessTypes,
  type CustomerType,
  customerTypes,
  employmentStatuses,
  endorsementNames,
  highRiskActivities,
  individualAccountPurposes,
  individualFundSources,
  monthlyPaymentRanges,
} from './vocabulary.ts'

const common = {
  type: oneOf(customerTypes),
  signed_agreement_id: line,
  endorsements: list(oneOf(endorsementNames)),
  acting_as_intermediary: boolean,
  account_purpose_other: line,
  client_reference_id: text(1, 256),
}

const individual: Rule = all(
  object({
    ...person,
    ...common,
    account_purpose: oneOf(individualAccountPurposes),
    employment_status: oneOf(employmentStatuses),
    expected_monthly_payments_usd: oneOf(monthlyPaymentRanges),
    most_recent_occupation: line,
    source_of_funds: oneOf(individualFundSources),
    nationality: country,
    nationalities: list(country),
    place_of_birth: object({ country, city: line }, ['country', 'city']),
    liveness_check_selfies: list(object({ image: dataUri(selfie) }, ['image'])),
  }),
  latinWhereNeeded,
)

const associatedPerson: Rule = all(
  object(
    {
      ...person,
      has_ownership: boolean,
      has_control: boolean,
      is_signer: boolean,
      is_director: boolean,
      title: line,
      ownership_percentage: integer(0, 100),
      attested_ownership_structure_at: timestampText,
      relationship_established_at: text(10, 40),
    },
    [
      'first_name',
      'last_name',
      'email',
      'residential_address',
      'identifying_information',
      'birth_date',
      'has_ownership',
      'has_control',
      'is_signer',
    ],
  ),
  (value, path, problems) => {
    const given = value as JsonObject
    if (given?.['has_control'] === true && !given['title']) problems[`${path}.title`] ??= 'is required with has_control'
  },
)

const business: Rule = object({
  ...common,
  business_legal_name: line,
  transliterated_business_legal_name: line,
  business_trade_name: line,
  transliterated_business_trade_name: line,
  business_description: line,
  email,
  business_type: oneOf(businessTypes),
  primary_website: line,
  other_websites: list(line),
  registered_address: address,
  transliterated_registered_address: addressForm,
  physical_address: address,
  transliterated_physical_address: addressForm,
  is_dao: boolean,
  compliance_screening_explanation: line,
  associated_persons: list(associatedPerson),
  business_industry: list(line),
  publicly_traded_listings: list(
    object({ market_identifier_code: line, stock_number: line, ticker: line }, [
      'market_identifier_code',
      'stock_number',
      'ticker',
    ]),
  ),
  ownership_threshold: integer(5, 25),
  has_material_intermediary_ownership: boolean,
  estimated_annual_revenue_usd: oneOf(annualRevenueRanges),
  expected_monthly_payments_usd: integer(0, Number.MAX_SAFE_INTEGER),
  operates_in_prohibited_countries: boolean,
  account_purpose: oneOf(businessAccountPurposes),
  high_risk_activities: list(oneOf(highRiskActivities)),
  high_risk_activities_explanation: line,
  source_of_funds: oneOf(businessFundSources),
  source_of_funds_description: line,
  conducts_money_services: boolean,
  conducts_money_services_using_bridge: boolean,
  conducts_money_services_description: line,
  identifying_information: list(identification),
  documents: documents(businessDocumentPurposes),
  regulated_activity: object(
    {
      regulated_activities_description: line,
      primary_regulatory_authority_country: country,
      primary_regulatory_authority_name: line,
      license_number: line,
    },
    [
      'regulated_activities_description',
      'primary_regulatory_authority_country',
      'primary_regulatory_authority_name',
      'license_number',
    ],
  ),
})

const forms: Record<CustomerType, Rule> = { individual, business }

const typed = object({ type: oneOf(customerTypes) }, ['type'])

/** Checks the body of POST /customers, where `type` alone is required. */
export const parseNewCustomer = (body: unknown): { type: CustomerType; given: JsonObject } => {
  const type = parse(typed, body)['type'] === 'business' ? 'business' : 'individual'
  return { type, given: parse(forms[type], body) }
}

/** Checks the body of PUT /customers/{id} of a customer of this type. */
export const parseCustomerUpdate = (type: CustomerType, body: unknown): JsonObject => parse(forms[type], body)
