// Verifies that a webhook came from the provider: RSASSA-PKCS1-v1_5 with SHA-256 over SHA256(t + "." + raw body).
// The data is hashed twice: once by the provider, once more inside the RSA scheme.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/**
 * `absent`: no header. `stale`: signed too long ago, or too far in the future, so a repeat is accepted. `wrong`: the
 * signature fits no known key.
 */
export type SignatureVerdict = 'verified' | 'absent' | 'malformed' | 'stale' | 'wrong'

type SignatureCheck = {
  /** `X-Webhook-Signature: t=<unix ms>,v0=<base64>` as received. */
  header: string | undefined
  /** The bytes as received: a parsed and re-written body is another body. */
  rawBody: Buffer
  /** Several while the provider rotates. None verifies nothing. */
  publicKeys: readonly KeyObject[]
  nowMs: number
  toleranceMs?: number
}

const headerCharsMax = 4_096
const partsMax = 8
const modulusBitsMin = 2_048

export function verifyProviderSignature(check: SignatureCheck): SignatureVerdict {
  const { header, rawBody, publicKeys, nowMs, toleranceMs = 600_000 } = check
  if (header === undefined) return 'absent'
  const parsed = parseSignatureHeader(header)
  if (parsed === null) return 'malformed'
  if (Math.abs(nowMs - Number(parsed.timestamp)) > toleranceMs) return 'stale'
  const digest = createHash('sha256').update(`${parsed.timestamp}.`).update(rawBody).digest()
  for (const publicKey of publicKeys) {
    // In place, 15 µs: to wake a thread of the pool costs as much. The default padding of RSA is PKCS #1 v1.5. Given as
    // `{key, padding}`, the key would be made anew for each check, 42 µs an event.
    if (verify('sha256', digest, publicKey, parsed.signature)) return 'verified'
  }
  return 'wrong'
}

// Another replica may just have registered an endpoint, so a signature that fits no known key reads the stored keys again;
// at most once in two seconds, so that forged signatures do not cost a query each.
const refreshMs = 2_000

/** Makes the check of signatures against the configured public keys and those stored by `provider connect`. */
export function createEventVerifier(sources: {
  configuredKeys: readonly string[]
  storedKeys: () => Promise<string[]>
  now: () => number
}): (rawBody: Buffer, header: string | undefined) => Promise<SignatureVerdict> {
  const configured = sources.configuredKeys.map(parseProviderPublicKey)
  let stored = new Map<string, KeyObject>()
  let storedAt = Number.NEGATIVE_INFINITY

  return async (rawBody, header) => {
    const check = () => {
      const publicKeys = [...configured, ...stored.values()]
      return verifyProviderSignature({ header, rawBody, publicKeys, nowMs: sources.now() })
    }
    const verdict = check()
    // `Math.abs`: a clock that was set back must not keep a new key out.
    if (verdict !== 'wrong' || Math.abs(sources.now() - storedAt) < refreshMs) return verdict
    const pems = await sources.storedKeys()
    stored = new Map(pems.map((pem) => [pem, stored.get(pem) ?? parseProviderPublicKey(pem)]))
    storedAt = sources.now()
    return check()
  }
}

/**
 * Reads a PEM as the provider shows it; API answers carry it with literal `\n` escapes.
 * Throws an `Error` that names the rule, never the text, unless it is an RSA public key of at least 2,048 bits.
 */
export function parseProviderPublicKey(text: string): KeyObject {
  const pem = text.replaceAll('\\r', '').replaceAll('\\n', '\n').replaceAll('\r', '').trim()
  // createPublicKey would take a private key or a certificate as well; neither belongs in this setting.
  if (!/^-----BEGIN (RSA )?PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+-----END \1PUBLIC KEY-----$/.test(pem)) {
    throw new Error('The provider public key must be one PEM block, "-----BEGIN PUBLIC KEY-----".')
  }
  const key = readPublicKey(pem)
  if (key?.asymmetricKeyType !== 'rsa') throw new Error('The provider public key must be an RSA key.')
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < modulusBitsMin) {
    throw new Error(`The provider public key must have at least ${modulusBitsMin} bits.`)
  }
  return key
}

function readPublicKey(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

/** Exactly one `t` and one `v0`; parts with other names are left to future versions of the scheme. */
function parseSignatureHeader(header: string): { timestamp: string; signature: Buffer } | null {
  if (header.length > headerCharsMax) return null
  const parts = header.split(',')
  if (parts.length > partsMax) return null
  const values = new Map<string, string>()
  for (const part of parts) {
    const [, name, value] = /^([a-z][a-z0-9]*)=(\S+)$/.exec(part) ?? []
    if (name === undefined || value === undefined || values.has(name)) return null
    values.set(name, value)
  }
  const timestamp = values.get('t')
  if (timestamp === undefined || !/^[0-9]{1,15}$/.test(timestamp)) return null
  const signature = decodeBase64(values.get('v0') ?? '')
  return signature === null ? null : { timestamp, signature }
}

/** Buffer.from skips what it does not know; only text that encodes back to itself is accepted. */
function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : null
}
