// The parts of a signed request by Standard Webhooks: headers, raw body, and the text that is signed.

import { SignatureError } from './signature-error.ts'

/** The received body, unchanged. */
export type RawBody = string | Uint8Array | ArrayBuffer

/** `Headers`, or a plain object with names in any case, as frameworks provide them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface Envelope {
  readonly id: string
  readonly timestampSeconds: number
  /** Each as `v1,<base64>` or `v1a,<base64>`. */
  readonly signatures: readonly string[]
  readonly body: Uint8Array<ArrayBuffer>
  /** `<id>.<timestamp>.<body>`. */
  readonly signed: Uint8Array<ArrayBuffer>
}

export interface TimeOptions {
  /** Maximum difference between the time of sending and now, in both directions, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** The current time, for tests. Default: the clock. */
  readonly now?: Date | undefined
}

/** During a rotation there are two signatures, and each can come in two schemes. */
const signaturesMax = 8
const encoder = new TextEncoder()

/**
 * @throws SignatureError `body_was_parsed`, `header_missing`, `header_malformed`, `too_old`, `too_new`
 * @throws TypeError for a tolerance or a time that is not a number: comparisons with NaN are false, so no age would be too old
 */
export function readEnvelope(
  rawBody: RawBody,
  headers: WebhookHeaders,
  nowMs: number,
  toleranceSeconds = 300,
): Envelope {
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
    throw new TypeError('toleranceSeconds must be a number of seconds, 0 or more: is the environment variable set?')
  if (Number.isNaN(nowMs)) throw new TypeError('now must be a valid Date.')
  const body = bytesOf(rawBody)
  const read = headerReader(headers)
  const [id, time, list] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')]
  if (!id || !time || !list) throw new SignatureError('header_missing')
  if (!/^\d{1,12}$/.test(time)) throw new SignatureError('header_malformed')
  const ageSeconds = nowMs / 1_000 - Number(time)
  if (ageSeconds > toleranceSeconds) throw new SignatureError('too_old', ` It is ${Math.round(ageSeconds)} s old.`)
  if (-ageSeconds > toleranceSeconds) throw new SignatureError('too_new', ` By ${Math.round(-ageSeconds)} s.`)
  const signatures = list.split(' ').slice(0, signaturesMax)
  return { id, timestampSeconds: Number(time), signatures, body, signed: signedBytes(id, time, body) }
}

/** @throws SignatureError `body_was_parsed` */
export function bytesOf(rawBody: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return encoder.encode(rawBody)
  // Not by instanceof: a test runner or an edge runtime can have a different Uint8Array.
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength).slice()
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  throw new SignatureError('body_was_parsed')
}

export function signedBytes(id: string, time: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = encoder.encode(`${id}.${time}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  return signed
}

export function headerReader(headers: WebhookHeaders): (name: string) => string | undefined {
  if (typeof headers.get === 'function') {
    const { get } = headers as Headers
    return (name) => get.call(headers, name) ?? undefined
  }
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => {
    const value = byName.get(name)
    return Array.isArray(value) ? value[0] : (value as string | undefined)
  }
}

/** @returns null for what is no base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

export function encodeBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}
