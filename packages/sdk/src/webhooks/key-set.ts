// The keys that a deployment publishes at `/.well-known/jwks.json` (RFC 7517, RFC 8037), cached for five minutes.

import { ConnectionError } from '../core/connection-error.ts'
import { currentTimeMs } from '../core/runtime.ts'
import type { VerifyKey } from './secret.ts'
import { SignatureError } from './signature-error.ts'

/** Published keys. Cached keys are used until newer keys can be read, however long the URL is unavailable. */
export interface KeySet {
  /** Keys that are at most `maxAgeMs` old, or the last keys that could be read. @throws ConnectionError without any */
  read(): Promise<readonly VerifyKey[]>
  /** The current keys, unless they were just requested: forged webhooks must not cause one request each. */
  readAgain(): Promise<readonly VerifyKey[]>
}

export interface KeySetOptions {
  /** Default: 300,000 ms, as in the `Cache-Control` of the server. */
  readonly maxAgeMs?: number | undefined
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Minimum milliseconds between two requests, after a success or a failure. */
const againMs = 10_000
/** The same without any keys: then no webhook can be verified, and the server resends after 5 s. */
const againWithoutKeysMs = 1_000
const timeoutMs = 10_000
const keysMax = 16

/** RFC 8037. */
type PublicKey = { readonly kty?: string; readonly crv?: string; readonly x?: string }

/** @param url `https://causeway.example.com/.well-known/jwks.json` */
export function createKeySet(url: string, { maxAgeMs = 300_000, fetch }: KeySetOptions = {}): KeySet {
  let keys: readonly VerifyKey[] | null = null
  let keysAtMs = Number.NEGATIVE_INFINITY
  let failure: unknown = null
  let triedAtMs = Number.NEGATIVE_INFINITY
  let trying: Promise<void> | null = null

  const attempt = async (): Promise<void> => {
    try {
      keys = await readKeys(url, fetch ?? ((address, init) => globalThis.fetch(address, init)))
      keysAtMs = currentTimeMs()
    } catch (cause) {
      failure = cause
    }
    triedAtMs = currentTimeMs()
    trying = null
  }
  const readOver = async (ageMs: number): Promise<readonly VerifyKey[]> => {
    const isFresh = currentTimeMs() - keysAtMs < ageMs
    const isPaused = currentTimeMs() - triedAtMs < (keys === null ? againWithoutKeysMs : againMs)
    if (!isFresh && !isPaused) {
      trying ??= attempt()
      await trying
    }
    if (keys === null) throw failure
    return keys
  }
  return { read: () => readOver(maxAgeMs), readAgain: () => readOver(againMs) }
}

async function readKeys(url: string, fetch: NonNullable<KeySetOptions['fetch']>): Promise<readonly VerifyKey[]> {
  let set: { keys: PublicKey[] }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (!response.ok) throw new Error(`The response status is ${response.status}.`)
    set = (await response.json()) as typeof set
    if (!Array.isArray(set?.keys)) throw new Error('The response is not a key set.')
  } catch (cause) {
    throw new ConnectionError(cause)
  }
  const usable = set.keys.filter(({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519')
  return await Promise.all(usable.slice(0, keysMax).map(importPublicKey))
}

/** Browsers disagree on the name in `alg`, so only the members of the key itself are passed on. */
async function importPublicKey({ kty, crv, x }: PublicKey): Promise<VerifyKey> {
  try {
    return await crypto.subtle.importKey('jwk', { kty, crv, x } as Required<PublicKey>, 'Ed25519', false, ['verify'])
  } catch (cause) {
    throw new SignatureError('runtime_without_ed25519', '', { cause })
  }
}
