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

/** @param random at least 16 bytes */
export function makeId(kind: IdKind, random: Uint8Array): string {
  return `${idPrefixes[kind]}_${encode(random.subarray(0, 16), 26)}`
}

/** @param timeMs since 1970 @param random at least 10 bytes */
export function makeEventId(timeMs: number, random: Uint8Array): string {
  return `${idPrefixes.event}_${idTime(timeMs)}${encode(random.subarray(0, 10), 16)}`
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

/** The bytes as one number, the first byte the highest. By hand, because with BigInt it was 3 % of taking an event in. */
function encode(bytes: Uint8Array, digits: number): string {
  let text = ''
  let bits = 0
  let width = 0
  for (let at = bytes.length - 1; at >= 0; at--) {
    bits |= (bytes[at] ?? 0) << width
    for (width += 8; width >= 5; width -= 5) {
      text = alphabet.charAt(bits & 31) + text
      bits >>>= 5
    }
  }
  return (width > 0 ? alphabet.charAt(bits) + text : text).padStart(digits, '0')
}
