// The error catalogue: code, status, public text and remedy of every expected failure stand here and nowhere else.
// OpenAPI, /docs/reference/errors and the error pages are generated from it. Anything not listed is a bug and reads as 500.
// Above the usual length: it is one table, and one place to look is its purpose.

const categoryByStatus = {
  400: 'validation_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'validation_error',
  409: 'conflict_error',
  413: 'validation_error',
  415: 'validation_error',
  422: 'business_rule_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'unavailable_error',
  504: 'unavailable_error',
} as const

export type ErrorStatus = keyof typeof categoryByStatus
export type ErrorCategory = (typeof categoryByStatus)[ErrorStatus]

export type ErrorEntry = {
  status: ErrorStatus
  message: string
  /** What the caller does about it. `{name}` is filled from the call site's `facts`. */
  resolution: string
}

function entry(status: ErrorStatus, message: string, resolution: string): ErrorEntry {
  return { status, message, resolution }
}

const readErrors = 'Correct the request and send it again; `details` lists every problem found.'
const checkId = 'Check the identifier. Objects of other businesses read as absent.'

export const catalogue = {
  // 400: the request itself
  invalid_json: entry(400, 'The body is not valid JSON.', 'Send a well-formed JSON document.'),
  invalid_multipart: entry(
    400,
    'The multipart body is not well-formed.',
    'Send the JSON as the part `data`, and each file as a part named after its place in it.',
  ),
  body_required: entry(400, 'This operation needs a JSON object as its body.', 'Send a JSON object.'),
  json_too_deep: entry(400, 'The JSON body is nested too deeply.', 'Nest objects and arrays at most 32 levels deep.'),
  missing_field: entry(400, 'A required field is missing.', readErrors),
  unknown_field: entry(400, 'The body has a field this operation does not know.', readErrors),
  invalid_type: entry(400, 'A field has the wrong type.', readErrors),
  invalid_value: entry(400, 'A field has a value that is not allowed.', readErrors),
  invalid_format: entry(400, 'A field does not have the required form.', readErrors),
  invalid_length: entry(400, 'A field is too short or too long.', readErrors),
  invalid_query: entry(400, 'A query parameter is not valid.', readErrors),
  invalid_path: entry(400, 'A path parameter is not valid.', readErrors),
  invalid_cursor: entry(
    400,
    'The cursor is not one this list gave out.',
    'Start again without it, or follow the `Link` header.',
  ),
  invalid_header: entry(400, 'A request header is not valid.', readErrors),
  unsupported_currency: entry(
    400,
    'This currency is not supported here.',
    'See `GET /v0/capabilities` for what is supported.',
  ),
  unsupported_payment_rail: entry(
    400,
    'This payment rail is not supported for this currency.',
    'See `GET /v0/capabilities` for what is supported.',
  ),
  invalid_destination_address: entry(
    400,
    'The destination address is not a valid wallet address of this rail.',
    'Check the address character by character: funds sent to a wrong address are lost.',
  ),
  invalid_developer_fee_percent: entry(
    400,
    'developer_fee_percent must be a decimal string from "0" up to, and not including, "100".',
    'Write a half percent as "0.5".',
  ),
  invalid_branding: entry(400, 'The branding cannot be used.', 'Read `details`: each names what is wrong with it.'),
  invalid_redirect_uri: entry(
    400,
    'redirectUri is not an acceptable address.',
    'Use an absolute https address without user information or fragment, at most 2,048 characters.',
  ),
  invalid_webhook_url: entry(
    400,
    'webhookUrl is not an acceptable address.',
    'Use an absolute https address of a public host, without user information.',
  ),
  invalid_kyc_data: entry(400, 'The KYC data has problems of form.', readErrors),
  webhook_signature_stale: entry(
    400,
    'The webhook signature is too old.',
    'Send the event again with a fresh signature.',
  ),
  // 401
  api_key_missing: entry(401, 'No API key was sent.', 'Send `Authorization: Bearer <API_KEY>`.'),
  api_key_malformed: entry(
    401,
    'The API key is malformed.',
    'Copy the whole key: it starts with `svc_` and carries a checksum.',
  ),
  api_key_invalid: entry(401, 'The API key is not valid.', 'Use a current key, or issue a new one.'),
  wrong_auth_scheme: entry(
    401,
    'This operation needs another kind of credential, or `Bearer` in front of it.',
    'Business operations take `Bearer <API_KEY>`; operator operations take `Bearer <ADMIN_SECRET>`.',
  ),
  admin_secret_invalid: entry(401, 'The operator secret is not valid.', 'Send `Authorization: Bearer <ADMIN_SECRET>`.'),
  metrics_token_invalid: entry(
    401,
    'The token of the metrics is missing or wrong.',
    'Send `Authorization: Bearer <METRICS_TOKEN>`.',
  ),
  console_session_invalid: entry(401, 'The session of the console has ended.', 'Sign in again.'),
  console_link_invalid: entry(
    401,
    'This link into the console does not work any more: it was used, has expired, or was revoked.',
    'Ask for a new link from the one who sent it. Each works once.',
  ),
  onboarding_link_invalid: entry(
    401,
    'This link is not valid.',
    'Open the link as it was sent, to its last character.',
  ),
  onboarding_link_expired: entry(401, 'This link has expired.', 'Ask for a new link from the one who sent it.'),
  onboarding_link_used_up: entry(
    401,
    'This link was opened too many times.',
    'Ask the sender of the link for a new one.',
  ),
  onboarding_link_revoked: entry(
    401,
    'This link does not work any more: a newer one was made, or it was revoked.',
    'Open the newest link, or ask for one from the one who sent it.',
  ),
  onboarding_session_ended: entry(
    401,
    'This page was opened somewhere else, or nothing was done for an hour.',
    'Open the link again.',
  ),
  webhook_signature_missing: entry(
    401,
    'The event carries no signature.',
    'Sign the event: header `X-Webhook-Signature`.',
  ),
  webhook_signature_invalid: entry(
    401,
    'The signature of the event is wrong.',
    'Sign the raw body with the key of this webhook endpoint.',
  ),
  // 403
  insufficient_scope: entry(
    403,
    'The API key lacks the scope for this operation.',
    'Use a key with the scope {scope}.',
  ),
  cross_site_request: entry(
    403,
    'This request does not come from a page of the console.',
    'Send an API key instead of a cookie. A page of the console sends the header `X-Causeway-Console`.',
  ),
  onboarding_unavailable: entry(
    403,
    'This page is not available at the moment. The link is valid.',
    'Open the link again later, or ask the sender of the link.',
  ),
  business_suspended: entry(403, 'This business is suspended.', 'Ask the operator of this service.'),
  // 404
  route_not_found: entry(404, 'There is no such path.', 'See `/docs` for every operation.'),
  page_not_built: entry(404, 'This page has not been built.', 'Build the pages in the checkout: `npm run build`.'),
  holder_not_found: entry(
    404,
    'There is no end-user with this externalUserId.',
    'Create the end-user first with `POST /v0/end-users`.',
  ),
  virtual_account_not_found: entry(404, 'There is no virtual account with this id.', checkId),
  deposit_not_found: entry(404, 'There is no deposit with this id.', checkId),
  information_request_not_found: entry(404, 'There is no information request with this id.', checkId),
  event_not_found: entry(404, 'There is no event with this id.', checkId),
  delivery_not_found: entry(404, 'There is no delivery with this id.', checkId),
  api_key_not_found: entry(404, 'There is no API key with this id.', checkId),
  customer_not_found: entry(404, 'There is no business with this id.', checkId),
  console_link_not_found: entry(404, 'There is no console link with this id.', checkId),
  onboarding_link_not_found: entry(404, 'There is no onboarding link with this id.', checkId),
  webhook_endpoint_not_found: entry(404, 'There is no webhook endpoint with this id.', checkId),
  replay_not_found: entry(404, 'There is no replay with this id.', checkId),
  webhook_url_not_set: entry(404, 'No webhook URL is set.', 'Set one with `PUT /v0/webhook-url`.'),
  // 405, 413, 415
  method_not_allowed: entry(
    405,
    'This path does not take this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  payload_too_large: entry(413, 'The body is larger than this operation takes.', 'Send at most {bytesMax} bytes.'),
  too_many_members: entry(
    413,
    'The body has more members than this operation takes.',
    'Send at most {membersMax} members of objects and items of arrays, at all depths together.',
  ),
  unsupported_media_type: entry(
    415,
    'The content type of the body is not supported.',
    'Send `Content-Type: application/json`, without a `Content-Encoding`.',
  ),
  // 409
  console_session_changed: entry(
    409,
    'This browser is signed in to the console as somebody else now.',
    'Load the page again, or sign in again.',
  ),
  end_user_already_exists: entry(
    409,
    'An end-user with this externalUserId exists already.',
    'Use the existing end-user: `GET /v0/end-users/{externalUserId}`.',
  ),
  end_user_in_use: entry(
    409,
    'This end-user cannot be erased now.',
    'Deactivate its virtual accounts, wait for its deposits to end, then try again. `details` lists what is open.',
  ),
  end_user_type_fixed: entry(
    409,
    'The type of this end-user cannot be changed any more: the provider knows it.',
    'Erase the end-user with `DELETE /v0/end-users/{externalUserId}` and create it anew, or use another externalUserId.',
  ),
  kyc_submission_in_progress: entry(
    409,
    'Another KYC submission for this end-user is being sent.',
    'Wait for it, then read the end-user before you submit again.',
  ),
  tos_link_in_progress: entry(
    409,
    'Another Terms-of-Service link for this end-user is being made.',
    'Repeat the request after the time in `Retry-After`.',
  ),
  account_change_in_progress: entry(
    409,
    'Another change of this virtual account is being made.',
    'Wait for it, then read the account before you try again.',
  ),
  webhook_endpoint_deleted: entry(
    409,
    'The webhook endpoint of this delivery was deleted.',
    'Send the event to the endpoints that are there: `POST /v0/events/:id/replay`.',
  ),
  replay_in_progress: entry(
    409,
    'A replay for this webhook endpoint is running.',
    'Wait for it or cancel it: `GET /v0/webhook-endpoints/{webhookEndpointId}/replays`.',
  ),
  cursor_expired: entry(
    409,
    'Events after this cursor are not kept any more.',
    'Go on with the next kept event, by the `Link` header of this answer, and read the objects anew that may have changed.',
  ),
  idempotency_in_progress: entry(
    409,
    'A request with this Idempotency-Key is still running.',
    'Repeat the request after the time in `Retry-After`.',
  ),
  // 422
  kyc_not_approved: entry(
    422,
    'KYC of this end-user is not approved.',
    'See `GET /v0/end-users/{externalUserId}/kyc-links` for what is open.',
  ),
  rail_not_enabled: entry(
    422,
    'This end-user is not approved for this currency.',
    'See `GET /v0/end-users/{externalUserId}/kyc-links` for what is open.',
  ),
  coin_not_available_in_region: entry(
    422,
    'The provider does not offer this coin to end-users in the European Economic Area (EEA).',
    'Use `usdc` or `eurc` as `destination.currency`, on a chain that `GET /v0/capabilities` lists for it.',
  ),
  onboarding_not_needed: entry(
    422,
    'This end-user is approved for all that was asked for, or cannot be onboarded any more.',
    'See `kycStatus` and `rails` of `GET /v0/end-users/{externalUserId}`.',
  ),
  tos_not_accepted: entry(
    422,
    'The end-user has not accepted the Terms of Service.',
    'Create a link with `POST /v0/end-users/{externalUserId}/tos-link` and send the `signed_agreement_id` it yields.',
  ),
  signed_agreement_invalid: entry(
    422,
    'The signed agreement does not count for this end-user: the provider refused it, or it counts for another end-user.',
    'Let the end-user accept the Terms of Service again: `POST /v0/end-users/{externalUserId}/tos-link`.',
  ),
  terms_reliance_not_enabled: entry(
    422,
    'Businesses of this deployment cannot state that an end-user has accepted the Terms of Service.',
    'Let the end-user accept them with `POST /v0/end-users/{externalUserId}/tos-link`. If the provider has approved Terms of Service reliance, the operator sets `TERMS_RELIANCE`.',
  ),
  kyc_not_resubmittable: entry(
    422,
    'KYC of this end-user cannot be submitted in its present state.',
    'See `nextAction` of `GET /v0/end-users/{externalUserId}`.',
  ),
  account_state_conflict: entry(
    422,
    'The virtual account is not in a state that allows this.',
    'Read the account: `status` tells its state.',
  ),
  virtual_account_suspended: entry(
    422,
    'The provider does not accept deposits for this virtual account at the moment, so its terms cannot be changed.',
    'Wait for the event `virtual_account.resumed`; `details` names the reason. Until then you can deactivate the account and change its `metadata`.',
  ),
  webhook_endpoint_limit_reached: entry(
    422,
    'This business has as many webhook endpoints as it can have.',
    'Change one of the {endpointsMax} with `PATCH /v0/webhook-endpoints/:id`, or delete one that is not needed.',
  ),
  api_key_limit_reached: entry(
    422,
    'This business has as many live API keys as it can have.',
    'Revoke one of the {liveKeysMax} that is not needed: `GET /v0/api-keys` tells when each was last used.',
  ),
  provider_rejected: entry(
    422,
    'The payment provider refused the request.',
    'Read `details`: the fields that the provider named, or its own code and text where it named none.',
  ),
  webhook_endpoint_without_inbox: entry(
    422,
    'This webhook endpoint does not lead to an inbox of the emulated provider.',
    'Give the endpoint the address `/inbox/<name>` at the emulated provider.',
  ),
  sandbox_out_of_step: entry(
    422,
    'The emulated provider does not know this object any more: it was reset by itself.',
    'Forget it on both sides with `POST /v0/sandbox/reset` (or `npm start -- --reset`), then begin anew.',
  ),
  idempotency_key_reused: entry(
    422,
    'This Idempotency-Key was used with another body.',
    'Use a new key for a new request.',
  ),
  // 429
  rate_limited: entry(429, 'Too many requests.', 'Wait for the time in `Retry-After`, then go on more slowly.'),
  too_many_readers: entry(
    429,
    'Too many requests wait for events.',
    'Repeat the request after the time in `Retry-After`; one waiting request for a business is enough.',
  ),
  // 5xx
  internal_error: entry(
    500,
    'Something went wrong on our side.',
    'Try again later; quote the request id when you report it.',
  ),
  not_offered: entry(
    422,
    'The payment provider of this deployment does not support this.',
    'Do not repeat the request.',
  ),
  provider_response_unreadable: entry(
    500,
    'The payment provider responded, but its response cannot be read.',
    'Do not send a new request: Causeway reads the outcome at the provider and completes the operation. Read the object later, and give the request ID to the operator.',
  ),
  provider_unavailable: entry(
    503,
    'The payment provider cannot be reached.',
    'Repeat the request after the time in `Retry-After`.',
  ),
  database_unavailable: entry(
    503,
    'The service cannot store anything at the moment.',
    'Repeat the request after the time in `Retry-After`.',
  ),
  page_building: entry(503, 'This page is being built.', 'Repeat the request after the time in `Retry-After`.'),
  shutting_down: entry(503, 'This server is shutting down.', 'Repeat the request: another server takes it.'),
  provider_timeout: entry(
    504,
    'The payment provider did not answer in time; the outcome is not known yet.',
    'Read the object before you repeat: the service completes the operation by itself. A repeat with the same Idempotency-Key makes nothing twice.',
  ),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof catalogue

export type ErrorDetail = { param: string; code: string; message: string }

export type ErrorExtra = {
  /** Fills `{name}` in the remedy. */
  facts?: Record<string, string | number>
  /** The one field at fault; taken from `details` when absent. */
  param?: string
  details?: ErrorDetail[]
  /** Replaces the catalogue's text. Names the field and the rule, never the value that was sent. */
  message?: string
  /** Replaces the catalogue's remedy, where one is known for this very case. */
  resolution?: string
  headers?: Record<string, string>
  retryAfterSeconds?: number
  cause?: unknown
}

const retryableCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'idempotency_in_progress',
  'kyc_submission_in_progress',
  'account_change_in_progress',
  'tos_link_in_progress',
])

