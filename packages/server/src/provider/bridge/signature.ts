// Verifies that a webhook came from the provider: RSASSA-PKCS1-v1_5 with SHA-256 over SHA256(t + "." + raw body).
// The data is hashed twice: once by the provider, once more inside the RSA scheme.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { SignatureVerdict } from '../port.ts'

type SignatureCheck = {
  /** `X-Webhook-Signature: t=<unix ms>,v0=<base64>` as received. */
  header: string | undefined
  /** The bytes as received: serializing a parsed body could change them. */
  rawBody: Buffer
  /** Several while the provider rotates. An empty list verifies nothing. */
  publicKeys: readonly KeyObject[]
  nowMs: number
  toleranceMs?: number
}

const headerCharsMax = 4_096
const partsMax = 8
/** Several while the provider rotates its key. Each costs one check per public key. */
const signaturesMax = 4
const modulusBitsMin = 2_048
const toleranceMsDefault = 600_000

type SignatureHeader = { timestamp: string; signatures: readonly Buffer[] }

/** Checks form and time of a header, before the body is read. `right`: a body may match it. */
export function judgeSignatureHeader(
  header: string | undefined,
  nowMs: number,
): Exclude<SignatureVerdict, 'verified' | 'wrong'> | 'right' {
  const read = readSignatureHeader(header, nowMs, toleranceMsDefault)
  return typeof read === 'string' ? read : 'right'
}

export function verifyProviderSignature(check: SignatureCheck): SignatureVerdict {
  const { header, rawBody, publicKeys, nowMs, toleranceMs = toleranceMsDefault } = check
  const read = readSignatureHeader(header, nowMs, toleranceMs)
  if (typeof read === 'string') return read
  const digest = createHash('sha256').update(`${read.timestamp}.`).update(rawBody).digest()
  for (const publicKey of publicKeys) {
    // Verified synchronously, 15 µs: waking a pool thread costs as much. The default padding of RSA is PKCS #1 v1.5.
    // With `{key, padding}`, Node would create the key again for each check, 42 µs an event.
    if (read.signatures.some((signature) => verify('sha256', digest, publicKey, signature))) return 'verified'
  }
  return 'wrong'
}

function readSignatureHeader(
  header: string | undefined,
  nowMs: number,
  toleranceMs: number,
): SignatureHeader | 'absent' | 'malformed' | 'stale' {
  if (header === undefined) return 'absent'
  const parsed = parseSignatureHeader(header)
  if (parsed === null) return 'malformed'
  return Math.abs(nowMs - Number(parsed.timestamp)) > toleranceMs ? 'stale' : parsed
}

/**
 * Reads a PEM in the provider's format; API responses carry it with literal `\n` escapes.
 * @throws Error that names the rule, never the text, unless it is an RSA public key of at least 2,048 bits
 */
export function parseProviderPublicKey(text: string): KeyObject {
  const pem = text.replaceAll('\\r', '').replaceAll('\\n', '\n').replaceAll('\r', '').trim()
  // createPublicKey would also accept a private key or a certificate; neither belongs in this setting.
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

/**
 * Reads `t`, once, and `v0`, once or several times, with or without blanks around the commas. Other parts are ignored,
 * for future versions of the scheme.
 */
function parseSignatureHeader(header: string): SignatureHeader | null {
  if (header.length > headerCharsMax) return null
  const parts = header.split(',').map((part) => /^[ \t]*([a-z][a-z0-9]*)=(\S+)[ \t]*$/.exec(part))
  if (parts.length > partsMax || parts.includes(null)) return null
  const valuesOf = (wanted: string) => parts.flatMap((part) => (part?.[1] === wanted ? [part[2] ?? ''] : []))
  const [timestamp, ...more] = valuesOf('t')
  if (timestamp === undefined || more.length > 0 || !/^[0-9]{1,15}$/.test(timestamp)) return null
  const signatures = valuesOf('v0').map(decodeBase64)
  if (signatures.length === 0 || signatures.length > signaturesMax) return null
  return signatures.every((signature) => signature !== null) ? { timestamp, signatures } : null
}

/** Buffer.from skips invalid characters, so only text that encodes back to itself is accepted. */
function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : null
}
