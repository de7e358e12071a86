// The body of a submission at Bridge. Its newer form takes any part of a company under its `type`. The older form takes
// a part without `type`, has fewer properties, and writes two amounts differently. People are changed one by one.

import type { JsonObject } from '../../platform/values/json.ts'
import { words } from '../../platform/values/words.ts'
import type { Submission } from '../port.ts'

/** Builds the body of a creation. */
export function creationOf(submission: Submission): JsonObject {
  const body = bodyOf(submission)
  return body['type'] === 'business' ? wholeCompany(body) : body
}

export function bodyOf({ body, agreement, reference }: Submission): JsonObject {
  const terms = agreement === null ? {} : { signed_agreement_id: agreement }
  return { ...body, ...terms, client_reference_id: reference }
}

// The properties that make a company complete, besides its `type`.
const wholeCompanyFields = words(`
  business_legal_name business_trade_name business_description email business_type business_industry registered_address
  physical_address signed_agreement_id is_dao associated_persons identifying_information documents
  has_material_intermediary_ownership account_purpose source_of_funds`)

/** Company properties that the older form takes without the others. */
export const partialCompanyFields: ReadonlySet<string> = new Set(
  words(`
    endorsements registered_address physical_address account_purpose account_purpose_other expected_monthly_payments_usd
    estimated_annual_revenue_usd acting_as_intermediary source_of_funds source_of_funds_description conducts_money_services
    conducts_money_services_using_bridge conducts_money_services_description compliance_screening_explanation
    operates_in_prohibited_countries high_risk_activities high_risk_activities_explanation documents`),
)

// Properties of every submission that are not a change of the company.
const carried = words('type client_reference_id signed_agreement_id associated_persons')

/**
 * Builds the body of an update: the whole company if the submission is complete, else the part that the submission
 * names.
 * @param isNewAgreement whether the provider does not have the submission's agreement yet
 * @returns null if only people are named
 */
export function companyChangeOf(submission: JsonObject, isNewAgreement: boolean): JsonObject | null {
  if (wholeCompanyFields.every((name) => Object.hasOwn(submission, name))) return wholeCompany(submission)
  const isSent = (name: string) => !carried.includes(name) || (name === 'signed_agreement_id' && isNewAgreement)
  const part = Object.entries(submission).filter(([name]) => isSent(name))
  return part.length === 0 ? null : wholeCompany(Object.fromEntries(part))
}

/**
 * Builds the update in the older form, for an account that refuses the newer one.
 * @param refused the fields that the refusal names
 * @returns null if the refusal is about something else, or the older form cannot hold the change; an empty body if it
 * holds only an agreement, which an existing company then accepts at the provider
 */
export function olderChangeOf(change: JsonObject, refused: readonly string[]): JsonObject | null {
  const isOfForm = (name: string) =>
    name === 'expected_monthly_payments_usd' || (wholeCompanyFields.includes(name) && !Object.hasOwn(change, name))
  const { type: _, signed_agreement_id: __, ...part } = change
  if (!refused.some(isOfForm) || !Object.keys(part).every((name) => partialCompanyFields.has(name))) return null
  const payments = part['expected_monthly_payments_usd']
  return {
    ...part,
    ...(typeof payments === 'number' ? { expected_monthly_payments_usd: rangeOf(payments) } : {}),
    ...revenue(part, '50000000_24999999'),
  }
}

/** Builds the body of a company with its `type`, also for a creation. */
export function wholeCompany(submission: JsonObject): JsonObject {
  return { ...submission, type: 'business', ...revenue(submission, '50000000_249999999') }
}

function rangeOf(payments: number): string {
  if (payments < 5_000) return '0_4999'
  if (payments < 10_000) return '5000_9999'
  return payments < 50_000 ? '10000_49999' : '50000_plus'
}

/**
 * The provider spells one range with all of its digits under a `type`, and without the last digit in the older form.
 */
function revenue({ estimated_annual_revenue_usd: given }: JsonObject, spelling: string): JsonObject {
  return String(given).startsWith('50000000_') ? { estimated_annual_revenue_usd: spelling } : {}
}
