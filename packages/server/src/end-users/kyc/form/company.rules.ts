// What an update of a company is made of. The provider takes the whole company, or a part of the company that holds fewer
// properties and writes one amount otherwise; people are changed one by one, beside either.

import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import { businessFields } from './fields.rules.ts'
import { type Problem, words } from './form.rules.ts'

// The properties without which a company is not whole, beside its `type`.
const wholeCompanyFields = words(`
  business_legal_name business_trade_name business_description email business_type business_industry registered_address
  physical_address signed_agreement_id is_dao associated_persons identifying_information documents
  has_material_intermediary_ownership account_purpose source_of_funds`)

/** The properties that the provider takes of a company without the others. */
export const partialCompanyFields: ReadonlySet<string> = new Set(
  words(`
    endorsements registered_address physical_address account_purpose account_purpose_other expected_monthly_payments_usd
    estimated_annual_revenue_usd acting_as_intermediary source_of_funds source_of_funds_description conducts_money_services
    conducts_money_services_using_bridge conducts_money_services_description compliance_screening_explanation
    operates_in_prohibited_countries high_risk_activities high_risk_activities_explanation documents`),
)

// Properties of every submission that are no change by themselves. A customer who exists accepts terms at the provider.
const carried = words('type client_reference_id signed_agreement_id associated_persons')

type CompanyChange = { ok: true; body: JsonObject | null } | { ok: false; problems: Problem[] }

/**
 * Makes the body of an update: the whole company where the submission holds one, else the part that the submission names.
 * @returns `body: null` where only people are named; as problems the missing properties, where one is named that the provider
 *   takes with the whole company only
 */
export function companyChangeOf(submission: JsonObject): CompanyChange {
  const missing = missingFields(submission)
  if (missing.length === 0) return { ok: true, body: wholeCompany(submission) }
  const part = Object.fromEntries(Object.entries(submission).filter(([name]) => !carried.includes(name)))
  const named = Object.keys(part)
  const wholeOnly = named.filter((name) => Object.hasOwn(businessFields, name) && !partialCompanyFields.has(name))
  if (wholeOnly.length === 0) return { ok: true, body: named.length === 0 ? null : partialCompany(part) }
  const rule = `the provider takes ${wholeOnly.join(', ')} of a company only with the whole company`
  const code = 'missing_field'
  return { ok: false, problems: missing.map((param) => ({ param, code, message: `${param} is required: ${rule}.` })) }
}

export const isWholeCompany = (submission: JsonObject): boolean => missingFields(submission).length === 0

const missingFields = (submission: JsonObject) => wholeCompanyFields.filter((name) => !Object.hasOwn(submission, name))

/** Lists the associated persons of a submission. */
export function peopleOf(submission: JsonObject): JsonObject[] {
  const people = submission['associated_persons']
  return Array.isArray(people) ? people.filter(isJsonObject) : []
}

/** Makes the body of a whole company, of a creation as well. */
export function wholeCompany(submission: JsonObject): JsonObject {
  return { ...submission, type: 'business', ...revenue(submission, '50000000_249999999') }
}

function partialCompany(part: JsonObject): JsonObject {
  const payments = part['expected_monthly_payments_usd']
  return {
    ...part,
    ...(typeof payments === 'number' ? { expected_monthly_payments_usd: rangeOf(payments) } : {}),
    ...revenue(part, '50000000_24999999'),
  }
}

function rangeOf(payments: number): string {
  if (payments < 5_000) return '0_4999'
  if (payments < 10_000) return '5000_9999'
  return payments < 50_000 ? '10000_49999' : '50000_plus'
}

/** The provider writes one range with all of its digits for a whole company, and without the last for a part of one. */
function revenue({ estimated_annual_revenue_usd: given }: JsonObject, spelling: string): JsonObject {
  return String(given).startsWith('50000000_') ? { estimated_annual_revenue_usd: spelling } : {}
}
