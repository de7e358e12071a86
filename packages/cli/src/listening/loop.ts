// The loop of `listen`: reads a page, forwards its events in order per end-user, and stores each responded event.

import { setTimeout as wait } from 'node:timers/promises'
import type { Api } from '../../../sdk/src/core/api.ts'
import { ApiError, type Event } from '../../../sdk/src/index.ts'
import { isPassing } from '../watching/interrupt.ts'
import type { Answered } from './forward.ts'
import type { PositionStore } from './position.ts'

export type Visitor = {
  lost(reason: string): void
  back(): void
  /** The cursor is no longer valid, and the loop continues at another one. */
  moved(reason: string): void
}

export type LoopOptions = {
  store: PositionStore
  signal: AbortSignal
  isWanted(event: Event): boolean
  /** @returns null when aborted before a response */
  forward(event: Event): Promise<Answered | null>
  visitor: Visitor
}

const waitSeconds = 25
const graceMs = 15_000
/** Maximum of concurrent events. Events of one end-user are sent one at a time. */
const parallelMax = 8
const backoffMs = 500
const backoffMsMax = 30_000

type Page = { events: readonly Event[]; nextCursor: string | null }

export async function runLoop(api: Api, options: LoopOptions): Promise<void> {
  const { store, signal, visitor } = options
  let { cursor } = store.position()
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { events, nextCursor } = await pull(api, cursor, signal)
      failures = 0
      visitor.back()
      if (!(await forwardPage(events, cursor, options))) return
      if (nextCursor === null || nextCursor === cursor) continue
      cursor = nextCursor
      await store.write({ cursor, answered: [] })
    } catch (failure) {
      if (signal.aborted) return
      const place = placeAfter(failure)
      if (place !== null) {
        visitor.moved((failure as Error).message)
        cursor = place
      } else if (isPassing(failure)) {
        visitor.lost(failure.message)
        const delayMs = Math.random() * Math.min(backoffMsMax, backoffMs * 2 ** Math.min(failures++, 10))
        await wait(delayMs, undefined, { signal }).catch(() => {})
      } else throw failure
    }
  }
}

/** Returns the cursor after the newest event. Later events are forwarded, even if the listener is killed at once. */
export async function newestPlace(api: Api): Promise<string | null> {
  return (await api.send('listEvents', { query: { after: 'now', wait: 0 } })).nextCursor
}

async function pull(api: Api, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = {
    wait: cursor === 'now' ? 0 : waitSeconds,
    limit: parallelMax,
    ...(cursor !== null && { after: cursor }),
  }
  const request = { signal, timeoutMs: waitSeconds * 1_000 + graceMs, retriesMax: 0 }
  const { data, nextCursor } = await api.send('listEvents', { query }, request)
  return { events: data as Event[], nextCursor }
}

/** @returns true if the target responded to every event of the page */
async function forwardPage(
  events: readonly Event[],
  cursor: string | null,
  { store, isWanted, forward }: LoopOptions,
): Promise<boolean> {
  const answered = new Set(store.position().answered)
  const wanted = events.filter((event) => isWanted(event) && !answered.has(event.id))
  const queues = Object.values(Object.groupBy(wanted, ({ externalUserId }) => externalUserId ?? ''))
  // Every queue ends before the page is read again, so all responses are stored by then.
  const ends = await Promise.allSettled(
    queues.map(async (queue = []) => {
      for (const event of queue) {
        if ((await forward(event)) === null) return false
        answered.add(event.id)
        await store.write({ cursor, answered: [...answered] })
      }
      return true
    }),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return ends.every((end) => end.status === 'fulfilled' && end.value)
}

/** Returns the cursor to continue from after retention removed the old one, or after a reset. Null for other failures. */
function placeAfter(failure: unknown): string | null {
  if (!(failure instanceof ApiError)) return null
  if (failure.code === 'cursor_expired') return failure.nextCursor ?? 'now'
  return failure.code === 'invalid_cursor' ? 'now' : null
}
