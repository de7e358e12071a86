// The clock, random numbers, timers and name of the runtime. No other file of this package uses them.

import { version } from '../generated/version.gen.ts'

/** A longer delay overflows the timers of every runtime and would end immediately. */
const timerMsMax = 2 ** 31 - 1

/** @returns milliseconds since 1970 */
export function currentTimeMs(): number {
  return Date.now()
}

/** @returns a number from 0 (inclusive) to 1 (exclusive) */
export function drawFraction(): number {
  return Math.random()
}

/** Works without `crypto.randomUUID`, which browsers lack on pages without https. @returns 32 hex digits */
export function drawId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @returns a `User-Agent` such as `causeway-sdk/1.2.0 Node.js/24`, or null in a browser, which sends its own */
export function userAgent(): string | null {
  const runtime = globalThis.navigator?.userAgent ?? ''
  return runtime.startsWith('Mozilla/') ? null : `causeway-sdk/${version} ${runtime}`.trim()
}

/** Waits. An abort of the signal ends the wait early without an error: the next attempt throws it. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, timerMsMax))
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}

export interface Deadline {
  /** Aborted by the timeout or by the caller's signal. */
  readonly signal: AbortSignal
  isOver(): boolean
  /** Removes the timer and the listener. `AbortSignal.any` would leak memory on a long-lived signal with every call. */
  end(): void
}

/** Starts the timeout of one attempt. */
export function startDeadline(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(
    () => {
      isOver = true
      controller.abort()
    },
    Math.min(ms, timerMsMax),
  )
  const abort = (): void => controller.abort(caller?.reason)
  caller?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', abort)
    },
  }
}
