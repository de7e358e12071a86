// The event stream of a business over long polling: each event once, oldest first, without end.

import { ConnectionError } from './connection-error.ts'
import { ApiError, TimeoutError } from './errors.ts'
import type { Answer } from './request.ts'
import { retryAfterMsMax } from './retry.ts'
import { currentTimeMs, drawFraction, sleep } from './runtime.ts'

export interface StreamOptions {
  /** The cursor to continue from, as passed to `save`. `now` starts after the newest event. Default: the oldest stored event. */
  readonly after?: string | undefined
  /**
   * How long one request waits for an event: 0 to 30 seconds. Default: 30. With 0, the stream polls once a second while there are
   * no events.
   */
  readonly waitSeconds?: number | undefined
  /** Maximum events per request, 1 to 100. After a crash, at most this number of events is repeated. Default: 20. */
  readonly limit?: number | undefined
  /** Stores the cursor. Called when the loop has handled every event of a response and requests more. */
  readonly save?: ((after: string) => void | Promise<void>) | undefined
  /** Ends the loop without an error. */
  readonly signal?: AbortSignal | undefined
  /** Called for each response, even an empty one: the cursor is known and the connection works, also after a failure. */
  readonly onResponse?: (() => void) | undefined
  /** Called for each temporary failure, with the delay before the next request. */
  readonly onRetry?: ((failure: Error, delayMs: number) => void) | undefined
}

/** Added to the wait that the server is asked for. */
const graceMs = 15_000
const backoffMs = 500
const backoffMsMax = 30_000
/** Minimum time between two requests while there are no events: an empty response can come immediately. */
const pauseMs = 1_000

export type Pull = (
  query: { after?: string; wait: number; limit?: number },
  options: { signal: AbortSignal | undefined; timeoutMs: number; retriesMax: number },
) => Promise<Answer>

/** Polls in a loop. @throws ApiError for an error that a retry cannot fix, such as `cursor_expired` */
export async function* streamEvents<Item>(pull: Pull, options: StreamOptions): AsyncGenerator<Item, void> {
  const { waitSeconds = 30, limit, save, signal, onResponse, onRetry } = options
  const timeoutMs = waitSeconds * 1_000 + graceMs
  let after = options.after
  for (let failures = 0; !signal?.aborted; ) {
    // `now` is resolved immediately, so that events during a slow or lost first request come after that cursor. After a failure,
    // an immediate response shows that the connection works again.
    const isAfterFailure = failures > 0
    const wait = after === 'now' || isAfterFailure ? 0 : waitSeconds
    const startedAtMs = currentTimeMs()
    const query = { wait, ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
    let answer: Answer
    try {
      answer = await pull(query, { signal, timeoutMs, retriesMax: 0 })
      failures = 0
    } catch (failure) {
      if (signal?.aborted) return
      if (!isPassing(failure)) throw failure
      const delayMs = delayMsAfter(failure, failures++)
      onRetry?.(failure, delayMs)
      await sleep(delayMs, signal)
      continue
    }
    onResponse?.()
    yield* answer.data as readonly Item[]
    const isMoved = answer.nextCursor !== null && answer.nextCursor !== after
    if (!isMoved) {
      if (!isAfterFailure) await sleep(Math.max(0, startedAtMs + pauseMs - currentTimeMs()), signal)
      continue
    }
    after = answer.nextCursor as string
    await save?.(after)
  }
}

function isPassing(failure: unknown): failure is Error {
  if (failure instanceof ApiError) return failure.retryable
  return failure instanceof ConnectionError || failure instanceof TimeoutError
}

function delayMsAfter(failure: Error, failures: number): number {
  const jitterMs = drawFraction() * Math.min(backoffMsMax, backoffMs * 2 ** Math.min(failures, 10))
  const retryAfterMs = failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0
  return Math.min(retryAfterMsMax, retryAfterMs) + jitterMs
}
