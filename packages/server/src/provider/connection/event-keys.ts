// The public keys of the provider: those of the configuration, and those that `provider connect` stored.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Events, SignatureVerdict } from '../port.ts'

// Another replica may just have registered an endpoint, so a signature that fits no known key reads the stored keys again;
// at most once in two seconds, so that forged signatures do not cost a query each.
const refreshMs = 2_000

/** Identifies a key independently of its PEM line breaks. @returns the text itself when it is not a key */
export function fingerprintOf(pem: string): string {
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64')
  } catch {
    return pem
  }
}

/** Creates the signature check against the configured public keys and those stored by `provider connect`. */
export function createEventVerifier(
  { check, readKey }: Pick<Events, 'check' | 'readKey'>,
  sources: { configuredKeys: readonly string[]; storedKeys: () => Promise<string[]>; now: () => number },
): (rawBody: Buffer, headers: IncomingHttpHeaders) => Promise<SignatureVerdict> {
  const configured = sources.configuredKeys.map(readKey)
  let stored = new Map<string, KeyObject>()
  let storedAtMs = Number.NEGATIVE_INFINITY

  return async (rawBody, headers) => {
    const checkNow = () => check(rawBody, headers, [...configured, ...stored.values()], sources.now())
    const verdict = checkNow()
    if (verdict !== 'wrong' || performance.now() - storedAtMs < refreshMs) return verdict
    const texts = await sources.storedKeys()
    stored = new Map(texts.map((text) => [text, stored.get(text) ?? readKey(text)]))
    storedAtMs = performance.now()
    return checkNow()
  }
}
