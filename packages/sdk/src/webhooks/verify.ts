// Verifies webhooks with their signing secret (`v1`), or with the published keys of the deployment (`v1a`).

import { currentTimeMs } from '../core/runtime.ts'
import {
  decodeBase64,
  type Envelope,
  headerReader,
  type RawBody,
  readEnvelope,
  type TimeOptions,
  type WebhookHeaders,
} from './envelope.ts'
import { eventOf, type WebhookEvent } from './event.ts'
import type { KeySet } from './key-set.ts'
import { importSecrets, type VerifyKey } from './secret.ts'
import { SignatureError } from './signature-error.ts'

/** One delivery. The signature covers `webhookId` and `sentAt`. The other fields come from headers that it does not cover. */
export interface WebhookDelivery {
  /** The same for every attempt: store it, and drop repeats. */
  readonly webhookId: string
  readonly sentAt: Date
  /** The endpoint of this delivery. */
  readonly endpointId: string | null
  /** 1, 2, 3, … for an endpoint, without gaps. */
  readonly sequence: number | null
  /** 1 for the first attempt. */
  readonly attempt: number | null
  readonly externalUserId: string | null
  /** False for a provider event without the provider's signature. */
  readonly isVerified: boolean
}

export type VerifiedWebhook = WebhookEvent & { readonly delivery: WebhookDelivery }

export interface KeyVerifyOptions extends TimeOptions {
  /** The ID of your endpoint, `whe_…`. One key signs for all receivers of a deployment, so this ID identifies your deliveries. */
  readonly endpointId: string
}

/**
 * Verifies a webhook with its signing secret.
 * @param rawBody the received text or bytes, before any parser
 * @param secrets `whsec_…`, or several secrets, one of which must match
 * @returns the event, typed by `type`, with its `delivery`
 * @throws SignatureError with the cause in `reason`
 */
export async function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds, now }: TimeOptions = {},
): Promise<VerifiedWebhook> {
  const envelope = readEnvelope(rawBody, headers, now?.getTime() ?? currentTimeMs(), toleranceSeconds)
  const keys = await importSecrets(secrets)
  const given = signaturesOf(envelope, 'v1')
  if (given.length === 0) throw new SignatureError('header_malformed')
  if (!(await hasMatch('HMAC', keys, given, envelope.signed))) throw mismatchOf(envelope)
  return webhookOf(envelope, headers)
}

/**
 * Verifies a webhook with the published keys of the deployment. Without a secret, none can leak.
 * @throws SignatureError with the cause in `reason`; ConnectionError when the keys cannot be read
 */
export async function verifyByKeys(
  rawBody: RawBody,
  headers: WebhookHeaders,
  keySet: KeySet,
  { endpointId, toleranceSeconds, now }: KeyVerifyOptions,
): Promise<VerifiedWebhook> {
  const envelope = readEnvelope(rawBody, headers, now?.getTime() ?? currentTimeMs(), toleranceSeconds)
  const given = signaturesOf(envelope, 'v1a')
  if (given.length === 0) throw new SignatureError('no_signature_by_key')
  // A key may be newer than the cache: read the keys once more.
  const isAuthentic =
    (await hasMatch('Ed25519', await keySet.read(), given, envelope.signed)) ||
    (await hasMatch('Ed25519', await keySet.readAgain(), given, envelope.signed))
  if (!isAuthentic) throw new SignatureError('signature_mismatch')
  if (!envelope.id.endsWith(`_${endpointId}`)) throw new SignatureError('sent_to_another_endpoint')
  return webhookOf(envelope, headers)
}

function signaturesOf({ signatures }: Envelope, scheme: string): Uint8Array<ArrayBuffer>[] {
  return signatures.flatMap((entry) => {
    const [version, text = ''] = entry.split(',')
    const bytes = version === scheme ? decodeBase64(text) : null
    return bytes === null ? [] : [bytes]
  })
}

/** WebCrypto compares in constant time. */
async function hasMatch(
  algorithm: string,
  keys: readonly VerifyKey[],
  given: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of keys) {
    for (const signature of given) if (await crypto.subtle.verify(algorithm, key, signature, signed)) return true
  }
  return false
}

/** Causeway writes JSON without white space: a body that is unchanged by parse and stringify is probably unmodified. */
function mismatchOf({ body, id }: Envelope): SignatureError {
  const text = new TextDecoder().decode(body)
  const endpoint = endpointOf(id)
  if (endpoint === null || !isCompactJson(text)) return new SignatureError('signature_mismatch')
  return new SignatureError('secret_of_another_endpoint', ` This webhook is for the endpoint ${endpoint}.`)
}

function isCompactJson(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text
  } catch {
    return false
  }
}

function endpointOf(webhookId: string): string | null {
  return /_(whe_[0-9a-z]+)$/.exec(webhookId)?.[1] ?? null
}

function webhookOf({ id, timestampSeconds, body }: Envelope, headers: WebhookHeaders): VerifiedWebhook {
  const read = headerReader(headers)
  const externalUserId = read('svc-external-user-id')
  const delivery: WebhookDelivery = {
    webhookId: id,
    sentAt: new Date(timestampSeconds * 1_000),
    endpointId: endpointOf(id),
    sequence: numberOf(read('svc-sequence')),
    attempt: numberOf(read('svc-attempt')),
    externalUserId: externalUserId === undefined ? null : percentDecoded(externalUserId),
    isVerified: read('svc-verified') !== 'false',
  }
  return { ...eventOf(parsed(body)), delivery }
}

/** @throws SignatureError `header_malformed` */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new SignatureError('header_malformed', '', { cause })
  }
}

/** @throws SignatureError `body_is_not_json` */
function parsed(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (cause) {
    throw new SignatureError('body_is_not_json', '', { cause })
  }
  throw new SignatureError('body_is_not_json')
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null
}
