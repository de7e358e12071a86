// The provider's public keys: those of the configuration, and those stored when we registered our endpoints.

import type { KeyObject } from 'node:crypto'
import { parseProviderPublicKey, type SignatureVerdict, verifyProviderSignature } from './signature.ts'

// Another replica may just have registered an endpoint: a signature that fits no known key is worth one look, but
// forged ones must not cost a query each.
const refreshMs = 2_000

export function createEventVerifier(sources: {
  configuredKeys: readonly string[]
  storedKeys: () => Promise<string[]>
  now: () => number
}): (rawBody: Buffer, header: string | undefined) => Promise<SignatureVerdict> {
  const configured = sources.configuredKeys.map(parseProviderPublicKey)
  let stored = new Map<string, KeyObject>()
  let storedAt = Number.NEGATIVE_INFINITY

  const refresh = async (): Promise<boolean> => {
    // A clock that was set back must not keep a new key out.
    if (Math.abs(sources.now() - storedAt) < refreshMs) return false
    const pems = await sources.storedKeys()
    stored = new Map(pems.map((pem) => [pem, stored.get(pem) ?? parseProviderPublicKey(pem)]))
    storedAt = sources.now()
    return true
  }

  return async (rawBody, header) => {
    const verify = () =>
      verifyProviderSignature({
        header,
        rawBody,
        publicKeys: [...configured, ...stored.values()],
        nowMs: sources.now(),
      })
    const verdict = await verify()
    return verdict === 'wrong' && (await refresh()) ? await verify() : verdict
  }
}
