// Signs events as the provider documents it, so that a test can send what the emulator never would.

import { createHash, generateKeyPairSync, sign } from 'node:crypto'

export type ProviderSigner = {
  /** PEM, for PROVIDER_WEBHOOK_PUBLIC_KEYS. */
  publicKey: string
  /** The value of `X-Webhook-Signature`. */
  sign(body: Buffer | string, atMs?: number): string
}

export function createProviderSigner(): ProviderSigner {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign(body, atMs = Date.now()) {
      const digest = createHash('sha256').update(`${atMs}.`).update(body).digest()
      return `t=${atMs},v0=${sign('sha256', digest, privateKey).toString('base64')}`
    },
  }
}
