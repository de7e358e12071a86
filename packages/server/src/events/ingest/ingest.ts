// Events of the provider: stored before they are acknowledged, given to their owner, queued for forwarding. What they do
// to our state, and what becomes of those without an owner, stands in event-effects.ts.

import type { Deps } from '../../app/context.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { makeEventId } from '../../platform/values/ids.ts'
import { isJsonObject, isNestedDeeper, type JsonObject } from '../../platform/values/json.ts'
import { storedBody } from '../bodies.ts'
import { hasEffects } from './apply.ts'
import type { IntakeOutcome } from './ingest.store.ts'

export const acknowledgements = {
  queued: 'Event received and queued for forwarding.',
  duplicate: 'Event received before; nothing was queued again.',
  noEndpoint: 'Event received; no webhook URL is configured for its owner.',
  noOwner: 'Event received; its owner is not known yet. It is forwarded once it is.',
} as const

export type Acknowledgement = { received: true; event_id: string; message: string }

/**
 * Takes in one event. What is acknowledged is committed.
 * @param rawBody the bytes as they came: they are what is signed and what is forwarded
 * @throws ApiError `invalid_json`, `json_too_deep`, `body_required`, `missing_field`, `invalid_type`, `invalid_length`,
 *   `webhook_signature_missing`, `webhook_signature_invalid`, `webhook_signature_stale`, `database_unavailable`
 */
export async function receiveProviderEvent(
  deps: Deps,
  rawBody: Buffer,
  signature: string | undefined,
): Promise<Acknowledgement> {
  const trust = await trustOf(deps, rawBody, signature)
  const event = parseEvent(rawBody)
  const outcome = await store(deps, event, { rawBody, trust })
  return { received: true, event_id: event.event_id, message: acknowledgements[outcome] }
}

/**
 * The same for an event that we fetched ourselves: its trust is known from where it was read.
 * @throws ApiError `invalid_json`, `json_too_deep`, `body_required`, `missing_field`, `invalid_type`, `invalid_length`,
 *   `database_unavailable`
 */
export async function takeInEvent(
  deps: Deps,
  given: { rawBody: Buffer; trust: 'verified' | 'unverified' },
): Promise<IntakeOutcome> {
  return await store(deps, parseEvent(given.rawBody), given)
}

async function store(
  deps: Deps,
  event: ParsedEvent,
  { rawBody, trust }: { rawBody: Buffer; trust: 'verified' | 'unverified' },
): Promise<IntakeOutcome> {
  const { hints, category, sequence } = deps.provider.readEvent(event.json)
  const id = makeEventId(deps.now(), deps.randomBytes(10))
  const outcome = await deps.intake.take({
    id,
    providerEventId: event.event_id,
    trust,
    type: event.event_type,
    body: storedBody(deps, { id, category, body: rawBody }),
    hints,
    hasEffects: hasEffects(category),
  })
  if (trust === 'verified' && sequence !== null) deps.seenSequences.note(sequence)
  return outcome
}

async function trustOf(deps: Deps, rawBody: Buffer, header: string | undefined): Promise<'verified' | 'unverified'> {
  const verdict = await deps.verifyEvent(rawBody, header)
  switch (verdict) {
    case 'verified':
      return 'verified'
    case 'absent':
      if (deps.config.providerWebhookSignature === 'required') throw fail('webhook_signature_missing')
      return 'unverified'
    case 'stale':
      throw fail('webhook_signature_stale')
    default:
      throw fail('webhook_signature_invalid')
  }
}

// Broken UTF-8 would read back as other text than was signed.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type ParsedEvent = { event_id: string; event_type: string; json: JsonObject }

function parseEvent(rawBody: Buffer): ParsedEvent {
  let json: unknown
  try {
    json = JSON.parse(strictUtf8.decode(rawBody))
  } catch {
    throw fail('invalid_json')
  }
  if (!isJsonObject(json)) throw fail('body_required')
  // Reading it is cheap at any depth, but showing it again in a list is not.
  if (isNestedDeeper(json, eventDepthMax)) throw fail('json_too_deep')
  return { event_id: requiredText(json, 'event_id'), event_type: requiredText(json, 'event_type'), json }
}

const eventDepthMax = 32
const eventNameCharsMax = 256

function requiredText(json: JsonObject, name: string): string {
  const value = json[name]
  if (value === undefined) throw fieldFault('missing_field', name, `${name} is required.`)
  if (typeof value !== 'string') throw fieldFault('invalid_type', name, `${name} must be a string.`)
  if (value.length === 0 || value.length > eventNameCharsMax) {
    throw fieldFault('invalid_length', name, `${name} must have 1 to ${eventNameCharsMax} characters.`)
  }
  // What a column cannot hold as it is would read back as another name.
  if (!value.isWellFormed() || value.includes('\0'))
    throw fieldFault('invalid_value', name, `${name} must be Unicode text without U+0000.`)
  return value
}

function fieldFault(
  code: 'missing_field' | 'invalid_type' | 'invalid_length' | 'invalid_value',
  param: string,
  message: string,
): ApiError {
  return fail(code, { message, details: [{ param, code, message }] })
}
