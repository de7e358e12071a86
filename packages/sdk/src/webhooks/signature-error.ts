// Why a webhook is not believed, from a closed set, with what to do.

import { CausewayError } from '../core/causeway-error.ts'

const texts = {
  body_was_parsed:
    'The body is not the text or the bytes that came. The signature is over the bytes: read them before anything parses them. ' +
    "Express: express.raw({ type: 'application/json' }) on this route, above express.json(). " +
    "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body)). " +
    'Hono: await c.req.text(). Next: await request.text() in a route handler. node:http: Buffer.concat of the chunks.',
  body_is_not_json: 'The signature is right, and the body is no JSON object: it was not sent by Causeway.',
  header_missing:
    'A signature header is missing: webhook-id, webhook-timestamp or webhook-signature. Does a proxy drop it?',
  header_malformed: 'webhook-timestamp is not a number of seconds, or webhook-signature has no signature of this kind.',
  secret_malformed:
    'The signing secret is not `whsec_` and base64: was it copied with white space or quotes, or is its variable not set?',
  too_old: 'The webhook is older than the tolerance: it was replayed, or the clock of this machine is fast.',
  too_new: 'The webhook is from the future: the clock of this machine is slow.',
  secret_of_another_endpoint:
    'No signature fits, and the body looks as it was sent: the secret is most likely that of another endpoint, or was rotated.',
  signature_mismatch:
    'No signature fits: the body was changed on its way (parsed and written again, or another charset), or the secret is wrong.',
  sent_to_another_endpoint: 'The signature is right, and the webhook was sent to another endpoint.',
  no_signature_by_key: 'There is no `v1a` signature: the operator enables them by WEBHOOK_SIGNATURE_SCHEMES=v1,v1a.',
  runtime_without_ed25519:
    'The WebCrypto of this runtime has no Ed25519: check the `v1` signature by the signing secret.',
} as const

/** Why a webhook is not believed. */
export type SignatureReason = keyof typeof texts

/** A webhook that must not be believed: answer 401 and do nothing else. `code` is `signature_invalid`. */
export class SignatureError extends CausewayError {
  static override readonly brand = 'SignatureError'
  declare readonly code: 'signature_invalid'
  readonly reason: SignatureReason

  constructor(reason: SignatureReason, detail = '', options?: { cause?: unknown }) {
    super('signature_invalid', `${reason}: ${texts[reason]}${detail}`, options)
    this.reason = reason
  }
}
