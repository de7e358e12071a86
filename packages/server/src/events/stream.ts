// Pull: a business's events in their order, once each, for a reader that keeps its place; and the wait for the next one.

import { performance } from 'node:perf_hooks'
import type { Deps } from '../app/context.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { StreamStart } from './event.rules.ts'
import type { EventRow } from './store.ts'
import * as store from './stream.store.ts'
import { eventView } from './view.ts'

export type PullRequest = {
  start: StreamStart
  limit: number
  /** How long to wait when nothing is there. */
  waitMs: number
  /** The caller does not wait any more. */
  gone: AbortSignal
}

/** `next`: the place to go on behind. `lost`: that many events before it are not kept any more, and were not given out. */
export type Pulled = { events: ReturnType<typeof eventView>[]; next: number; lost: number }

/**
 * What comes next in the stream. Without anything it answers after `waitMs`, at once when the server stops.
 * @throws ApiError `too_many_readers`; `invalid_cursor` for a place the stream has not reached
 */
export async function pullEvents(deps: Deps, business: Business, request: PullRequest): Promise<Pulled> {
  if (request.waitMs === 0) return pulled(deps, await read(deps, business, request.start, request.limit))
  const deadlineMs = performance.now() + request.waitMs
  // Opened before the first look: what is committed after a look is news.
  const reader = deps.eventReaders.open(business.id)
  try {
    let piece = await read(deps, business, request.start, request.limit)
    while (piece.events.length === 0 && piece.last === piece.after) {
      if (!(await reader.news(deadlineMs - performance.now(), request.gone))) break
      piece = await read(deps, business, piece.after, request.limit)
    }
    return pulled(deps, piece)
  } finally {
    reader.close()
  }
}

async function read(deps: Deps, business: Business, start: StreamStart, limit: number): Promise<store.StreamPiece> {
  const piece = await deps.db.read((query) => store.readStream(query, business.id, start, limit))
  // After a backup was restored places are given out a second time: a reader that is ahead would miss those events.
  if (piece.after > piece.last) throw fail('invalid_cursor', { param: 'after' })
  return piece
}

/** Up to the first gap; a gap at the beginning is told. */
function pulled(deps: Deps, { after, last, events }: store.StreamPiece): Pulled {
  const [first] = events
  const found = first?.position ?? last + 1
  if (found > after + 1) return { events: [], next: found - 1, lost: found - 1 - after }
  const whole = events.filter((event, at) => event.position === after + 1 + at)
  return { events: whole.map((event: EventRow) => eventView(deps, event)), next: after + whole.length, lost: 0 }
}
