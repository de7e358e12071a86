// The reasons why a webhook is not valid, each with a remedy.

import { CausewayError } from '../core/causeway-error.ts'

const texts = {
  body_was_parsed:
    'The body is not the received text or bytes. The signature covers the bytes: read them before any parser. ' +
    "Express: express.raw({ type: 'application/json' }) on this route, above express.json(). " +
    "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body)). " +
    'Hono: await c.req.text(). Next: await request.text() in a route handler. node:http: Buffer.concat of the chunks.',
  body_is_not_json: 'The signature is valid, but the body is not a JSON object, so Causeway did not send it.',
  header_missing:
    'A signature header is missing: webhook-id, webhook-timestamp or webhook-signature. Check whether a proxy removes it.',
  header_malformed:
    'A header is malformed. webhook-timestamp must be a number of seconds, webhook-signature must contain a signature of this ' +
    'kind, and svc-external-user-id must be percent-encoded. Check whether a proxy changes headers.',
  secret_malformed:
    'The signing secret must be `whsec_` and base64. Check for white space and quotes, and that its variable is set.',
  too_old: 'The webhook is older than the tolerance: it was replayed, or the clock of this machine is ahead.',
  too_new: 'The webhook is from the future: the clock of this machine is behind.',
  secret_of_another_endpoint:
    'No signature matches, but the body looks like a body of Causeway: the secret probably belongs to another endpoint, or was ' +
    'rotated. A forged webhook can look the same.',
  signature_mismatch:
    'No signature matches: the body was changed on its way (parsed and written again, or another charset), or the secret is wrong.',
  sent_to_another_endpoint: 'The signature is valid, but the webhook was sent to another endpoint.',
  no_signature_by_key: 'There is no `v1a` signature. The operator enables it with WEBHOOK_SIGNATURE_SCHEMES=v1,v1a.',
  runtime_without_ed25519:
    'The WebCrypto of this runtime has no Ed25519. Verify the `v1` signature with the signing secret.',
} as const

/** Why the webhook is not valid. */
export type SignatureReason = keyof typeof texts

/** A webhook that you must not trust: respond with 401 and do nothing else. `code` is `signature_invalid`. */
export class SignatureError extends CausewayError {
  static override readonly brand = 'SignatureError'
  declare readonly code: 'signature_invalid'
  readonly reason: SignatureReason

  constructor(reason: SignatureReason, detail = '', options?: { cause?: unknown }) {
    super('signature_invalid', `${reason}: ${texts[reason]}${detail}`, options)
    this.reason = reason
  }
}
