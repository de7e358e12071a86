// Checks RSA signatures in a thread of its own, many at a time. On the thread pool each would be a job by itself, and four
// threads would push the event loop off its processor: on two cores that costs a third of the events taken in.

import type { KeyObject } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** Of one batch. `bytes`: of each check the message, then the signature. `keys`: those that the thread does not know yet. */
export type RsaBatch = { checks: RsaCheck[]; bytes: Uint8Array; keys: [id: number, key: KeyObject][] }
export type RsaCheck = { keyId: number; messageBytes: number; signatureBytes: number }

/** Known to the thread by a number; with more than these it is told anew. */
const keysMax = 64

type Waiting = { key: KeyObject; message: Uint8Array; signature: Uint8Array; isValid: PromiseWithResolvers<boolean> }

/** @returns whether this key made this signature: RSASSA-PKCS1-v1_5 with SHA-256 */
export function verifyRsa(key: KeyObject, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const isValid = Promise.withResolvers<boolean>()
  waiting.push({ key, message, signature, isValid })
  // What was read in the same turn of the event loop goes together; what comes while the thread works is the next batch.
  if (waiting.length === 1 && running === null) setImmediate(sendNext)
  return isValid.promise
}

let waiting: Waiting[] = []
let running: readonly Waiting[] | null = null
let thread: { worker: Worker; keyIds: Map<KeyObject, number> } | null = null

function sendNext(): void {
  if (running !== null || waiting.length === 0) return
  const batch = waiting
  running = batch
  waiting = []
  thread ??= startThread()
  if (thread.keyIds.size >= keysMax) thread.keyIds.clear()
  thread.worker.ref()
  const message = packed(batch, thread.keyIds)
  thread.worker.postMessage(message, [message.bytes.buffer as ArrayBuffer])
}

function startThread(): NonNullable<typeof thread> {
  const worker = new Worker(new URL('./rsa-worker.ts', import.meta.url), { execArgv: [] })
  worker.on('message', (verdicts: Uint8Array) => {
    const batch = running ?? []
    running = null
    // It keeps no process alive that waits for nothing.
    worker.unref()
    for (const [at, { isValid }] of batch.entries()) isValid.resolve(verdicts[at] === 1)
    sendNext()
  })
  const failed = (error: Error) => {
    if (thread?.worker !== worker) return
    thread = null
    const batch = running ?? []
    running = null
    for (const { isValid } of batch) isValid.reject(error)
    sendNext()
  }
  worker.on('error', failed)
  worker.on('exit', () => failed(new Error('the thread that checks signatures ended')))
  return { worker, keyIds: new Map() }
}

function packed(batch: readonly Waiting[], keyIds: Map<KeyObject, number>): RsaBatch {
  const keys: RsaBatch['keys'] = []
  const checks = batch.map(({ key, message, signature }) => {
    const known = keyIds.get(key)
    const keyId = known ?? keyIds.size
    if (known === undefined) {
      keyIds.set(key, keyId)
      keys.push([keyId, key])
    }
    return { keyId, messageBytes: message.length, signatureBytes: signature.length }
  })
  const bytes = new Uint8Array(checks.reduce((sum, check) => sum + check.messageBytes + check.signatureBytes, 0))
  let end = 0
  for (const { message, signature } of batch) {
    bytes.set(message, end)
    bytes.set(signature, end + message.length)
    end += message.length + signature.length
  }
  return { checks, bytes, keys }
}
