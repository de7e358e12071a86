// Sends one event to one address: guarded connection, one wall clock for the whole exchange, bounded reading, no
// redirects, nothing decompressed. Whatever the receiver does is an outcome; only misuse of the sender is thrown.

import type { Dispatcher } from 'undici'
import { undici } from '../outbound.ts'
import { dnsLookup, guardedConnector, type Lookup } from './guarded-connect.ts'
import { OriginPools } from './origin-pools.ts'
import { responseText, retryAfterMs, stopsRetries } from './response-text.ts'
import { type FailureKind, failureOf, isMisuse, isOurFault } from './send-failure.ts'

export type SendRequest = {
  /** As `parseWebhookUrl` gave it back. */
  url: string
  headers: Record<string, string>
  body: Uint8Array
  /** Ends the send at once with `aborted`. */
  signal?: AbortSignal
}

export type SendOutcome =
  | {
      kind: 'response'
      /** 200 to 599; a redirect is a response like any other. */
      status: number
      /** Safe to store and show: no control characters, at most `responseKeptBytesMax` bytes of UTF-8. */
      responseBody: string
      retryAfterMs: number | null
      /** 410: the receiver wants no more events at this address. */
      stop: boolean
      /** `svc-retry: stop`: the receiver wants no further attempt of this delivery. */
      stopsRetries: boolean
      durationMs: number
    }
  /** `detail` is a sentence for the business; it names no address. */
  | { kind: FailureKind; detail: string; durationMs: number }
  /** By the caller's signal, by `close`, or for want of what this machine should have: says nothing about the receiver. */
  | { kind: 'aborted'; durationMs: number }

export type SenderOptions = {
  /** Sandbox mode: loopback addresses, by http or https, may be sent to. */
  allowLoopback: boolean
  /** Wall clock for the whole exchange: waiting for a connection, connecting, sending and reading. */
  timeoutMs?: number
  /** Read at most; an answer that is longer still counts, by its status. */
  responseBytesMax?: number
  responseKeptBytesMax?: number
  responseHeaderBytesMax?: number
  /** For requests whose headers name none. */
  userAgent?: string
  lookup?: Lookup
  connectionsPerOrigin?: number
  poolsMax?: number
}

export type Sender = {
  send(request: SendRequest): Promise<SendOutcome>
  /** Closes every connection now; sends still running end as `aborted`. Wait for them first to end gently. */
  close(): Promise<void>
}

type ResponseHeaders = Record<string, string | string[] | undefined>

/** Taking an address apart costs a twentieth of a send; most are sent to again. */
type Target = { origin: string; path: string }
const targetsMax = 10_000

type ExchangeLimits = { timeoutMs: number; responseBytesMax: number; responseKeptBytesMax: number }

export function createSender(options: SenderOptions): Sender {
  const {
    timeoutMs = 15_000,
    responseBytesMax = 65_536,
    responseKeptBytesMax = 4_096,
    responseHeaderBytesMax = 16_384,
    userAgent = 'Causeway',
    // Endpoints of several businesses can share an origin; the caller caps each endpoint well below this.
    connectionsPerOrigin = 64,
    poolsMax = 1_000,
  } = options
  const connect = guardedConnector({
    allowLoopback: options.allowLoopback,
    lookup: options.lookup ?? dnsLookup(),
    // A third of the exchange, so that one dead address, or a slow name server, leaves time for the next.
    connectTimeoutMs: Math.ceil(timeoutMs / 3),
  })
  const pools = new OriginPools({ connectionsPerOrigin, poolsMax, responseHeaderBytesMax }, connect)
  const limits = { timeoutMs, responseBytesMax, responseKeptBytesMax }
  const targets = new Map<string, Target>()
  const targetOf = (url: string): Target => {
    const known = targets.get(url)
    if (known) return known
    const { origin, pathname, search } = new URL(url)
    const target = { origin, path: pathname + search }
    if (targets.size >= targetsMax) targets.clear()
    targets.set(url, target)
    return target
  }
  let isClosed = false

  return {
    async send({ url, headers, body, signal }) {
      if (isClosed || signal?.aborted) return { kind: 'aborted', durationMs: 0 }
      const { origin, path } = targetOf(url)
      const { pool, release } = pools.lease(origin)
      const exchange = new Exchange(limits, signal, release)
      const named = 'user-agent' in headers ? headers : { ...headers, 'user-agent': userAgent }
      pool.dispatch({ method: 'POST', path, headers: named, body }, exchange)
      return await exchange.outcome
    },
    async close() {
      isClosed = true
      await pools.destroy()
    },
  }
}

