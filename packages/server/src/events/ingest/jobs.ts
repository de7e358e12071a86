// Works off stored provider events. What is done to each stands in events/ingest/apply; here: in which order, how
// many at once. An event that needs no answer of the provider never waits for one that does.

import type { Deps } from '../../app/context.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { QueueFront } from '../../platform/values/queue-front.ts'
import type { EventRow } from '../store.ts'
import { applyByReading, type Reading, takeDueEvent } from './apply.ts'
import { nextEventDueMs } from './work.store.ts'

const readingsMax = 8

export function startApplyLoop(deps: Deps): Loop {
  // One reading at a time for an end-user: of two answers the one asked for later must be taken in later.
  const readings = new Map<string, Promise<void>>()
  const front = new QueueFront()

  const loop = startLoop({
    name: 'apply',
    log: deps.log,
    async turn() {
      const turn = await takeDueEvent(
        deps,
        front,
        (event) => readings.size < readingsMax && !readings.has(laneOf(event)),
      )
      if (turn === 'idle') return false
      if (turn !== 'done') begin(turn)
      return true
    },
    nextDueMs: () => deps.db.read((query) => nextEventDueMs(query, front.from(performance.now()))),
  })

  const begin = (reading: Reading): void => {
    const lane = laneOf(reading.event)
    const done = applyByReading(deps, reading)
      .catch((err: unknown) =>
        deps.log.error({ err, event: reading.event.id }, 'an event was not settled; its lease ends'),
      )
      .finally(() => readings.delete(lane))
    readings.set(lane, done)
  }

  return {
    ...loop,
    async stop() {
      await loop.stop()
      await Promise.all(readings.values())
    },
  }
}

function laneOf(event: EventRow): string {
  return event.endUserId ?? event.id
}
