// Provider events: validated, stored before they are acknowledged, assigned to their owner, and queued for forwarding.
// apply.ts applies them.

import type { IncomingHttpHeaders } from 'node:http'
import { type ErrorCode, fail } from '../../platform/errors.ts'
import { eventsRefused } from '../../platform/observe/metrics.ts'
import { makeEventId } from '../../platform/values/ids.ts'
import { isJsonObject, isNestedDeeper } from '../../platform/values/json.ts'
import type { Events, Member } from '../../provider/port.ts'
import { storedBody } from '../bodies.ts'
import type { IncomingEvent, IngestOutcome } from './ingest.store.ts'
import type { Ingests } from './ports.ts'

const acknowledgements = {
  queued: 'Event received and queued for forwarding.',
  duplicate: 'Event received before; not queued again.',
  noEndpoint: 'Event received; no webhook URL is configured for its owner.',
  noOwner: 'Event received; its owner is not known yet. It is forwarded once it is.',
} as const satisfies Record<IngestOutcome, string>

type ProviderTrust = IncomingEvent['trust']

/**
 * Ingests one event that the provider sent. An acknowledged event is committed.
 * @param rawBody the original bytes, which are signed and forwarded
 * @throws ApiError as `ingestEvent`, and `webhook_signature_missing`, `webhook_signature_invalid`,
 * `webhook_signature_stale`
 */
export async function receiveProviderEvent(deps: Ingests, rawBody: Buffer, headers: IncomingHttpHeaders) {
  const trust = await trustOf(deps, rawBody, headers)
  const { providerEventId, outcome } = await ingestEvent(deps, { rawBody, trust })
  return { received: true, event_id: providerEventId, message: acknowledgements[outcome] }
}

/**
 * Ingests an event whose trust is known.
 * @throws ApiError `invalid_json`, `json_too_deep`, `body_required`, `missing_field`, `invalid_type`, `invalid_length`,
 *   `invalid_value`, `database_unavailable`
 */
export async function ingestEvent(deps: Ingests, { rawBody, trust }: { rawBody: Buffer; trust: ProviderTrust }) {
  const { events } = deps.provider
  const { json, providerEventId, type } = parseEvent(events, rawBody)
  const read = events.read(json)
  const { hints, isAboutPeople } = read
  const id = makeEventId(deps.now(), deps.randomBytes(10))
  const body = storedBody(deps, { id, isAboutPeople, body: events.forwarded(read, json, rawBody) })
  const hasEffects = deps.eventHandlerOf(read) !== null
  const outcome = await deps.groupCommit.commit({ id, providerEventId, trust, type, body, hints, hasEffects })
  return { providerEventId, outcome }
}

async function trustOf(deps: Ingests, rawBody: Buffer, headers: IncomingHttpHeaders): Promise<ProviderTrust> {
  const verdict = await deps.verifyEvent(rawBody, headers)
  switch (verdict) {
    case 'verified':
      return 'verified'
    case 'absent':
      if (deps.config.providerWebhookSignature === 'required') throw refusal('missing')
      return 'unverified'
    case 'stale':
      throw refusal('stale')
    default:
      throw refusal('invalid')
  }
}

export type ChecksHeaders = Pick<Ingests, 'config' | 'now' | 'provider'>

/**
 * Rejects a header that cannot match any body.
 * @throws ApiError `webhook_signature_missing`, `webhook_signature_invalid`, `webhook_signature_stale`
 */
export function requireFreshHeader({ config, now, provider }: ChecksHeaders, headers: IncomingHttpHeaders): void {
  const verdict = provider.events.judge(headers, now())
  if (verdict === 'stale') throw refusal('stale')
  if (verdict === 'malformed') throw refusal('invalid')
  if (verdict === 'absent' && config.providerWebhookSignature === 'required') throw refusal('missing')
}

function refusal(reason: 'missing' | 'invalid' | 'stale') {
  eventsRefused.inc({ reason })
  return fail(`webhook_signature_${reason}`)
}

// Broken UTF-8 would be read back as different text than the signed text.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseEvent(events: Events, rawBody: Buffer) {
  let json: unknown
  try {
    json = JSON.parse(strictUtf8.decode(rawBody))
  } catch {
    throw fail('invalid_json')
  }
  if (!isJsonObject(json)) throw fail('body_required')
  // A deeply nested body is cheap to parse, but not to show in a list.
  if (isNestedDeeper(json, eventDepthMax)) throw fail('json_too_deep')
  const { id, type } = events.envelope(json)
  return { providerEventId: requiredText(id), type: requiredText(type), json }
}

const eventDepthMax = 32
const eventNameCharsMax = 256

function requiredText({ name: param, value }: Member): string {
  const refuse = (code: ErrorCode, rule: string) => {
    const message = `${param} ${rule}.`
    return fail(code, { message, details: [{ param, code, message }] })
  }
  if (value === undefined) throw refuse('missing_field', 'is required')
  if (typeof value !== 'string') throw refuse('invalid_type', 'must be a string')
  if (value.length === 0 || value.length > eventNameCharsMax)
    throw refuse('invalid_length', `must have 1 to ${eventNameCharsMax} characters`)
  // A text column cannot store these characters, and would return a different name.
  if (!value.isWellFormed() || value.includes('\0'))
    throw refuse('invalid_value', 'must be Unicode text without U+0000')
  return value
}
