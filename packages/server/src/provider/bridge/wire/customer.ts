// Reads the provider's customer with its endorsements, and its link to the hosted KYC page, into domain terms.

import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import {
  items,
  member,
  readList,
  readObject,
  requiredText,
  strings,
  text,
  timeMs,
  unique,
  webLink,
} from '../../http/fields.ts'
import type { ProviderCustomer, ProviderEndorsement, ProviderKycLink, ProviderRequirements } from './types.ts'

// Deeper than any documented nesting (2); keeps a hostile response from exhausting the stack.
const nestingMax = 16

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
    createdAtMs: timeMs(text(customer, 'created_at')),
    updatedAtMs: timeMs(text(customer, 'updated_at')),
  }
}

/** Only customers with this address: a provider that ignores the filter must not return someone else's customer. */
export function readCustomersOfEmail(value: unknown, email: string): ProviderCustomer[] {
  const wanted = email.toLowerCase()
  return readList(value)
    .filter((customer) => (text(customer, 'email') ?? wanted).toLowerCase() === wanted)
    .map(readCustomer)
}

export function readKycLink(value: unknown): ProviderKycLink {
  const link = readObject(value)
  return {
    id: requiredText(link, 'kyc link', 'id'),
    customerId: text(link, 'customer_id'),
    kycLink: webLink(text(link, 'kyc_link') ?? ''),
    tosLink: webLink(text(link, 'tos_link') ?? ''),
    kycStatus: requiredText(link, 'kyc link', 'kyc_status'),
    tosStatus: requiredText(link, 'kyc link', 'tos_status'),
    rejectionReasons: rejectionReasons(link),
  }
}

/** Reasons that may be shown; `developer_reason` may not. */
function rejectionReasons(holder: JsonObject): string[] {
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
  // Older responses have no `requirements`, only a list of missing items.
  const missing = isJsonObject(value['requirements']) ? requirements['missing'] : value['additional_requirements']
  const open = openItems({ ...requirements, missing: missing ?? null })
  const people = unique(Object.values(open).flatMap((list) => list.flatMap(({ person }) => person ?? [])))
  return [
    {
      name,
      status,
      complete: unique(namesWithin(requirements['complete'] ?? null).map((item) => item.name)),
      ...listsOf(open, (person) => person === null),
      people: people.map((id) => ({ id, ...listsOf(open, (person) => person === id) })),
      future: items(value['future_requirements']).filter(isJsonObject).flatMap(futureRequirements),
    },
  ]
}

/** A stage that is complete, or does not apply, has no requirements. */
function futureRequirements(value: JsonObject): ProviderEndorsement['future'] {
  const lists = listsOf(openItems(value), () => true)
  const isEmpty = Object.values(lists).every((list) => list.length === 0)
  return isEmpty ? [] : [{ effectiveDate: text(value, 'effective_date'), ...lists }]
}

/** `person`: the provider's ID of the person of a company; null for the customer itself. */
type Named = { name: string; person: string | null }
type Issue = { requirement: string; code: string; person: string | null }
type OpenItems = ReturnType<typeof openItems>

function openItems(requirements: JsonObject) {
  return {
    pending: namesWithin(requirements['pending'] ?? null),
    missing: namesWithin(requirements['missing'] ?? null),
    issues: issuesWithin(requirements['issues'] ?? null),
  }
}

/** Lists open requirements of the customer, if `person` is null, or of a person of a company. */
function listsOf(
  { pending, missing, issues }: OpenItems,
  isAsked: (person: string | null) => boolean,
): ProviderRequirements {
  const names = (list: Named[]) => unique(list.filter(({ person }) => isAsked(person)).map(({ name }) => name))
  return {
    pending: names(pending),
    missing: names(missing),
    issues: issues.filter(({ person }) => isAsked(person)).map(({ requirement, code }) => ({ requirement, code })),
  }
}

/**
 * Every requirement at any depth: `"a"`, `["a"]`, `{all_of: ["a", {any_of: ["b"]}]}`, `{associated_person: id, items:
 * ["a"]}`. A string under any other key is a label.
 */
function namesWithin(value: Json, person: string | null = null, depth = nestingMax): Named[] {
  if (depth === 0) return []
  if (typeof value === 'string') return strings(value).map((name) => ({ name, person }))
  if (Array.isArray(value)) return value.flatMap((entry) => namesWithin(entry, person, depth - 1))
  if (!isJsonObject(value)) return []
  const whose = text(value, 'associated_person') ?? person
  return Object.entries(value).flatMap(([key, entry]) =>
    typeof entry === 'string' && !groups.has(key) ? [] : namesWithin(entry, whose, depth - 1),
  )
}

const groups: ReadonlySet<string> = new Set(['all_of', 'any_of', 'items'])

/** `"code"`, `{requirement: "code"}`, a list of either, or `{associated_person: id, items: [either]}`. */
function issuesWithin(value: Json, person: string | null = null, depth = nestingMax): Issue[] {
  if (depth === 0) return []
  if (typeof value === 'string') return value === '' ? [] : [{ requirement: value, code: value, person }]
  if (Array.isArray(value)) return value.flatMap((entry) => issuesWithin(entry, person, depth - 1))
  if (!isJsonObject(value)) return []
  const whose = text(value, 'associated_person') ?? person
  return Object.entries(value).flatMap(([requirement, code]) => {
    if (requirement === 'associated_person') return []
    if (groups.has(requirement)) return issuesWithin(code, whose, depth - 1)
    return strings(code).map((each) => ({ requirement, code: each, person: whose }))
  })
}
