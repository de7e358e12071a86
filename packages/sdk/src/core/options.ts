// What a caller can set: for the client, and for one request.

export interface CausewayOptions {
  /** Where Causeway is, such as `https://causeway.example.com`. A path before `/v0` is kept. */
  readonly baseUrl: string
  /** `svc_test_…` or `svc_live_…`. Null where `fetch` authenticates by itself, as with the cookie of a page. */
  readonly apiKey: string | null
  /** How long one attempt may take, its answer read to the end. Default: 60,000 ms. */
  readonly timeoutMs?: number
  /** How often a request is repeated after a failure that a repeat may heal. Default: 2. */
  readonly retriesMax?: number
  /** The longest wait before the first repeat; it doubles with each. Default: 500 ms. */
  readonly backoffMs?: number
  /** In place of the runtime's own `fetch`: for a proxy, cookies, logs or tests. It is called once for each attempt. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export interface RequestOptions {
  /** Ends the request, with its retries, by an `AbortedError`. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. */
  readonly timeoutMs?: number | undefined
  readonly retriesMax?: number | undefined
}

export interface WriteOptions extends RequestOptions {
  /**
   * Name it after your own record, and a repeat after a crash makes nothing twice: 1 to 255 printable ASCII characters,
   * remembered for 72 hours. Without one each call has a key of its own, which all its retries carry.
   */
  readonly idempotencyKey?: string | undefined
}
