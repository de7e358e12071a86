// Everything a program imports from `@causeway/sdk`: the client, its errors, and the types of the API by name.

export { Causeway } from './causeway.ts'
export type { Body, CallInput, Data, OperationId, Query } from './core/api.ts'
export { CausewayError } from './core/causeway-error.ts'
export { ConnectionError } from './core/connection-error.ts'
export {
  AbortedError,
  ApiError,
  type ApiErrorCode,
  AuthenticationError,
  BusinessRuleError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from './core/errors.ts'
export type { CausewayOptions, RequestOptions, WriteOptions } from './core/options.ts'
export type { List, Page } from './core/page.ts'
export type { ApiPromise, WithResponse } from './core/response.ts'
export type { StreamOptions } from './core/stream.ts'
export type { ErrorCodes } from './generated/error-codes.gen.ts'
export type { EventData } from './generated/events.gen.ts'
export { operations } from './generated/operations.gen.ts'
export type * from './generated/types.gen.ts'
export type { SubmitKycOptions } from './resources/kyc.ts'
export type { RawBody, TimeOptions, WebhookHeaders } from './webhooks/envelope.ts'
export { eventOf, type KnownEvent, type OtherEvent, type WebhookEvent } from './webhooks/event.ts'
export type { SignOptions } from './webhooks/sign.ts'
export { SignatureError, type SignatureReason } from './webhooks/signature-error.ts'
export type { KeyVerifyOptions, VerifiedWebhook, WebhookDelivery } from './webhooks/verify.ts'
