// Cryptography under the deployment secret: digests of API keys, fingerprints of bodies, values sealed at rest, the key pairs
// that sign events.
// The secret is a list during rotation: the first entry writes, every entry reads.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { deriveEventSigningKeys } from './signing-keys.ts'

export type SecretBox = ReturnType<typeof createSecretBox>

const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16
const keyIdBytes = 8

/** Derives the keys of these deployment secrets. Decryption throws an Error if no key fits. */
export function createSecretBox(deploymentSecrets: readonly string[]) {
  const derive = (purpose: string): KeyObject[] =>
    deploymentSecrets.map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `causeway/${purpose}/v1`, 32))),
    )
  const keyKeys = derive('api-keys')
  const sealKeys = derive('sealed-secrets')
  const printKeys = derive('fingerprints')
  const newest = (keys: readonly KeyObject[]): KeyObject => {
    const key = keys[0]
    if (!key) throw new Error('a deployment secret is needed')
    return key
  }

  /** AES-256-GCM; `context` is authenticated, so a sealed value cannot be moved to another row. */
  const sealBytes = (plain: Buffer, context: string): Buffer => {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', newest(sealKeys), nonce).setAAD(Buffer.from(context))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(formatVersion), nonce, cipher.getAuthTag(), body])
  }

  return {
    /** HMAC-SHA256 of an API key under each deployment secret, newest first: a stored digest matches one of them. */
    keyDigests: (apiKey: string): readonly Buffer[] =>
      keyKeys.map((key) => createHmac('sha256', key).update(apiKey).digest()),
    /**
     * HMAC-SHA256 under each secret, newest first: the first is stored, a stored one matches any. `purpose` separates
     * kinds.
     */
    fingerprints: (purpose: string, text: string): readonly Buffer[] =>
      printKeys.map((key) => createHmac('sha256', key).update(purpose).update('\0').update(text).digest()),
    seal: (plain: string, context: string) => sealBytes(Buffer.from(plain), context),
    open: (sealed: Buffer, context: string) => openWith(sealKeys, sealed, context).plain.toString('utf8'),
    sealBytes,
    openBytes: (sealed: Buffer, context: string) => openWith(sealKeys, sealed, context).plain,
    /** Seals the value again under the newest secret; null if it already is. */
    reseal(sealed: Buffer, context: string): Buffer | null {
      const { plain, at } = openWith(sealKeys, sealed, context)
      return at === 0 ? null : sealBytes(plain, context)
    },
    /** Digests that identify the secrets without revealing them, newest first. */
    keyIds: deploymentSecrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, '', 'causeway/mark/v1', keyIdBytes)).toString('hex'),
    ),
    /** Newest first: the first signs, receivers may see all. */
    eventSigningKeys: deriveEventSigningKeys(deploymentSecrets),
  }
}

/** @returns the plain value, and the index of the key that opened it @throws Error if none does */
function openWith(keys: readonly KeyObject[], sealed: Buffer, context: string): { plain: Buffer; at: number } {
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes)
  const body = sealed.subarray(1 + nonceBytes + tagBytes)
  for (const [at, key] of keys.entries()) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag)
    try {
      return { plain: Buffer.concat([decipher.update(body), decipher.final()]), at }
    } catch {
      // Sealed under another secret of the list, or altered: try the next key.
    }
  }
  throw new Error('a sealed value cannot be opened with the deployment secrets given')
}

/** Derives a provider idempotency key from the operation's name, in the UUID form that the provider recommends. */
export function providerKeyOf(operation: string): string {
  const hex = createHash('sha256').update(`causeway operation ${operation}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
