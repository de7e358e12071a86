// The provider's customer and its endorsements, read into domain words.

import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts'
import type { ProviderCustomer, ProviderEndorsement } from '../domain/kyc.ts'
import { items, member, readList, readObject, requiredText, strings, text, timeMs, unique } from './wire-fields.ts'

// Deeper than any documented nesting (2); keeps a hostile answer from exhausting the stack.
const NESTING_MAX = 16

export function readCustomer(value: unknown): ProviderCustomer {
  const customer = readObject(value)
  return {
    id: requiredText(customer, 'customer', 'id'),
    status: requiredText(customer, 'customer', 'status'),
    type: text(customer, 'type'),
    hasAcceptedTos: customer['has_accepted_terms_of_service'] === true,
    endorsements: items(customer['endorsements']).filter(isJsonObject).flatMap(endorsement),
    rejectionReasons: rejectionReasons(customer),
    clientReferenceId: text(customer, 'client_reference_id'),
    updatedAtMs: timeMs(text(customer, 'updated_at')),
  }
}

/** Only customers of that address: a provider that overlooks the filter must not hand us someone else's customer. */
export function readCustomersOfEmail(value: unknown, email: string): ProviderCustomer[] {
  const wanted = email.toLowerCase()
  return readList(value)
    .filter((customer) => (text(customer, 'email') ?? wanted).toLowerCase() === wanted)
    .map(readCustomer)
}

/** What may be shown; `developer_reason` may not. */
export function rejectionReasons(holder: JsonObject): string[] {
  const reasons = items(holder['rejection_reasons'])
    .filter(isJsonObject)
    .map((entry) => text(entry, 'reason'))
  return unique(reasons.filter((reason) => reason !== null))
}

function endorsement(value: JsonObject): ProviderEndorsement[] {
  const name = text(value, 'name')
  const status = text(value, 'status')
  if (name === null || status === null) return []
  const requirements = member(value, 'requirements')
  // Older answers hold no `requirements`, only a bare list of what is still needed.
  const missing = isJsonObject(value['requirements']) ? requirements['missing'] : value['additional_requirements']
  return [
    {
      name,
      status,
      complete: requirementNames(requirements['complete']),
      pending: requirementNames(requirements['pending']),
      missing: requirementNames(missing),
      issues: items(requirements['issues']).flatMap((issue) => issuesOf(issue)),
    },
  ]
}

/**
 * Every requirement named at any depth: `"a"`, `{all_of: ["a", {any_of: ["b"]}]}`, `{associated_person: id, items: ["a"]}`.
 * Names are the strings inside lists; a string directly under a key is a label such as the person's id.
 */
function requirementNames(value: Json | undefined): string[] {
  return unique(namesWithin(value ?? null, NESTING_MAX))
}

function namesWithin(value: Json, depth: number): string[] {
  if (depth === 0) return []
  if (Array.isArray(value))
    return value.flatMap((entry) => (typeof entry === 'string' ? strings(entry) : namesWithin(entry, depth - 1)))
  if (isJsonObject(value)) return Object.values(value).flatMap((entry) => namesWithin(entry, depth - 1))
  return []
}

/** `"code"`, `{requirement: "code"}` or, for businesses, `{associated_person: id, items: [either]}`. */
function issuesOf(issue: Json, depth = NESTING_MAX): { requirement: string; code: string }[] {
  if (depth === 0) return []
  if (typeof issue === 'string') return issue === '' ? [] : [{ requirement: issue, code: issue }]
  if (!isJsonObject(issue)) return []
  return Object.entries(issue).flatMap(([requirement, code]) => {
    if (requirement === 'associated_person') return []
    if (requirement === 'items') return items(code).flatMap((entry) => issuesOf(entry, depth - 1))
    return strings(code).map((each) => ({ requirement, code: each }))
  })
}
