// Sends a signed event as the provider does: again and again until it is acknowledged, each time freshly signed.

import { setTimeout as delay } from 'node:timers/promises'
import type { ProviderSigner } from '../../../server/test/provider-signer.ts'

const answerMsMax = 5_000
const repeatMs = 100

/** One try. @returns whether it was acknowledged */
export async function post(signer: ProviderSigner, baseUrl: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/v0/webhooks/provider`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': signer.sign(body) },
      body,
      signal: AbortSignal.timeout(answerMsMax),
    })
    await response.arrayBuffer()
    if (response.status === 200) return true
    if (response.status < 500) throw new Refused(`an event was refused with ${response.status}`)
    return false
  } catch (error) {
    if (error instanceof Refused) throw error
    return false
  }
}

class Refused extends Error {}

/**
 * @param baseUrl asked before each try: the replicas come and go
 * @returns the number of tries; null when it was not acknowledged before `signal` ended the wait
 */
export async function postUntilAcknowledged(
  signer: ProviderSigner,
  baseUrl: () => string,
  body: string,
  signal: AbortSignal,
): Promise<number | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    if (await post(signer, baseUrl(), body)) return tries
    await delay(repeatMs)
  }
  return null
}
