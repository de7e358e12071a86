// The body of creating or updating a customer, individual and business: which fields it may have, and their form. Which
// data an endorsement needs is in requirements.ts.
import {
  boolean,
  day,
  fullObject,
  integer,
  list,
  object,
  oneOf,
  parse,
  type Rule,
  text,
  timestampText,
  type ValueOf,
} from '../../../platform/fields.ts'
import { type CustomerType, customerTypes, endorsementNames } from '../rows.ts'
import { associatedPerson } from './associated-person.ts'
import { dataUri } from './images.ts'
import {
  address,
  birthPlace,
  country,
  documents,
  email,
  identification,
  latinAddress,
  latinLine,
  line,
  person,
  personalLatinForms,
  selfie,
  withLatinForms,
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
  has_accepted_terms_of_service: boolean,
  endorsements: list(oneOf(endorsementNames)),
  acting_as_intermediary: boolean,
  account_purpose_other: line,
  client_reference_id: text(1, 256),
}

const individual = withLatinForms(
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
    place_of_birth: birthPlace,
    liveness_check_selfies: list(fullObject({ image: dataUri(selfie) })),
  }),
  personalLatinForms,
)

const businessFields = {
  ...common,
  business_legal_name: line,
  transliterated_business_legal_name: latinLine,
  business_trade_name: line,
  transliterated_business_trade_name: latinLine,
  business_description: line,
  email,
  business_type: oneOf(businessTypes),
  primary_website: line,
  other_websites: list(line),
  registered_address: address,
  transliterated_registered_address: latinAddress,
  physical_address: address,
  transliterated_physical_address: latinAddress,
  is_dao: boolean,
  phone: line,
  incorporation_date: day,
  has_foreign_tax_registration: boolean,
  verified_business_formation_at: timestampText,
  verified_business_registry_at: timestampText,
  verified_evidence_of_good_standing_at: timestampText,
  verified_ownership_at: timestampText,
  compliance_screening_explanation: line,
  associated_persons: list(associatedPerson),
  business_industry: list(line),
  publicly_traded_listings: list(fullObject({ market_identifier_code: line, stock_number: line, ticker: line })),
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
  regulated_activity: fullObject({
    regulated_activities_description: line,
    primary_regulatory_authority_country: country,
    primary_regulatory_authority_name: line,
    license_number: line,
  }),
}

/** The fields that the provider's document of 2025 requires of a business, at its creation and in an update with `type`. */
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
] as const

const businessLatinForms = ['business_legal_name', 'business_trade_name', 'registered_address', 'physical_address']
const wholeBusiness = withLatinForms(object(businessFields, businessRequired), businessLatinForms)
/** The document of 2026 requires none of them. */
const anyBusiness = withLatinForms(object(businessFields), businessLatinForms)

/** The fields that an update of a business without `type` may change. */
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

const notSupported: Rule<unknown> = (_, path, problems) => {
  problems[path] ??= 'Not supported without type'
}

const partialBusiness = object({
  ...Object.fromEntries(
    Object.entries(businessFields).map(([name, rule]) => [name, partialFields.includes(name) ? rule : notSupported]),
  ),
  // The provider's document has a range here, and an integer in the whole body.
  expected_monthly_payments_usd: oneOf(monthlyPaymentRanges),
})

type Individual = ValueOf<typeof individual>
type Business = ValueOf<typeof wholeBusiness>

/** A body of either type of customer, of which the rules have judged which fields may be missing. */
export type CustomerForm = Loose<
  Omit<Individual & Business, 'expected_monthly_payments_usd'> & { expected_monthly_payments_usd: string | number }
>
type Loose<Form> = { [Field in keyof Form]?: Form[Field] | undefined }

const formOf = (type: CustomerType, isWhole: boolean): Rule<CustomerForm> =>
  type === 'individual' ? individual : isWhole ? wholeBusiness : anyBusiness

const typed = fullObject({ type: oneOf(customerTypes) })

/**
 * Reads the body of POST /customers. Only `type` is required.
 * @param isWhole whether a business must be whole, as in the document of 2025
 * @throws Refusal `invalid_parameters`
 */
export const parseNewCustomer = (body: unknown, isWhole: boolean): { type: CustomerType; given: CustomerForm } => {
  const { type } = parse(typed, body)
  return { type, given: parse(formOf(type, isWhole), body) }
}

/**
 * Reads the body of PUT /customers/{id}. Without `type` the body of a business is a part in the form of 2025.
 * @param isWhole whether a business with `type` must be whole, as in the document of 2025
 * @throws Refusal `invalid_parameters`
 */
export const parseCustomerUpdate = (type: CustomerType, body: unknown, isWhole: boolean): CustomerForm => {
  const { type: named } = parse(object({ type: oneOf([type]) }), body)
  return parse<CustomerForm>(
    type === 'business' && named !== 'business' ? partialBusiness : formOf(type, isWhole),
    body,
  )
}
