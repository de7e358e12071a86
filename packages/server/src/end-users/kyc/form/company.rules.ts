// What an update of a company is made of. The provider takes the whole company, or a part of it that holds fewer properties
// and names one amount otherwise; people are changed one by one, beside either.

import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import { businessFields } from './business.rules.ts'
import type { Problem } from './form.rules.ts'

/** The properties without which there is no whole company, beside its `type`. */
export const wholeCompanyFields = [
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

/** What the provider takes of a company without the rest of it. */
export const partialCompanyFields: ReadonlySet<string> = new Set([
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
])

// Of every submission, and no change by themselves. Terms of a customer who exists are accepted at the provider.
const carried: ReadonlySet<string> = new Set([
  'type',
  'client_reference_id',
  'signed_agreement_id',
  'associated_persons',
])

export type CompanyChange = { ok: true; body: JsonObject | null } | { ok: false; problems: Problem[] }

/**
 * The whole company where the submission holds one, else the part that it names; `null` where only people are named.
 * @returns the missing properties where something is named that only a whole company can hold
 */
export function companyChangeOf(submission: JsonObject): CompanyChange {
  const missing = missingFields(submission)
  if (missing.length === 0) return { ok: true, body: wholeCompany(submission) }
  const named = Object.keys(submission).filter((name) => !carried.has(name))
  const wholeOnly = named.filter((name) => Object.hasOwn(businessFields, name) && !partialCompanyFields.has(name))
  if (wholeOnly.length > 0) return { ok: false, problems: missing.map((name) => missingBeside(name, wholeOnly)) }
  if (named.length === 0) return { ok: true, body: null }
  const part = Object.fromEntries(Object.entries(submission).filter(([name]) => named.includes(name)))
  return { ok: true, body: partialCompany(part) }
}

export const isWholeCompany = (submission: JsonObject): boolean => missingFields(submission).length === 0

const missingFields = (submission: JsonObject) => wholeCompanyFields.filter((name) => !Object.hasOwn(submission, name))

export function peopleOf(submission: JsonObject): JsonObject[] {
  const people = submission['associated_persons']
  return Array.isArray(people) ? people.filter(isJsonObject) : []
}

function missingBeside(name: string, wholeOnly: readonly string[]): Problem {
  const message = `${name} is required: the provider takes ${wholeOnly.join(', ')} of a company only with the whole company.`
  return { param: name, code: 'missing_field', message }
}

/** The form of a company in which it is created, too. */
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
