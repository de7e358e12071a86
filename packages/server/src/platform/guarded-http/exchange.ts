// One request and its response, with one deadline, bounded reading, and an outcome in every case.

import { type Dispatcher, errors } from 'undici'
import { headersText, responseText, retryAfterMs, stopsRetries } from './response-text.ts'
import { failureOf, isMisuse, isOurFault, type SendFailure, tooManyInterimAnswers } from './send-failure.ts'

export type SendOutcome =
  | {
      kind: 'response'
      /** 200 to 599. A redirect is not followed. */
      status: number
      /** Safe to store and show: no control characters, at most 4 KiB of UTF-8. */
      responseBody: string
      /** Headers of a failed response, as JSON: at most 1 KiB, no cookies. Null after a success. */
      responseHeaders: string | null
      retryAfterMs: number | null
      /** 410: the receiver wants no more events at this URL. */
      isGone: boolean
      /** `svc-retry: stop`: the receiver wants no further attempt of this delivery. */
      stopsRetries: boolean
      durationMs: number
    }
  /** `detail` is a sentence for the business, without addresses. */
  | (SendFailure & { durationMs: number })
  /** Aborted by `close`, or by a local fault (files, ports or memory): says nothing about the receiver. */
  | { kind: 'aborted'; durationMs: number }

/** The result of an exchange: a response, or a failure of the receiver. */
export type Answer = Exclude<SendOutcome, { kind: 'aborted' }>

/** Maximum of a body that is read. A longer response counts by its status. */
const responseBytesMax = 65_536
const responseKeptBytesMax = 4_096
const interimAnswersMax = 10
const interimBytesMax = 16_384

type ResponseHeaders = Record<string, string | string[] | undefined>

/**
 * A handler for undici's `dispatch`. Its `request` can be aborted only once it has a connection, so the deadline would not
 * cover the wait for one.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>
  readonly #settle: (outcome: SendOutcome) => void
  readonly #fail: (error: Error) => void
  readonly #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  #controller: Dispatcher.DispatchController | null = null
  #isDone = false
  #status = 0
  #interimAnswers = 0
  #interimBytes = 0
  #headers: ResponseHeaders = {}
  #chunks: Buffer[] = []
  #bytesRead = 0

  constructor(timeoutMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<SendOutcome>()
    this.outcome = promise
    this.#settle = resolve
    this.#fail = reject
    this.#timer = setTimeout(() => this.#end(this.#timedOut()), timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The deadline may have passed during the wait for a connection.
    if (this.#isDone) this.#abandon()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) this.#countInterim(headers)
    else {
      this.#status = status
      this.#headers = headers
    }
  }

  /** Bounds interim responses (103 and others), because each costs a turn of the parser. */
  #countInterim(headers: ResponseHeaders): void {
    this.#interimAnswers += 1
    for (const [name, value] of Object.entries(headers)) this.#interimBytes += name.length + String(value).length
    const isFlood = this.#interimAnswers > interimAnswersMax || this.#interimBytes > interimBytesMax
    if (isFlood && !this.#isDone) this.#end({ ...tooManyInterimAnswers, durationMs: this.#durationMs() })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDone) return
    if (this.#bytesRead < responseKeptBytesMax) this.#chunks.push(chunk)
    this.#bytesRead += chunk.length
    if (this.#bytesRead > responseBytesMax) this.#end(this.#response())
  }

  onResponseEnd(): void {
    this.#finish()
    this.#settle(this.#response())
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isDone) return
    this.#finish()
    if (isMisuse(error)) this.#fail(error)
    else if (error instanceof errors.ClientDestroyedError || isOurFault(error))
      this.#settle({ kind: 'aborted', durationMs: this.#durationMs() })
    else this.#settle({ ...failureOf(error), durationMs: this.#durationMs() })
  }

  /** Aborts the exchange: the outcome at the receiver is not known. */
  abort(): void {
    if (!this.#isDone) this.#end({ kind: 'aborted', durationMs: this.#durationMs() })
  }

  /** Reports the outcome and closes the connection, because more of this response may arrive on it. */
  #end(outcome: SendOutcome): void {
    this.#finish()
    this.#settle(outcome)
    this.#abandon()
  }

  #finish(): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
  }

  #abandon(): void {
    this.#controller?.abort(new errors.RequestAbortedError())
  }

  #response(): SendOutcome {
    return {
      kind: 'response',
      status: this.#status,
      responseBody: this.#bodyText(),
      responseHeaders: this.#status < 300 ? null : headersText(this.#headers),
      retryAfterMs: retryAfterMs(this.#header('retry-after'), this.#header('date')),
      isGone: this.#status === 410,
      stopsRetries: stopsRetries(this.#header('svc-retry')),
      durationMs: this.#durationMs(),
    }
  }

  #bodyText(): string {
    const encoding = this.#header('content-encoding')?.toLowerCase() ?? 'identity'
    // Do not decompress: a few kilobytes can expand to gigabytes.
    if (encoding !== 'identity') return '(compressed, not shown)'
    return responseText(Buffer.concat(this.#chunks), responseKeptBytesMax)
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  #timedOut(): SendOutcome {
    let detail = `The receiver responded with ${this.#status}, but the response was not complete in time.`
    if (this.#status === 0) detail = 'The receiver did not respond in time.'
    if (this.#controller === null) detail = 'The connection timed out.'
    return { kind: 'timeout', detail, durationMs: this.#durationMs() }
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt)
  }
}
