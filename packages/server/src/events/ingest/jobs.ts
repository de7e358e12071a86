// The loop that applies stored provider events: in which order, and how many reads of the provider at once. An event that
// needs no answer of the provider never waits for one that does.

import type { Deps } from '../../app/context.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { QueueFront } from '../../platform/values/queue-front.ts'
import { type EventRow, nextEventDueMs, type WorkRow } from '../store.ts'
import { applyByReading, takeDueEvent } from './apply.ts'

const readsMax = 8

export function startApplyLoop(deps: Deps): Loop {
  // One read at a time for an end-user: of two answers the one asked for later must be applied later.
  const reads = new Map<string, Promise<void>>()
  const front = new QueueFront()
  const isFree = (event: EventRow) => reads.size < readsMax && !reads.has(userOf(event))

  const loop = startLoop({
    name: 'apply',
    log: deps.log,
    async turn() {
      const turn = await takeDueEvent(deps, front, isFree)
      if (turn === 'idle') return false
      if (turn !== 'done') begin(turn)
      return true
    },
    nextDueMs: () => deps.db.read((query) => nextEventDueMs(query, front.from(performance.now()))),
  })

  const begin = (event: WorkRow): void => {
    const done = applyByReading(deps, event)
      .catch((err: unknown) =>
        deps.log.error({ err, event: event.id }, 'provider event was not settled, its lease runs out'),
      )
      .finally(() => {
        reads.delete(userOf(event))
        loop.wake() // the loop may sleep until the lease ends, and the event be due in a second
      })
    reads.set(userOf(event), done)
  }

  return {
    ...loop,
    async stop() {
      await loop.stop()
      await Promise.all(reads.values())
    },
  }
}

function userOf(event: EventRow): string {
  return event.endUserId ?? event.id
}
