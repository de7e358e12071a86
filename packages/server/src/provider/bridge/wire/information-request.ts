// The provider's request for information (`rfi`). It quotes names and account numbers in `context`, and what it asks is free text:
// neither is read here, so neither can be stored, logged or sent on.

import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { isWritable } from '../../../platform/values/time.ts'
import { readList, readObject, requiredText, text, timeMs, webLink } from '../../http/fields.ts'
import type { ProviderInformationRequest } from '../../port.ts'

/** The category of its events. */
export const informationRequestCategory = 'rfi'

const states: ReadonlyMap<string | null, ProviderInformationRequest['state']> = new Map([
  ['on_developer', 'action_required'],
  ['on_bridge', 'in_review'],
  ['closed', 'closed'],
])

export function readInformationRequest(value: unknown): ProviderInformationRequest {
  const request = readObject(value)
  const referentType = word(request, 'referent_type')
  return {
    id: requiredText(request, 'information request', 'id'),
    state: states.get(text(request, 'state')) ?? null,
    customerId: text(request, 'customer_id'),
    referentType,
    depositId: referentType === 'deposit' ? text(request, 'referent_id') : null,
    deadline: timeOf(request, 'deadline'),
    actionTaken: word(request, 'bridge_action_taken'),
    actionAtDeadline: word(request, 'expected_action_on_expiry'),
    dashboardUrl: webLink(text(request, 'dashboard_url') ?? ''),
    openedAt: timeOf(request, 'created_at'),
    stateChangedAt: timeOf(request, 'state_changed_at'),
    closedAt: timeOf(request, 'closed_at'),
  }
}

/** Reads a page of requests. An item without an ID is passed over: nothing distinguishes it from another. */
export function readInformationRequests(body: unknown): ProviderInformationRequest[] {
  return readList(body)
    .filter((item) => text(item, 'id') !== null)
    .map(readInformationRequest)
}

/** Lists of words grow; anything else than a word may be about a person. */
function word(request: JsonObject, name: string): string | null {
  const value = text(request, name)
  return value !== null && /^[a-z0-9_.]{1,64}$/.test(value) ? value : null
}

function timeOf(request: JsonObject, name: string): Date | null {
  const ms = timeMs(text(request, name))
  const time = ms === null ? null : new Date(ms)
  return time !== null && isWritable(time) ? time : null
}

const envelopeNames = [
  ...['api_version', 'event_id', 'event_developer_id', 'event_sequence', 'event_category', 'event_type'],
  ...['event_object_id', 'event_object_status', 'event_created_at'],
]

const objectNames = [
  ...['id', 'state', 'customer_id', 'referent_type', 'referent_id', 'bridge_action_taken', 'expected_action_on_expiry'],
  ...['deadline', 'state_changed_at', 'closed_at', 'created_at'],
]

/**
 * Reduces an event about a request to its IDs, words and times: the link in it is for the operator, and the rest may be about
 * people.
 */
export function reducedBody(body: JsonObject): Buffer {
  const object = body['event_object']
  const reduced = {
    ...pick(body, envelopeNames),
    ...(isJsonObject(object) && { event_object: pick(object, objectNames) }),
  }
  return Buffer.from(JSON.stringify(reduced))
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  const known = new Set(names)
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => known.has(name) && isPlain(value)))
}

function isPlain(value: Json): boolean {
  return value === null || typeof value !== 'object'
}
