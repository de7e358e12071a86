// What a create or update of a customer may contain, individual and business. Form only: whether it is enough is for
// the endorsements to say.
import {
  all,
  boolean,
  integer,
  type JsonObject,
  join,
  list,
  object,
  oneOf,
  parse,
  type Rule,
  type Shape,
  text,
  timestampText,
} from '../../platform/fields.ts'
import { type CustomerType, customerTypes, endorsementNames } from '../rows.ts'
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
} from './person-form.ts'
import {
  annualRevenueRanges,
  businessAccountPurposes,
  businessDocumentPurposes,
  businessFundSources,
  businessTypes,
  employmentStatuses,
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
      first_name: line,
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
  latinWhereNeeded,
  (value, path, problems) => {
    const given = value as JsonObject
    if (given?.['has_control'] !== true || given['title']) return
    problems[join(path, 'title')] ??= 'is required with has_control'
  },
)

const businessFields: Shape = {
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
}

/** What the document requires of a company at its creation, and of the body that gives the whole of it again. */
const businessRequired = [
  'type',
  'business_legal_name',
  'business_trade_name',
  'business_description',
  'email',
  'business_type',
  'business_industry',
  'registered_address',
  'physical_address',
  'signed_agreement_id',
  'is_dao',
  'associated_persons',
  'identifying_information',
  'documents',
  'has_material_intermediary_ownership',
  'account_purpose',
  'source_of_funds',
]

const wholeBusiness: Rule = object(businessFields, businessRequired)

/** The fields that a company's body without `type` may change. */
const partialFields = [
  'client_reference_id',
  'endorsements',
  'registered_address',
  'physical_address',
  'account_purpose',
  'account_purpose_other',
  'expected_monthly_payments_usd',
  'estimated_annual_revenue_usd',
  'acting_as_intermediary',
  'source_of_funds',
  'source_of_funds_description',
  'conducts_money_services',
  'conducts_money_services_using_bridge',
  'conducts_money_services_description',
  'compliance_screening_explanation',
  'operates_in_prohibited_countries',
  'high_risk_activities',
  'high_risk_activities_explanation',
  'documents',
]

const notSupported: Rule = (_, path, problems) => {
  problems[path] ??= 'Not supported without type'
}

const partialBusiness: Rule = object({
  ...Object.fromEntries(
    Object.entries(businessFields).map(([name, rule]) => [name, partialFields.includes(name) ? rule : notSupported]),
  ),
  // A range here, where the whole body has an integer.
  expected_monthly_payments_usd: oneOf(monthlyPaymentRanges),
})

const forms: Record<CustomerType, Rule> = { individual, business: wholeBusiness }

const typed = object({ type: oneOf(customerTypes) }, ['type'])

/** Checks the body of POST /customers: of a person `type` alone is required. */
export const parseNewCustomer = (body: unknown): { type: CustomerType; given: JsonObject } => {
  const type = parse(typed, body)['type'] === 'business' ? 'business' : 'individual'
  return { type, given: parse(forms[type], body) }
}

/** Checks the body of PUT /customers/{id}: a company's is the whole of it with `type`, and part of it without. */
export const parseCustomerUpdate = (type: CustomerType, body: unknown): JsonObject => {
  const named = parse(object({ type: oneOf([type]) }), body)['type']
  return parse(type === 'business' && named !== 'business' ? partialBusiness : forms[type], body)
}

/** Checks the whole of a person behind a business. */
export const parsePerson = (body: unknown): JsonObject => parse(associatedPerson, body)
