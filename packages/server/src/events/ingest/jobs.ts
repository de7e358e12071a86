// The loop that applies stored provider events: their order, and how many reads of the provider run concurrently. An
// event that needs no read never waits for one that does.

import { type Loop, startLoop } from '../../platform/loop.ts'
import { QueueFront } from '../../platform/values/queue-front.ts'
import type { EventRow } from '../store.ts'
import { listDueEvents, nextEventDueMs, type WorkRow } from '../work.store.ts'
import { applyByReading, takeDueEvent } from './apply.ts'
import { DueEvents } from './due-events.rules.ts'
import type { Applies } from './ports.ts'

const readsMax = 8
/** After this many turns without a pause, businesses take turns. */
const busyTurns = 8
const lookEveryMs = 200
const lookedAtMax = 2_000

export function startApplyLoop(deps: Applies): Loop {
  // One read at a time per end-user: the response to the later request must be applied last.
  const reads = new Map<string, Promise<void>>()
  const front = new QueueFront()
  const dueEvents = new DueEvents()
  let turns = 0
  let nextLookMs = 0
  /** If many events are due, finds the next event of the business whose turn it is. */
  const nextInTurn = async (): Promise<string | undefined> => {
    if (turns < busyTurns) return
    const place = performance.now() < nextLookMs ? null : dueEvents.readBehind(front.from(performance.now()))
    if (place) {
      const page = await deps.db.read((query) => listDueEvents(query, place, lookedAtMax))
      dueEvents.add(page, page.length === lookedAtMax)
      nextLookMs = performance.now() + lookEveryMs
    }
    return dueEvents.next()
  }
  const isFree = (event: EventRow) => reads.size < readsMax && !reads.has(userOf(event))

  const loop = startLoop({
    name: 'apply',
    log: deps.log,
    async turn() {
      const turn = await takeDueEvent(deps, { front, chosen: await nextInTurn() }, isFree)
      turns = turn === 'idle' ? 0 : turns + 1
      if (turn === 'idle') return false
      if (turn !== 'done') begin(turn)
      return true
    },
    nextDueMs: () => deps.db.read((query) => nextEventDueMs(query, front.from(performance.now()))),
  })

  const begin = (event: WorkRow): void => {
    const done = applyByReading(deps, event)
      .catch((err: unknown) =>
        deps.log.error({ err, event: event.id }, 'provider event not settled, its lease must expire'),
      )
      .finally(() => {
        reads.delete(userOf(event))
        loop.wake() // the loop may sleep until the lease ends, although the event is due in a second
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
