// The error catalogue: the code, status, message and resolution of every expected error.
// OpenAPI, /docs/reference/errors and the error pages are generated from it. An error that is not listed is a bug and returns 500.
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
  /** The next step for the caller. `{name}` is replaced by a value from `facts`. */
  resolution: string
}

function entry(status: ErrorStatus, message: string, resolution: string): ErrorEntry {
  return { status, message, resolution }
}

const readErrors = 'Correct the request and send it again. `details` lists every problem.'
const checkId = 'Check the ID and the API key. An object that belongs to another business also returns 404.'

export const catalogue = {
  // 400: the request itself
  invalid_json: entry(400, 'The body is not valid JSON.', 'Send a well-formed JSON document.'),
  invalid_multipart: entry(
    400,
    'The multipart body is not well-formed.',
    'Send the JSON as part `data`. Name each file part after the field it fills, for example `identifying_information[0].image_front`.',
  ),
  body_required: entry(400, 'This operation requires a JSON object as its body.', 'Send a JSON object.'),
  json_too_deep: entry(400, 'The JSON body is nested too deeply.', 'Nest objects and arrays at most 32 levels deep.'),
  missing_field: entry(400, 'A required field is missing.', readErrors),
  unknown_field: entry(400, 'The body contains a field that this operation does not accept.', readErrors),
  invalid_type: entry(400, 'A field has the wrong type.', readErrors),
  invalid_value: entry(400, 'A field has a value that is not allowed.', readErrors),
  invalid_format: entry(400, 'A field does not have the required format.', readErrors),
  invalid_length: entry(400, 'A field is too short or too long.', readErrors),
  invalid_query: entry(400, 'A query parameter is not valid.', readErrors),
  invalid_path: entry(400, 'A path parameter is not valid.', readErrors),
  invalid_cursor: entry(
    400,
    'The cursor is not valid for this list.',
    'Use the URL in the `Link` header unchanged, or start without a cursor.',
  ),
  invalid_header: entry(400, 'A request header is not valid.', readErrors),
  unsupported_currency: entry(
    400,
    'This currency is not supported by this deployment.',
    'Choose a currency that `GET /v0/capabilities` lists.',
  ),
  unsupported_payment_rail: entry(
    400,
    'This payment rail is not supported for this currency.',
    'Choose a payment rail that `GET /v0/capabilities` lists for the currency.',
  ),
  invalid_destination_address: entry(
    400,
    'The destination address is not a valid wallet address for this payment rail.',
    'Check the address character by character. Funds sent to a wrong address cannot be recovered.',
  ),
  invalid_developer_fee_percent: entry(
    400,
    'developer_fee_percent must be a decimal string from "0" up to, and not including, "100".',
    'Send a decimal string, for example "0.5" for half a percent.',
  ),
  invalid_branding: entry(400, 'The branding is not valid.', readErrors),
  invalid_redirect_uri: entry(
    400,
    '`redirectUri` is not a valid redirect URL.',
    'Use an absolute `https` URL of at most 2,048 characters, without a user name, password or fragment.',
  ),
  invalid_issuer: entry(
    400,
    'The issuer is not a valid URL.',
    'Use the https URL of your OpenID Connect issuer, without a query. Sandbox mode also allows http to localhost.',
  ),
  invalid_webhook_url: entry(
    400,
    '`webhookUrl` is not a valid webhook URL.',
    'Use an absolute `https` URL with a public host, and no user name or password.',
  ),
  invalid_alert_channel: entry(
    400,
    'The alert channel is not valid.',
    'Send `emails` for a channel of type `email`, and `url` for the types `slack` and `webhook`.',
  ),
  invalid_kyc_data: entry(400, 'The KYC data is not valid.', readErrors),
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
    'Copy the whole key. It starts with `svc_` and ends with a checksum.',
  ),
  api_key_invalid: entry(
    401,
    'The API key is not valid.',
    'Use a key that is not revoked or expired, or create a new one.',
  ),
  wrong_auth_scheme: entry(
    401,
    'The `Authorization` header has the wrong credential or is missing `Bearer`.',
    'Business operations take `Bearer <API_KEY>`; operator operations take `Bearer <ADMIN_SECRET>`.',
  ),
  admin_secret_invalid: entry(401, 'The operator secret is not valid.', 'Send `Authorization: Bearer <ADMIN_SECRET>`.'),
  metrics_token_invalid: entry(
    401,
    'The metrics token is missing or not valid.',
    'Send `Authorization: Bearer <METRICS_TOKEN>`.',
  ),
  console_session_invalid: entry(401, 'The console session has ended.', 'Sign in again.'),
  console_link_invalid: entry(
    401,
    'This console link is no longer valid: it was used, expired or revoked.',
    'Ask the sender for a new link. Each link works once.',
  ),
  onboarding_link_invalid: entry(401, 'This link is not valid.', 'Open the complete link, exactly as you received it.'),
  onboarding_link_expired: entry(401, 'This link has expired.', 'Ask the sender for a new link.'),
  onboarding_link_used_up: entry(401, 'This link was opened too many times.', 'Ask the sender for a new link.'),
  onboarding_link_revoked: entry(
    401,
    'This link is no longer valid: a newer link replaced it, or it was revoked.',
    'Open the newest link, or ask the sender for a new link.',
  ),
  onboarding_session_ended: entry(
    401,
    'This page was opened in another place, or was inactive for an hour.',
    'Open the link again.',
  ),
  webhook_signature_missing: entry(
    401,
    'The event has no signature.',
    'Send the signature in the `X-Webhook-Signature` header.',
  ),
  webhook_signature_invalid: entry(
    401,
    'The signature of the event is not valid.',
    'Sign the raw body with the key of this webhook endpoint.',
  ),
  // 403
  insufficient_scope: entry(
    403,
    'The API key or staff role does not have the scope that this operation requires.',
    'Use a key with the scope {scope}.',
  ),
  staff_role_insufficient: entry(
    403,
    'Your role does not allow this operation.',
    'Ask an administrator to make the change, or to give you another role at the identity provider.',
  ),
  sign_in_too_old: entry(
    403,
    'This operation requires a recent sign-in.',
    'Sign in again, then repeat the operation within {minutes} minutes.',
  ),
  api_key_required: entry(
    403,
    'This operation requires an API key: a staff member cannot call it from the console.',
    'Call the operation with an API key. Staff members sign in with their own accounts.',
  ),
  cross_site_request: entry(
    403,
    'This request uses a console session but was not sent by the console.',
    'Send an API key instead of the cookie. Console pages send the header `X-Causeway-Console`.',
  ),
  onboarding_unavailable: entry(
    403,
    'This page is not available right now. The link is still valid.',
    'Open the link again later, or contact the sender.',
  ),
  business_suspended: entry(403, 'This business is suspended.', 'Contact the operator of this deployment.'),
  // 404
  route_not_found: entry(
    404,
    'No operation exists at this path.',
    'Check the path in the API reference at `/docs/reference/api/`.',
  ),
  staff_not_found: entry(404, 'There is no staff member with this ID.', checkId),
  page_not_built: entry(404, 'This page has not been built.', 'Run `npm run build` in the checkout.'),
  holder_not_found: entry(
    404,
    'There is no end-user with this `externalUserId`.',
    'Create the end-user first with `POST /v0/end-users`.',
  ),
  virtual_account_not_found: entry(404, 'There is no virtual account with this ID.', checkId),
  deposit_not_found: entry(404, 'There is no deposit with this ID.', checkId),
  information_request_not_found: entry(404, 'There is no information request with this ID.', checkId),
  event_not_found: entry(404, 'There is no event with this ID.', checkId),
  delivery_not_found: entry(404, 'There is no delivery with this ID.', checkId),
  api_key_not_found: entry(404, 'There is no API key with this ID.', checkId),
  customer_not_found: entry(404, 'There is no business with this ID.', checkId),
  console_link_not_found: entry(404, 'There is no console link with this ID.', checkId),
  onboarding_link_not_found: entry(404, 'There is no onboarding link with this ID.', checkId),
  webhook_endpoint_not_found: entry(404, 'There is no webhook endpoint with this ID.', checkId),
  alert_channel_not_found: entry(404, 'There is no alert channel with this ID.', checkId),
  replay_not_found: entry(404, 'There is no replay with this ID.', checkId),
  sign_in_not_set: entry(404, 'No sign-in of staff is set.', 'Set it with `PUT /v0/sign-in`.'),
  webhook_url_not_set: entry(404, 'No webhook URL is set.', 'Set one with `PUT /v0/webhook-url`.'),
  // 405, 413, 415
  method_not_allowed: entry(
    405,
    'This path does not support this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  payload_too_large: entry(413, 'The body is larger than this operation allows.', 'Send at most {bytesMax} bytes.'),
  too_many_members: entry(
    413,
    'The body has more members than this operation allows.',
    'Send at most {membersMax} object members and array items in total, at all depths.',
  ),
  unsupported_media_type: entry(
    415,
    'The content type of the body is not supported.',
    'Send `Content-Type: application/json`, without a `Content-Encoding`.',
  ),
  // 409
  console_session_changed: entry(
    409,
    'This browser is now signed in to the console with another session.',
    'Reload the page, or sign in again.',
  ),
  end_user_already_exists: entry(
    409,
    'An end-user with this `externalUserId` already exists.',
    'Use the existing end-user: `GET /v0/end-users/{externalUserId}`.',
  ),
  end_user_in_use: entry(
    409,
    'This end-user cannot be deleted yet.',
    'Deactivate its virtual accounts, wait until its deposits are completed, and retry. `details` lists what is still open.',
  ),
  end_user_type_fixed: entry(
    409,
    'The type cannot be changed because the end-user already exists at the provider.',
    'Delete the end-user with `DELETE /v0/end-users/{externalUserId}` and create it again, or use another `externalUserId`.',
  ),
  kyc_submission_in_progress: entry(
    409,
    'Another KYC submission for this end-user is in progress.',
    'Wait until it is completed, and read the end-user before you submit again.',
  ),
  tos_link_in_progress: entry(
    409,
    'Another Terms of Service link for this end-user is being created.',
    'Retry after the time in `Retry-After`.',
  ),
  account_change_in_progress: entry(
    409,
    'Another change of this virtual account is in progress.',
    'Wait until it is completed, and read the account before you retry.',
  ),
  webhook_endpoint_deleted: entry(
    409,
    'The webhook endpoint of this delivery was deleted.',
    'Resend the event to the current endpoints with `POST /v0/events/:id/replay`.',
  ),
  replay_in_progress: entry(
    409,
    'A replay for this webhook endpoint is already running.',
    'Wait until it is completed, or cancel it. `GET /v0/webhook-endpoints/{webhookEndpointId}/replays` lists it.',
  ),
  cursor_expired: entry(
    409,
    'Events after this cursor are no longer stored.',
    'Continue from the URL in the `Link` header of this response. Then read objects that may have changed, because the expired events are gone.',
  ),
  idempotency_in_progress: entry(
    409,
    'A request with this Idempotency-Key is still in progress.',
    'Retry after the time in `Retry-After`.',
  ),
  // 422
  kyc_not_approved: entry(
    422,
    "The end-user's KYC is not approved.",
    'Check `nextAction` with `GET /v0/end-users/{externalUserId}/kyc-links`, and complete what is missing.',
  ),
  rail_not_enabled: entry(
    422,
    'The end-user is not approved for this currency.',
    'Check `nextAction` with `GET /v0/end-users/{externalUserId}/kyc-links`, and complete what is missing.',
  ),
  coin_not_available_in_region: entry(
    422,
    'The provider does not offer this coin to end-users in the European Economic Area (EEA).',
    'Use `usdc` or `eurc` as `destination.currency`, on a chain that `GET /v0/capabilities` lists for it.',
  ),
  onboarding_not_needed: entry(
    422,
    'This end-user does not need onboarding: it is already approved for the requested rails, or is closed.',
    'Check `kycStatus` and `rails` with `GET /v0/end-users/{externalUserId}`.',
  ),
  tos_not_accepted: entry(
    422,
    'The end-user has not accepted the Terms of Service.',
    'Create a link with `POST /v0/end-users/{externalUserId}/tos-link`, let the end-user accept, and send the resulting `signed_agreement_id`.',
  ),
  signed_agreement_invalid: entry(
    422,
    'The signed agreement is not valid for this end-user: the provider rejected it, or it belongs to another end-user.',
    'Let the end-user accept the Terms of Service again: `POST /v0/end-users/{externalUserId}/tos-link`.',
  ),
  terms_reliance_not_enabled: entry(
    422,
    'This deployment does not allow a business to confirm the acceptance of the Terms of Service for an end-user.',
    'Let the end-user accept them with `POST /v0/end-users/{externalUserId}/tos-link`. If the provider has approved Terms of Service reliance, the operator sets `TERMS_RELIANCE`.',
  ),
  kyc_not_resubmittable: entry(
    422,
    "The end-user's KYC status does not allow a submission.",
    'Check `nextAction` with `GET /v0/end-users/{externalUserId}`.',
  ),
  account_state_conflict: entry(
    422,
    "The virtual account's status does not allow this operation.",
    'Check `status` with `GET /v0/virtual-accounts/:id`.',
  ),
  virtual_account_suspended: entry(
    422,
    'The provider has suspended this virtual account, so its terms cannot be changed.',
    'Wait for the event `virtual_account.resumed`. `details` contains the reason. Until then, you can deactivate the account or change its `metadata`.',
  ),
  sign_in_issuer_unreachable: entry(
    422,
    'The issuer cannot be reached.',
    'Check that `<issuer>/.well-known/openid-configuration` is available on the public internet over https, and send the request again.',
  ),
  sign_in_issuer_mismatch: entry(
    422,
    'The metadata of the issuer names another issuer.',
    'Send `issuer` exactly as the `issuer` member of the metadata spells it. Use the issuer of one tenant.',
  ),
  sign_in_issuer_unusable: entry(
    422,
    'The issuer does not support this sign-in.',
    'Use an OpenID Connect issuer with the authorization code flow and PKCE with S256.',
  ),
  webhook_endpoint_limit_reached: entry(
    422,
    'This business has reached the maximum number of webhook endpoints.',
    'Change one of the {endpointsMax} endpoints with `PATCH /v0/webhook-endpoints/:id`, or delete one that you do not need.',
  ),
  alert_channel_limit_reached: entry(
    422,
    'The maximum number of alert channels is reached.',
    'Change one of the {channelsMax} channels with `PATCH`, or delete one that you do not need.',
  ),
  email_not_configured: entry(
    422,
    'This deployment cannot send email.',
    'Choose another type of channel, or ask the operator to set `SMTP_URL` and `ALERT_EMAIL_FROM`.',
  ),
  api_key_limit_reached: entry(
    422,
    'This business has reached the maximum number of active API keys.',
    'Revoke one of the {liveKeysMax} keys that you do not need. `GET /v0/api-keys` shows when each key was last used.',
  ),
  provider_rejected: entry(
    422,
    'The payment provider rejected the request.',
    'Check `details`: it lists the fields that the provider named, or the provider’s own code and message.',
  ),
  webhook_endpoint_without_inbox: entry(
    422,
    'The URL of this webhook endpoint is not an inbox of the sandbox provider.',
    'Set the URL of the endpoint to `/inbox/<name>` at the sandbox provider.',
  ),
  sandbox_out_of_step: entry(
    422,
    'The sandbox provider no longer has this object because it was reset separately.',
    'Reset both sides with `POST /v0/sandbox/reset` (or `npm start -- --reset`), then start over.',
  ),
  idempotency_key_reused: entry(
    422,
    'This Idempotency-Key was already used with a different body.',
    'Use a new key for a new request.',
  ),
  // 429
  rate_limited: entry(
    429,
    'Too many requests.',
    'Retry after the time in `Retry-After`, and send requests less often.',
  ),
  too_many_readers: entry(
    429,
    'Too many open long-poll requests for events.',
    'Keep one open request per business. Retry after the time in `Retry-After`.',
  ),
  alert_test_limited: entry(
    429,
    'This channel got a test message less than a minute ago.',
    'Retry after the time in `Retry-After`.',
  ),
  // 5xx
  internal_error: entry(
    500,
    'Causeway failed to handle this request because of an internal error.',
    'Retry with the same `Idempotency-Key`. If the error remains, report the request ID to the operator.',
  ),
  not_offered: entry(422, 'The payment provider of this deployment does not support this operation.', 'Do not retry.'),
  provider_response_unreadable: entry(
    500,
    'The payment provider returned a response that cannot be read.',
    'Do not send a new request. Causeway reads the outcome from the provider and completes the operation. Read the object later, and report the request ID to the operator.',
  ),
  provider_unavailable: entry(503, 'The payment provider cannot be reached.', 'Retry after the time in `Retry-After`.'),
  database_unavailable: entry(
    503,
    'The service cannot save data right now.',
    'Retry with the same `Idempotency-Key` after the time in `Retry-After`.',
  ),
  page_building: entry(503, 'This page is being built.', 'Retry after the time in `Retry-After`.'),
  shutting_down: entry(503, 'This server is shutting down.', 'Retry the request. Another server will handle it.'),
  provider_timeout: entry(
    504,
    'The payment provider did not respond in time, so the outcome is not known yet.',
    'Causeway completes the operation in the background. Read the object, or retry with the same `Idempotency-Key`: a retry does not create a duplicate.',
  ),
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof catalogue

export type ErrorDetail = { param: string; code: string; message: string }

export type ErrorExtra = {
  /** Values for `{name}` in the resolution. */
  facts?: Record<string, string | number>
  /** The field that is not valid. Default: the first of `details`. */
  param?: string
  details?: ErrorDetail[]
  /** Replaces the message. Names the field and the rule, never the value that was sent. */
  message?: string
  /** Replaces the resolution, where a more exact one is known. */
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

/** An expected error. Create it with `fail`. */
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

export function categoryOf(status: ErrorStatus): ErrorCategory {
  return categoryByStatus[status]
}

/** Returns true if the same request may succeed later. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = catalogue[code]
  return (status === 429 || status >= 500 || retryableCodes.has(code)) && code !== 'provider_response_unreadable'
}

export function resolutionOf(error: ApiError): string {
  if (error.extra.resolution !== undefined) return error.extra.resolution
  return catalogue[error.code].resolution.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const fact = error.extra.facts?.[name]
    return fact === undefined ? whole : encodeURIComponent(String(fact)).replaceAll('%3A', ':')
  })
}

/** Builds the body of every error response. */
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

/** Builds the same error as RFC 9457 `application/problem+json`. */
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
