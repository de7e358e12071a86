// A background loop: works while there is work, then sleeps until the next due time or until it is woken.

import type { Log } from './observe/log.ts'

export type Loop = {
  wake(): void
  /** Lets the running turn finish; no other follows. */
  stop(): Promise<void>
}

export type LoopWork = {
  name: string
  log: Log
  /** When it first looks by itself, after the start. */
  firstAfterMs?: number
  /** One piece of work. @returns whether there may be more right now */
  turn(): Promise<boolean>
  /** Milliseconds until something is due; null when nothing is. */
  nextDueMs(): Promise<number | null>
}

// Wake-ups come by notification; this only covers one that was lost. Four loops at 30 s are 0.13 queries a second.
const idleMsMax = 30_000
// When something is due that this turn could not take, another replica has it.
const pauseMsMin = 50
// After a failure of ours, most often the database being away.
const failureMs = 1_000
// All of them at once, each on a connection that has to be made, would keep the first requests waiting for 40 ms.
const firstAfterMs = 100
/** For housekeeping. */
export const leisurelyMs = 1_000

export function startLoop(work: LoopWork): Loop {
  let stopped = false
  let woken = false
  let rouse: () => void = () => {}

  const sleep = async (ms: number, isOver: () => boolean): Promise<void> => {
    const deadline = performance.now() + ms
    for (let leftMs = ms; leftMs > 0 && !isOver(); leftMs = deadline - performance.now()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, leftMs)
      rouse = resolve
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
        work.log.error({ err, loop: work.name }, 'a loop failed and goes on in a second')
        // Not cut short by wake-ups: whatever failed would fail again at each of them.
        await sleep(failureMs, () => stopped)
      }
    }
  }

  const finished = run()
  return {
    wake() {
      woken = true
      rouse()
    },
    async stop() {
      stopped = true
      rouse()
      await finished
    },
  }
}
