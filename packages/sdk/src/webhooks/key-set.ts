// The keys that a deployment publishes at `/.well-known/jwks.json` (RFC 7517, RFC 8037), kept for five minutes.

import { ConnectionError } from '../core/connection-error.ts'
import { currentTimeMs } from '../core/runtime.ts'
import type { VerifyKey } from './secret.ts'
import { SignatureError } from './signature-error.ts'

/** Published keys. */
export interface KeySet {
  /** The keys as they were at most `maxAgeMs` ago. @throws ConnectionError */
  read(): Promise<readonly VerifyKey[]>
  /** The keys as they are now, unless they were read a moment ago: forged webhooks must not cause a request each. */
  readAgain(): Promise<readonly VerifyKey[]>
}

export interface KeySetOptions {
  /** Default: 300,000 ms, as the server asks for. */
  readonly maxAgeMs?: number
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const againMs = 10_000
const timeoutMs = 10_000
const keysMax = 16

/** RFC 8037. */
type PublicKey = { readonly kty?: string; readonly crv?: string; readonly x?: string }

/** @param url `https://causeway.example.com/.well-known/jwks.json` */
export function createKeySet(url: string, { maxAgeMs = 300_000, fetch }: KeySetOptions = {}): KeySet {
  let readAtMs = Number.NEGATIVE_INFINITY
  let keys: Promise<readonly VerifyKey[]> = Promise.resolve([])
  const readOver = (ageMs: number): Promise<readonly VerifyKey[]> => {
    if (currentTimeMs() - readAtMs < ageMs) return keys
    readAtMs = currentTimeMs()
    keys = readKeys(url, fetch ?? ((address, init) => globalThis.fetch(address, init)))
    keys.catch(() => {
      readAtMs = Number.NEGATIVE_INFINITY // a failure is not kept
    })
    return keys
  }
  return { read: () => readOver(maxAgeMs), readAgain: () => readOver(againMs) }
}

async function readKeys(url: string, fetch: NonNullable<KeySetOptions['fetch']>): Promise<readonly VerifyKey[]> {
  let set: { keys?: PublicKey[] }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (!response.ok) throw new Error(`The answer is ${response.status}.`)
    set = (await response.json()) as typeof set
  } catch (cause) {
    throw new ConnectionError(cause)
  }
  const usable = (set.keys ?? []).filter(({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519')
  return await Promise.all(usable.slice(0, keysMax).map(importPublicKey))
}

/** Browsers disagree on the name in `alg`, so only what makes the key is passed on. */
async function importPublicKey({ kty, crv, x }: PublicKey): Promise<VerifyKey> {
  try {
    return await crypto.subtle.importKey('jwk', { kty, crv, x } as Required<PublicKey>, 'Ed25519', false, ['verify'])
  } catch (cause) {
    throw new SignatureError('runtime_without_ed25519', '', { cause })
  }
}
