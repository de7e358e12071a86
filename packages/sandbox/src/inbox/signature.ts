// The verification of a Standard Webhooks signature. It is written from the specification and shares no code with the
// sender, so that a mistake of the sender is found.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Verdict = 'valid' | 'no_secret' | 'headers_missing' | 'timestamp_outside_tolerance' | 'signature_mismatch'

export type SignedDelivery = {
  /** `webhook-id`, `webhook-timestamp` (unix seconds) and `webhook-signature` as received. */
  id: string | null
  timestamp: string | null
  signature: string | null
  body: Buffer
}

const toleranceMs = 5 * 60_000
const secretPrefix = 'whsec_'
const keyBytesMin = 16
const keyBytesMax = 128

/** Returns the key of a `whsec_<base64>` secret, or `undefined` when it does not have 16 to 128 bytes. */
export const readSecret = (secret: string): Buffer | undefined => {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const key = Buffer.from(encoded, 'base64')
  return key.length >= keyBytesMin && key.length <= keyBytesMax ? key : undefined
}

const matches = (expected: Buffer, candidate: string): boolean => {
  const given = Buffer.from(candidate, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Verifies one delivery. The header is a space-separated list: one `v1` entry that matches one key is enough. */
export const judge = (delivery: SignedDelivery, keys: readonly Buffer[], nowMs: number): Verdict => {
  if (keys.length === 0) return 'no_secret'
  const { id, timestamp, signature, body } = delivery
  if (!id || !timestamp || !signature) return 'headers_missing'
  if (!/^\d{1,12}$/.test(timestamp)) return 'timestamp_outside_tolerance'
  if (Math.abs(nowMs - Number(timestamp) * 1000) > toleranceMs) return 'timestamp_outside_tolerance'

  const candidates = signature.split(' ').filter((entry) => entry.startsWith('v1,'))
  const isValid = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
    return candidates.some((entry) => matches(expected, entry.slice(3)))
  })
  return isValid ? 'valid' : 'signature_mismatch'
}
