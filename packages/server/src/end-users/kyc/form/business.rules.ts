// The form of a business in the KYC body.
import {
  bool,
  country,
  email,
  type Fields,
  integer,
  integerOrWord,
  list,
  object,
  oneOf,
  phone,
  text,
} from './form.rules.ts'
import {
  address,
  associatedPersons,
  customerFields,
  documentsFor,
  identifyingInformation,
  longText,
} from './person.rules.ts'
import {
  annualRevenues,
  businessAccountPurposes,
  businessDocumentPurposes,
  businessSourcesOfFunds,
  businessTypes,
  highRiskActivities,
  monthlyPayments,
} from './vocabulary.rules.ts'

const regulatedActivity = object(
  {
    regulated_activities_description: longText,
    primary_regulatory_authority_country: country,
    primary_regulatory_authority_name: longText,
    license_number: longText,
  },
  [
    'regulated_activities_description',
    'primary_regulatory_authority_country',
    'primary_regulatory_authority_name',
    'license_number',
  ],
)

const listing = object({ market_identifier_code: text(1, 64), stock_number: text(1, 64), ticker: text(1, 64) })

export const businessFields: Fields = {
  ...customerFields,
  business_legal_name: longText,
  transliterated_business_legal_name: longText,
  business_trade_name: longText,
  transliterated_business_trade_name: longText,
  business_description: longText,
  business_type: oneOf(businessTypes),
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
  estimated_annual_revenue_usd: oneOf(annualRevenues),
  expected_monthly_payments_usd: integerOrWord(0, 1_000_000_000_000, monthlyPayments),
  operates_in_prohibited_countries: bool,
  account_purpose: oneOf(businessAccountPurposes),
  account_purpose_other: longText,
  high_risk_activities: list(oneOf(highRiskActivities), 20),
  high_risk_activities_explanation: longText,
  source_of_funds: oneOf(businessSourcesOfFunds),
  source_of_funds_description: longText,
  conducts_money_services: bool,
  conducts_money_services_using_bridge: bool,
  conducts_money_services_description: longText,
  compliance_screening_explanation: longText,
  regulated_activity: regulatedActivity,
  publicly_traded_listings: list(listing, 20),
  acting_as_intermediary: bool,
  associated_persons: associatedPersons,
  identifying_information: identifyingInformation,
  documents: documentsFor(businessDocumentPurposes),
}
