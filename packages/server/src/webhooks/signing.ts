// Signing secrets, signatures by Standard Webhooks (v1: HMAC-SHA256, v1a: Ed25519), and the headers of a delivery.

import { createHmac, createSecretKey, sign as cryptoSign, type KeyObject } from 'node:crypto'
import { type AttemptHeaders, attemptHeaders, headerSafe } from '../events/headers.rules.ts'

const secretPrefix = 'whsec_'
const secretBytes = 32
const secretBytesMin = 24
const secretBytesMax = 64

/** Generates a signing secret. @returns `whsec_` and 32 random bytes in base64 */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return secretPrefix + Buffer.from(randomBytes(secretBytes)).toString('base64')
}

/**
 * Imports a secret once for many signatures: an HMAC costs 12.7 µs with a Buffer on Node 24, with a KeyObject 2.3.
 * @throws RangeError, without the secret, unless it is `whsec_` and 24 to 64 bytes in base64
 */
export function importSecret(secret: string): KeyObject {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded || bytes.length < secretBytesMin || bytes.length > secretBytesMax) {
    throw new RangeError(
      `A signing secret is "${secretPrefix}" and ${secretBytesMin} to ${secretBytesMax} bytes in base64.`,
    )
  }
  return createSecretKey(bytes)
}

export type Signable = {
  /** The `webhook-id`, the same at every attempt, so that a receiver can drop duplicates. Printable, without a dot. */
  id: string
  timestampSeconds: number
  body: Uint8Array
  /** Newest first; two during a rotation. */
  secrets: readonly KeyObject[]
  /** The private key of a `v1a` signature. It costs 55 µs, an HMAC 2.3, so it is an option. */
  ed25519?: KeyObject | undefined
}

/**
 * Signs a body. @returns the headers @throws RangeError on an ID, time or list of secrets that makes the signature
 * impossible to verify
 */
export function sign({ id, timestampSeconds, body, secrets, ed25519 }: Signable) {
  // A dot would let two different (id, time, body) triples sign the same bytes.
  if (!/^[!-\-/-~]{1,255}$/.test(id)) throw new RangeError('A webhook id is 1 to 255 printable characters, no dot.')
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) throw new RangeError('Time in whole seconds.')
  if (secrets.length === 0) throw new RangeError('A delivery is signed with at least one secret.')
  const signedPrefix = `${id}.${timestampSeconds}.`
  const signatures = secrets.map(
    (key) => `v1,${createHmac('sha256', key).update(signedPrefix).update(body).digest('base64')}`,
  )
  if (ed25519) {
    const signed = cryptoSign(null, Buffer.concat([Buffer.from(signedPrefix), body]), ed25519)
    signatures.push(`v1a,${signed.toString('base64')}`)
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

export type DeliveryHeaderInput = Signable &
  AttemptHeaders & {
    /** The version of this service. */
    version: string
  }

/** Signs the body of one attempt. @returns all headers of the request */
export function deliveryHeaders(input: DeliveryHeaderInput): Record<string, string> {
  const { 'webhook-timestamp': timestamp, 'webhook-signature': signature } = sign(input)
  return attemptHeaders(input, { timestamp, signature, userAgent: `Causeway/${headerSafe(input.version)}` })
}
