// Everything a receiver imports from `@causeway/sdk/webhooks`: verifier, signer, and the types of events.

export { CausewayError } from '../core/causeway-error.ts'
export { ConnectionError } from '../core/connection-error.ts'
export type { EventData } from '../generated/events.gen.ts'
export type { RawBody, TimeOptions, WebhookHeaders } from './envelope.ts'
export { eventOf, type KnownEvent, type OtherEvent, type WebhookEvent } from './event.ts'
export { createKeySet, type KeySet, type KeySetOptions } from './key-set.ts'
export { type SignOptions, sign } from './sign.ts'
export { SignatureError, type SignatureReason } from './signature-error.ts'
export { type KeyVerifyOptions, type VerifiedWebhook, verify, verifyByKeys, type WebhookDelivery } from './verify.ts'