/** An expected failure, on its way to the caller. Made by `fail`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: ErrorStatus
  readonly extra: ErrorExtra

  constructor(code: ErrorCode, extra: ErrorExtra) {
    super(extra.message ?? catalogue[code].message, { cause: extra.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = catalogue[code].status
    this.extra = extra
  }
}

/** `throw fail('kyc_not_approved', { facts: { externalUserId } })` */
export function fail(code: ErrorCode, extra: ErrorExtra = {}): ApiError {
  return new ApiError(code, extra)
}

/** Reads the category of a status, as `error.type` names it. */
export function categoryOf(status: ErrorStatus): ErrorCategory {
  return categoryByStatus[status]
}

/** Tells whether the same request may succeed later. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = catalogue[code]
  return (status === 429 || status >= 500 || retryableCodes.has(code)) && code !== 'provider_response_unreadable'
}

/** Fills the remedy of an error with the facts of its call site. */
export function resolutionOf(error: ApiError): string {
  if (error.extra.resolution !== undefined) return error.extra.resolution
  return catalogue[error.code].resolution.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const fact = error.extra.facts?.[name]
    return fact === undefined ? whole : encodeURIComponent(String(fact)).replaceAll('%3A', ':')
  })
}

/** Makes the public body of an error: one shape for every status. */
export function errorBody(error: ApiError, context: { requestId: string; docsUrl: string }) {
  const details = error.extra.details
  const param = error.extra.param ?? details?.[0]?.param
  return {
    error: {
      type: categoryOf(error.status),
      code: error.code,
      message: error.message,
      requestId: context.requestId,
      ...(param === undefined || param === '' ? {} : { param }),
      ...(details === undefined ? {} : { details }),
      resolution: resolutionOf(error),
      docUrl: `${context.docsUrl}/errors/${error.code}`,
      retryable: isRetryable(error.code),
    },
  }
}

/** Makes the body of the same error as RFC 9457 `application/problem+json`. */
export function problemBody(error: ApiError, context: { requestId: string; docsUrl: string }) {
  const { docUrl, message, ...members } = errorBody(error, context).error
  return {
    ...members,
    type: docUrl,
    title: catalogue[error.code].message,
    status: error.status,
    detail: message,
    category: members.type,
  }
}
