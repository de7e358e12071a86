// The text of a signing secret, in the form that Standard Webhooks libraries take.

export const secretPrefix = 'whsec_'
const secretBytes = 32

/** A new secret for a webhook endpoint: `whsec_` and 32 random bytes in base64. */
export function newSecret(randomBytes: (size: number) => Uint8Array): string {
  return secretPrefix + Buffer.from(randomBytes(secretBytes)).toString('base64')
}
