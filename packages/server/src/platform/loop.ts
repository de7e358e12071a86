// A background loop: works while there is work, then sleeps until the next due time or a wake-up.

import type { Log } from './observe/log.ts'

export type Loop = {
  wake(): void
  /** Resolves when the running iteration has finished. No further iteration starts. */
  stop(): Promise<void>
}

export type LoopWork = {
  name: string
  log: Log
  /** Delay of the first iteration after the start. */
  firstAfterMs?: number
  /** Does one piece of work. @returns whether there may be more right now */
  turn(): Promise<boolean>
  /** Milliseconds until the next due time; null when nothing is due. */
  nextDueMs(): Promise<number | null>
}

// Covers a lost notification. Four loops at 30 s are 0.13 queries per second.
const idleMsMax = 30_000
// Due work that could not be taken is leased by another replica.
const pauseMsMin = 50
// Most failures are an unavailable database.
const retryInMs = 1_000
// If all loops started at once, each on a new connection, the first requests would wait 40 ms.
const firstAfterMs = 100
/** First iteration of housekeeping loops. */
export const leisurelyMs = 1_000

/** Starts a loop; its failures are logged and retried. */
export function startLoop(work: LoopWork): Loop {
  let stopped = false
  let woken = false
  let endSleep: () => void = () => {}

  const sleep = async (ms: number, isOver: () => boolean): Promise<void> => {
    const deadline = performance.now() + ms
    for (let leftMs = ms; leftMs > 0 && !isOver(); leftMs = deadline - performance.now()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, leftMs)
      endSleep = resolve
      await promise
      clearTimeout(timer)
    }
  }

  const run = async (): Promise<void> => {
    await sleep(work.firstAfterMs ?? firstAfterMs, () => woken || stopped)
    while (!stopped) {
      woken = false
      try {
        while (!stopped && (await work.turn()));
        if (stopped || woken) continue
        const dueMs = (await work.nextDueMs()) ?? idleMsMax
        await sleep(Math.min(Math.max(dueMs, pauseMsMin), idleMsMax), () => woken || stopped)
      } catch (err) {
        work.log.error({ loop: work.name, err, retryInMs }, 'loop iteration failed, retrying')
        // A wake-up does not shorten this pause, because each wake-up would hit the same failure.
        await sleep(retryInMs, () => stopped)
      }
    }
  }

  const finished = run()
  return {
    wake() {
      woken = true
      endSleep()
    },
    async stop() {
      stopped = true
      endSleep()
      await finished
    },
  }
}
