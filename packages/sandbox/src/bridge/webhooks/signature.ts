// The provider's webhook signature: RSASSA-PKCS1-v1_5 with SHA-256 over a SHA-256 digest. The text is hashed twice, as in
// the provider's published example of a verifier.
import { createHash, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

export const signatureHeader = 'x-webhook-signature'

/** Returns the bytes that RSA signs: SHA-256 of "<unix ms>.<raw body>". */
export const signedMessage = (sentAt: number, body: string): Buffer =>
  createHash('sha256').update(`${sentAt}.${body}`).digest()

const signOnThreadPool = promisify<string, Buffer, KeyObject, Buffer>(sign)

export const signatureOf = async (privateKey: KeyObject, sentAt: number, body: string): Promise<string> => {
  const signature = await signOnThreadPool('sha256', signedMessage(sentAt, body), privateKey)
  return `t=${sentAt},v0=${signature.toString('base64')}`
}

export type KeyPair = { publicKey: string; privateKey: string }

/** A source of RSA key pairs in PEM. Making a pair takes up to some hundred milliseconds, so the first is made ahead. */
export type KeyPairs = {
  take(): Promise<KeyPair>
  /** Makes the first pair ahead. Called after the listener is bound, because it would slow the start. */
  warmUp(): void
}

const generate = (): Promise<KeyPair> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

export const createKeyPairs = (): KeyPairs => {
  let spare: Promise<KeyPair> | undefined
  return {
    take: () => {
      const pair = spare ?? generate()
      spare = undefined
      return pair
    },
    warmUp: () => {
      spare ??= generate()
    },
  }
}
