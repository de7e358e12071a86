// Signs webhooks as Causeway does, so that a program can test its receiver without a server.

import { currentTimeMs, drawId } from '../core/runtime.ts'
import { bytesOf, encodeBase64, type RawBody, signedBytes } from './envelope.ts'
import { importSecrets } from './secret.ts'

export interface SignOptions {
  /** The `webhook-id`. Default: a new one. */
  readonly id?: string | undefined
  /** The time of sending. Default: now. */
  readonly now?: Date | undefined
}

/**
 * Signs a body for a test.
 * @param secrets `whsec_…`; two secrets sign as during a rotation
 * @returns the three headers of Standard Webhooks
 * @throws SignatureError `secret_malformed`, `body_was_parsed`
 */
export async function sign(
  rawBody: RawBody,
  secrets: string | readonly string[],
  { id = `msg_${drawId()}`, now }: SignOptions = {},
): Promise<{ 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }> {
  const time = String(Math.floor((now?.getTime() ?? currentTimeMs()) / 1_000))
  const signed = signedBytes(id, time, bytesOf(rawBody))
  const signatures: string[] = []
  for (const key of await importSecrets(secrets)) {
    const signature = await crypto.subtle.sign('HMAC', key, signed)
    signatures.push(`v1,${encodeBase64(signature)}`)
  }
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures.join(' ') }
}
