// A background loop: works while there is work, then sleeps until the next due time or a wake-up.

import type { Log } from './observe/log.ts'

export type Loop = {
  wake(): void
  /** Resolves when the running iteration has finished; no other follows. */
  stop(): Promise<void>
}

export type LoopWork = {
  name: string
  log: Log
  /** The first iteration, after the start. */
  firstAfterMs?: number
  /** Does one piece of work. @returns whether there may be more right now */
  turn(): Promise<boolean>
  /** Milliseconds until something is due; null when nothing is. */
  nextDueMs(): Promise<number | null>
}

// Covers a notification that was lost. Four loops at 30 s are 0.13 queries a second.
const idleMsMax = 30_000
// What is due and could not be taken is leased by another replica.
const pauseMsMin = 50
// Most failures are a database that is away.
const retryInMs = 1_000
// All loops at once, each on a connection still to be made, would keep the first requests waiting for 40 ms.
const firstAfterMs = 100
/** When loops of housekeeping first look. */
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
        // A wake-up does not cut this short: the same failure would follow at each of them.
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
