// Prefixed, random ids: `va_` and 26 characters of Crockford base32 (128 bits), lower case.

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
  operation: 'op',
  request: 'req',
} as const

export type IdKind = keyof typeof idPrefixes

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** @param random at least 16 bytes */
export function makeId(kind: IdKind, random: Uint8Array): string {
  let value = 0n
  for (const byte of random.subarray(0, 16)) value = (value << 8n) | BigInt(byte)
  let text = ''
  for (let digit = 0; digit < 26; digit++) {
    text = alphabet[Number(value & 31n)] + text
    value >>= 5n
  }
  return `${idPrefixes[kind]}_${text}`
}
