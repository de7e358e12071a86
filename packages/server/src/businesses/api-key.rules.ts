// The format of an API key: `svc_test_` or `svc_live_`, 32 random base62 characters, 6 base62 digits of CRC32. The
// checksum distinguishes a typing mistake from a revoked key, and lets a secret scanner be sure, without a database
// query.
import { crc32 } from 'node:zlib'

export const apiKeyModes = ['test', 'live'] as const
export type ApiKeyMode = (typeof apiKeyModes)[number]

/** The fault of a malformed key, so that the response can name it without repeating the text. */
export type ApiKeyFault = 'prefix' | 'length' | 'alphabet' | 'checksum'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checksumLength = 6

// A byte is one of 248 = 4 x 62 usable values or is skipped. The probability that 33 of 64 random bytes are skipped is
// below 1e-31.
const usableByteValues = 248

/** The random bytes for `formatApiKey`. */
export const apiKeyRandomBytes = 64

/** @param random `apiKeyRandomBytes` from a cryptographic source; throws RangeError if too few of them are usable */
export function formatApiKey(mode: ApiKeyMode, random: Uint8Array): string {
  let secret = ''
  for (const byte of random) {
    if (secret.length === randomLength) break
    if (byte < usableByteValues) secret += alphabet[byte % alphabet.length]
  }
  if (secret.length < randomLength) throw new RangeError(`an API key takes ${apiKeyRandomBytes} random bytes`)
  const body = `svc_${mode}_${secret}`
  return body + checksum(body)
}

/** Checks whether a text is a well-formed key. Whether the key exists is up to the store. */
export function parseApiKey(text: string): { mode: ApiKeyMode; key: string } | { malformed: ApiKeyFault } {
  const mode = apiKeyModes.find((candidate) => text.startsWith(prefixOf(candidate)))
  if (mode === undefined) return { malformed: 'prefix' }
  if (text.length !== prefixOf(mode).length + randomLength + checksumLength) return { malformed: 'length' }
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefixOf(mode).length))) return { malformed: 'alphabet' }
  const body = text.slice(0, -checksumLength)
  return checksum(body) === text.slice(-checksumLength) ? { mode, key: text } : { malformed: 'checksum' }
}

/**
 * The part of a key that may be shown again. It is part of the checksum: of the 190 random bits it reveals at most 24.
 */
export function lastFour(key: string): string {
  return key.slice(-4)
}

function prefixOf(mode: ApiKeyMode): string {
  return `svc_${mode}_`
}

function checksum(body: string): string {
  let value = crc32(body)
  let digits = ''
  for (let digit = 0; digit < checksumLength; digit++) {
    digits = alphabet.charAt(value % alphabet.length) + digits
    value = Math.floor(value / alphabet.length)
  }
  return digits
}
