// Options of the client, and of one request.

export interface CausewayOptions {
  /**
   * The URL of Causeway, such as `https://causeway.example.com`. A path before `/v0` is kept, and a trailing `/v0` is accepted.
   */
  readonly baseUrl: string
  /** `svc_test_…` or `svc_live_…`. Null if `fetch` authenticates, for example with a cookie. */
  readonly apiKey: string | null
  /** The timeout of one attempt, including the whole response, in milliseconds. Default: 60,000 ms. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries after a temporary failure. Default: 2. */
  readonly retriesMax?: number | undefined
  /** Maximum delay before the first retry, in milliseconds. Doubles with each retry. Default: 500 ms. */
  readonly backoffMs?: number | undefined
  /** Replaces the runtime's `fetch`, for example for a proxy, cookies, logs or tests. Called once for each attempt. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export interface RequestOptions {
  /** Ends the request and its retries with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined
  /** The timeout of one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined
  readonly retriesMax?: number | undefined
}

export interface WriteOptions extends RequestOptions {
  /**
   * Derive the key from your own record, so that a repeat after a crash creates nothing twice. 1 to 255 printable ASCII
   * characters, stored for 72 hours. Default: a new key for each call, which all its retries share.
   */
  readonly idempotencyKey?: string | undefined
}
