// Prefixed ids: `va_` and 26 characters of Crockford base32 (128 bits), lower case. Events carry their time of birth in
// the first 48 bits, so that their order is that of time and a partition is a range of ids.

export const idPrefixes = {
  business: 'biz',
  apiKey: 'key',
  endUser: 'eu',
  tosLink: 'tos_link',
  kycSubmission: 'kyc',
  virtualAccount: 'va',
  deposit: 'dep',
  event: 'evt',
  delivery: 'dlv',
  webhookEndpoint: 'whe',
  replay: 'rpl',
  operation: 'op',
  request: 'req',
} as const

export type IdKind = keyof typeof idPrefixes

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const alphabetBytes = Buffer.from(alphabet)
const encoded = Buffer.alloc(26)

/** @param random at least 16 bytes from `at` on */
export function makeId(kind: IdKind, random: Uint8Array, at = 0): string {
  return `${idPrefixes[kind]}_${encode(random, at, 16, 26)}`
}

/** @param timeMs since 1970 @param random at least 10 bytes */
export function makeEventId(timeMs: number, random: Uint8Array): string {
  return `${idPrefixes.event}_${idTime(timeMs)}${encode(random, 0, 10, 16)}`
}

/** The first ten characters after the prefix of every event id, and of its deliveries' ids, that was made at this time. */
export function idTime(timeMs: number): string {
  let rest = Math.max(0, Math.floor(timeMs))
  let text = ''
  for (let digit = 0; digit < 10; digit++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** One an event and endpoint: the event's own id, and the end of the endpoint's, which is unique within the business. */
export function deliveryIdOf(eventId: string, endpointId: string): string {
  return `${idPrefixes.delivery}_${eventId.slice(idPrefixes.event.length + 1)}${endpointId.slice(-6)}`
}

/**
 * The bytes as one number, the first byte the highest. By hand, because with BigInt it was 3 % of taking an event in; digit by
 * digit into one piece of memory, because a text that grows is a chain of texts.
 */
function encode(bytes: Uint8Array, at: number, count: number, digits: number): string {
  let place = digits
  let bits = 0
  let width = 0
  for (let byte = at + count - 1; byte >= at; byte--) {
    bits |= (bytes[byte] ?? 0) << width
    for (width += 8; width >= 5; width -= 5) {
      encoded[--place] = alphabetBytes[bits & 31] ?? 0
      bits >>>= 5
    }
  }
  if (width > 0) encoded[--place] = alphabetBytes[bits] ?? 0
  return encoded.toString('latin1', 0, digits)
}
