// The key pairs of `v1a` event signatures. Derived from the deployment secrets, so that there is nothing to store, back up
// or hand from replica to replica; the public halves are anyone's to read.

import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'

/** RFC 8037. `kid` is the RFC 7638 thumbprint, so every replica gives a key the same name. */
export type PublicSigningKey = {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  use: 'sig'
  alg: 'EdDSA'
}

export type EventSigningKey = { privateKey: KeyObject; publicKey: PublicSigningKey }

/** PKCS #8 of an Ed25519 private key (RFC 8410), up to its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex')
const seedBytes = 32

/** One for each deployment secret, newest first: the first signs, all are published. */
export function deriveEventSigningKeys(deploymentSecrets: readonly string[]): readonly EventSigningKey[] {
  return deploymentSecrets.map((secret) =>
    signingKeyOf(Buffer.from(hkdfSync('sha256', secret, '', 'causeway/event-signatures/v1', seedBytes))),
  )
}

/** @param seed 32 bytes: the private key as RFC 8032 has it */
export function signingKeyOf(seed: Buffer): EventSigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Start, seed]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: publicKeyOf(privateKey) }
}

function publicKeyOf(privateKey: KeyObject): PublicSigningKey {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (x === undefined) throw new Error('an Ed25519 key has no public half')
  const named = { crv: 'Ed25519', kty: 'OKP', x } as const // the order that the thumbprint is taken over
  const kid = createHash('sha256').update(JSON.stringify(named)).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' }
}
