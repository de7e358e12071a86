// Webhooks as a receiver handles them, for a program that has a client at hand.

import type { Transport } from '../core/request.ts'
import type { RawBody, TimeOptions, WebhookHeaders } from '../webhooks/envelope.ts'
import { createKeySet, type KeySet } from '../webhooks/key-set.ts'
import { type SignOptions, sign } from '../webhooks/sign.ts'
import { type KeyVerifyOptions, type VerifiedWebhook, verify, verifyByKeys } from '../webhooks/verify.ts'

export class Webhooks {
  readonly #keySet: KeySet

  constructor(transport: Transport) {
    this.#keySet = createKeySet(transport.urlOf('/.well-known/jwks.json'), { fetch: transport.fetch })
  }

  /**
   * Verifies a webhook with its signing secret, or with one of several. Sends nothing.
   * @param rawBody the received text or bytes, before any parser
   * @returns the event, typed by `type`
   * @throws SignatureError with the cause in `reason`
   */
  verify(
    rawBody: RawBody,
    headers: WebhookHeaders,
    secrets: string | readonly string[],
    options?: TimeOptions,
  ): Promise<VerifiedWebhook> {
    return verify(rawBody, headers, secrets, options)
  }

  /**
   * Verifies a webhook with the published keys of this deployment, which are cached for five minutes.
   * @throws SignatureError with the cause in `reason`; ConnectionError when the keys cannot be read
   */
  verifyByKeys(rawBody: RawBody, headers: WebhookHeaders, options: KeyVerifyOptions): Promise<VerifiedWebhook> {
    return verifyByKeys(rawBody, headers, this.#keySet, options)
  }

  /** Signs a body as Causeway does, for tests of a receiver. @returns the three headers of Standard Webhooks */
  sign(rawBody: RawBody, secrets: string | readonly string[], options?: SignOptions): ReturnType<typeof sign> {
    return sign(rawBody, secrets, options)
  }
}
