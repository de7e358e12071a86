// The end of a command that runs until Ctrl-C.

import { ApiError, ConnectionError, TimeoutError } from '../../../sdk/src/index.ts'
import type { Terminal } from '../command.ts'

/** @returns a signal that aborts at SIGINT or SIGTERM, or the one the terminal brings */
export function interruptOf(terminal: Terminal): AbortSignal {
  if (terminal.signal) return terminal.signal
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  return controller.signal
}

/** Says that the connection was lost, once, and when it is back. @param name what it leads to */
export function outageTeller({ complain }: Terminal, name: string, now: () => Date = () => new Date()) {
  let since: Date | null = null
  return {
    lost(reason: string): void {
      if (since !== null) return
      since = now()
      complain(`${clock(since)} no connection to the ${name}, trying again: ${reason}`)
    },
    isBack(): void {
      if (since === null) return
      complain(`${clock(now())} connected to the ${name} again, after an outage since ${clock(since)}`)
      since = null
    },
  }
}

/** Hours, minutes and seconds of the local time. */
export const clock = (time: Date): string => time.toTimeString().slice(0, 8)

/** Says whether the API may answer the next time: the connection failed, or the refusal is one to repeat. */
export function isPassing(failure: unknown): failure is Error {
  if (failure instanceof ApiError) return failure.retryable
  return failure instanceof ConnectionError || failure instanceof TimeoutError
}
