// The thread behind rsa-thread.ts: a batch of checks in, a byte for each out.

import { constants, type KeyObject, verify } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { RsaBatch } from './rsa-thread.ts'

const keys = new Map<number, KeyObject>()

/** One that can not be checked at all must not take the others of its batch with it. */
function isSignedBy(key: KeyObject | undefined, message: Uint8Array, signature: Uint8Array): boolean {
  if (!key) return false
  try {
    return verify('sha256', message, { key, padding: constants.RSA_PKCS1_PADDING }, signature)
  } catch {
    return false
  }
}

parentPort?.on('message', (batch: RsaBatch) => {
  for (const [id, key] of batch.keys) keys.set(id, key)
  let end = 0
  const verdicts = Uint8Array.from(batch.checks, ({ keyId, messageBytes, signatureBytes }) => {
    const message = batch.bytes.subarray(end, end + messageBytes)
    const signature = batch.bytes.subarray(end + messageBytes, end + messageBytes + signatureBytes)
    end += messageBytes + signatureBytes
    return isSignedBy(keys.get(keyId), message, signature) ? 1 : 0
  })
  parentPort?.postMessage(verdicts)
})