/**
 * One request and its answer, as undici's handler. `dispatch` rather than `request`: the latter can be aborted only
 * once it has a connection, so that waiting for one would not be under the wall clock.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>
  readonly #settle: (outcome: SendOutcome) => void
  readonly #fail: (error: Error) => void
  readonly #limits: ExchangeLimits
  readonly #signal: AbortSignal | undefined
  readonly #release: () => void
  readonly #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  #controller: Dispatcher.DispatchController | null = null
  #isDone = false
  #status = 0
  #headers: ResponseHeaders = {}
  #chunks: Buffer[] = []
  #bytesRead = 0

  constructor(limits: ExchangeLimits, signal: AbortSignal | undefined, release: () => void) {
    const { promise, resolve, reject } = Promise.withResolvers<SendOutcome>()
    this.outcome = promise
    this.#settle = resolve
    this.#fail = reject
    this.#limits = limits
    this.#signal = signal
    this.#release = release
    this.#timer = setTimeout(() => this.#end(this.#timedOut()), limits.timeoutMs)
    signal?.addEventListener('abort', this.#onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It may have waited for a connection longer than its time.
    if (this.#isDone) this.#abandon()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Interim answers (103 and the like) may come before the real one.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDone) return
    if (this.#bytesRead < this.#limits.responseKeptBytesMax) this.#chunks.push(chunk)
    this.#bytesRead += chunk.length
    if (this.#bytesRead > this.#limits.responseBytesMax) this.#end(this.#response())
  }

  onResponseEnd(): void {
    this.#finish()
    this.#settle(this.#response())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isDone) return
    this.#finish()
    if (isMisuse(error)) this.#fail(error)
    else if (error instanceof undici().errors.ClientDestroyedError || isOurFault(error)) this.#settle(this.#aborted())
    else this.#settle({ ...failureOf(error), durationMs: this.#durationMs() })
  }

  readonly #onAbort = (): void => this.#end(this.#aborted())

  /** Gives the outcome and drops the connection: what may still arrive on it belongs to this exchange. */
  #end(outcome: SendOutcome): void {
    this.#finish()
    this.#settle(outcome)
    this.#abandon()
  }

  #finish(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#release()
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }

  #abandon(): void {
    this.#controller?.abort(new (undici().errors.RequestAbortedError)())
  }

  #response(): SendOutcome {
    return {
      kind: 'response',
      status: this.#status,
      responseBody: this.#bodyText(),
      retryAfterMs: retryAfterMs(this.#header('retry-after'), this.#header('date')),
      stop: this.#status === 410,
      stopsRetries: stopsRetries(this.#header('svc-retry')),
      durationMs: this.#durationMs(),
    }
  }

  #bodyText(): string {
    const encoding = this.#header('content-encoding')?.toLowerCase() ?? 'identity'
    // We ask for none, and never unpack: a few kilobytes can unpack to gigabytes.
    if (encoding !== 'identity') return '(compressed, not shown)'
    return responseText(Buffer.concat(this.#chunks), this.#limits.responseKeptBytesMax)
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  #timedOut(): SendOutcome {
    const detail = this.#timeoutDetail()
    return { kind: 'timeout', detail, durationMs: this.#durationMs() }
  }

  #timeoutDetail(): string {
    if (this.#controller === null) return 'No connection could be made in time.'
    if (this.#status === 0) return 'The receiver did not answer in time.'
    return `The receiver answered ${this.#status}, but the answer did not end in time.`
  }

  #aborted(): SendOutcome {
    return { kind: 'aborted', durationMs: this.#durationMs() }
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }
}
