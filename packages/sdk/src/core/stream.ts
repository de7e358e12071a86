// The stream of a business's events, over the long poll: each event once, oldest first, for ever.

import { ConnectionError } from './connection-error.ts'
import { ApiError, TimeoutError } from './errors.ts'
import type { Answer } from './request.ts'
import { drawFraction, sleep } from './runtime.ts'

export interface StreamOptions {
  /** The place to go on from, as `save` got it; `now` begins behind the newest event. Default: the oldest kept event. */
  readonly after?: string | undefined
  /** How long one request waits for an event: 0 to 30 seconds. Default: 30. */
  readonly waitSeconds?: number | undefined
  /** Most events of one request, 1 to 100. After a crash at most so many come again. Default: 20. */
  readonly limit?: number | undefined
  /** Stores the place. It is called when the loop has taken every event of an answer and comes back for more. */
  readonly save?: ((after: string) => void | Promise<void>) | undefined
  /** Ends the loop, which is no error. */
  readonly signal?: AbortSignal | undefined
  /** Called at each answer, an empty one too: the place is known and the connection stands, also after a failure. */
  readonly onAnswer?: (() => void) | undefined
  /** Called with each failure that the stream outlives, and how long it waits before the next request. */
  readonly onRetry?: ((failure: Error, delayMs: number) => void) | undefined
}

/** Beside the wait that the server was asked for. */
const graceMs = 15_000
const backoffMs = 500
const backoffMsMax = 30_000

export type Pull = (
  query: { after?: string; wait: number; limit?: number },
  options: { signal: AbortSignal | undefined; timeoutMs: number; retriesMax: number },
) => Promise<Answer>

/** Repeats pulls. @throws ApiError for a refusal that no repeat heals, such as `cursor_expired` */
export async function* streamEvents<Item>(pull: Pull, options: StreamOptions): AsyncGenerator<Item, void> {
  const { waitSeconds = 30, limit, save, signal, onAnswer, onRetry } = options
  const timeoutMs = waitSeconds * 1_000 + graceMs
  let after = options.after
  for (let failures = 0; !signal?.aborted; ) {
    // `now` is asked for its place at once: what happens while the first request waits, or is lost, comes after that place.
    // After a failure an answer at once tells that the connection stands again.
    const wait = after === 'now' || failures > 0 ? 0 : waitSeconds
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
    onAnswer?.()
    yield* answer.data as readonly Item[]
    const isMoved = answer.nextCursor !== null && answer.nextCursor !== after
    if (!isMoved) continue
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
  return (failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0) + jitterMs
}
