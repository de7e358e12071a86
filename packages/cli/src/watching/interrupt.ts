// The end of a command that runs until Ctrl-C.

import { ApiError, ConnectionError, TimeoutError } from '../../../sdk/src/index.ts'
import type { Terminal } from '../command.ts'

/** @returns a signal that aborts at SIGINT or SIGTERM, or the signal of the terminal */
export function interruptOf(terminal: Terminal): AbortSignal {
  if (terminal.signal) return terminal.signal
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  return controller.signal
}

/** Reports a lost connection once, and its recovery. @param name the other side of the connection */
export function outageTeller({ complain }: Terminal, name: string, now: () => Date = () => new Date()) {
  let since: Date | null = null
  return {
    lost(reason: string): void {
      if (since !== null) return
      since = now()
      complain(`${clock(since)} Connection to the ${name} lost. Retrying: ${reason}`)
    },
    isBack(): void {
      if (since === null) return
      complain(`${clock(now())} Connected to the ${name} again. The outage began at ${clock(since)}`)
      since = null
    },
  }
}

/** Hours, minutes and seconds of the local time. */
export const clock = (time: Date): string => time.toTimeString().slice(0, 8)

/** Returns true if a retry can succeed: the connection failed, or the error is retryable. */
export function isPassing(failure: unknown): failure is Error {
  if (failure instanceof ApiError) return failure.retryable
  return failure instanceof ConnectionError || failure instanceof TimeoutError
}
