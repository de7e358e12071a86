// Prefixed ids: `va_` and 26 characters of Crockford base32 (128 bits), lower case. Events and requests carry their
// time of birth in the first 48 bits, so that their order is that of time and a partition is a range of ids.

export const idPrefixes = {
  business: 'biz',
  apiKey: 'key',
  endUser: 'eu',
  tosLink: 'tos_link',
  kycSubmission: 'kyc',
  virtualAccount: 'va',
  deposit: 'dep',
  informationRequest: 'ireq',
  event: 'evt',
  delivery: 'dlv',
  webhookEndpoint: 'whe',
  replay: 'rpl',
  operation: 'op',
  request: 'req',
  consoleLink: 'console_link',
  consoleSession: 'console_session',
  staff: 'staff',
  onboardingLink: 'onboarding_link',
  alertChannel: 'alc',
  alert: 'alr',
  alertMessage: 'alm',
} as const

export type IdKind = keyof typeof idPrefixes

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const alphabetBytes = Buffer.from(alphabet)
const encoded = Buffer.alloc(26)

/** Creates an ID of 128 bits. @param random 16 bytes */
export function makeId(kind: IdKind, random: Uint8Array): string {
  return `${idPrefixes[kind]}_${encode(random, 16, 26)}`
}

/** Creates the ID of an event. @param timeMs since 1970 @param random 10 bytes */
export function makeEventId(timeMs: number, random: Uint8Array): string {
  return timedId('event', timeMs, random)
}

/** Creates the ID of a request. @param timeMs since 1970 @param random 10 bytes */
export function makeRequestId(timeMs: number, random: Uint8Array): string {
  return timedId('request', timeMs, random)
}

function timedId(kind: IdKind, timeMs: number, random: Uint8Array): string {
  return `${idPrefixes[kind]}_${idTime(timeMs)}${encode(random, 10, 16)}`
}

/** @returns when the id of an event or a request was made, in milliseconds since 1970 */
export function timeOfId(id: string): number {
  let timeMs = 0
  for (const digit of id.slice(-26, -16)) timeMs = timeMs * 32 + alphabet.indexOf(digit)
  return timeMs
}

/** @returns the ten characters after the prefix of every id of an event or a request made at this time, and of deliveries' ids */
export function idTime(timeMs: number): string {
  let rest = Math.max(0, Math.floor(timeMs))
  let text = ''
  for (let digit = 0; digit < 10; digit++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Derives the id of a delivery from the event's id and the end of the endpoint's, which is unique within the business. */
export function deliveryIdOf(eventId: string, endpointId: string): string {
  return `${idPrefixes.delivery}_${eventId.slice(idPrefixes.event.length + 1)}${endpointId.slice(-6)}`
}

// The bytes are one number, the first byte the highest. BigInt would cost 3 % of the ingest of an event.
function encode(bytes: Uint8Array, count: number, digits: number): string {
  let place = digits
  let bits = 0
  let width = 0
  for (let byte = count - 1; byte >= 0; byte--) {
    bits |= (bytes[byte] ?? 0) << width
    for (width += 8; width >= 5; width -= 5) {
      encoded[--place] = alphabetBytes[bits & 31] ?? 0
      bits >>>= 5
    }
  }
  if (width > 0) encoded[--place] = alphabetBytes[bits] ?? 0
  return encoded.toString('latin1', 0, digits)
}
