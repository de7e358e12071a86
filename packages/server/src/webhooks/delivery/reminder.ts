// Runs something again: once for all that asks for it in the same moment, or when the shortest time asked for has passed.

import { performance } from 'node:perf_hooks'

export type Reminder = { soon(): void; after(ms: number): void }

export function createReminder(run: () => void): Reminder {
  let isSoon = false
  let timer: NodeJS.Timeout | null = null
  let timerEndsMs = Number.POSITIVE_INFINITY
  return {
    soon() {
      if (isSoon) return
      isSoon = true
      queueMicrotask(() => {
        isSoon = false
        run()
      })
    },
    after(ms) {
      const endsMs = performance.now() + ms
      if (endsMs >= timerEndsMs) return
      if (timer) clearTimeout(timer)
      timerEndsMs = endsMs
      timer = setTimeout(() => {
        timerEndsMs = Number.POSITIVE_INFINITY
        run()
      }, ms).unref()
    },
  }
}
