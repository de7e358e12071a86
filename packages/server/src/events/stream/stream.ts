// Polling: a business's events in order, once each, from the reader's cursor; and the wait for the next one.

import { performance } from 'node:perf_hooks'
import { fail } from '../../platform/errors.ts'
import type { Business } from '../../platform/http/caller.ts'
import type { EventSource } from '../catalogue.rules.ts'
import { type EventView, eventView, sourceOf } from '../service.ts'
import * as store from '../store.ts'
import type { Streams } from './ports.ts'

export type PullRequest = {
  start: store.StreamStart
  limit: number
  /** The sources to return; events of other sources are skipped. */
  sources: readonly EventSource[]
  /** Throws if the caller may no longer read; null for a reader within this process. */
  admitAgain: (() => Promise<void>) | null
  /** How long to wait for an event if there is none. */
  waitMs: number
  /** Aborts when the caller closes its connection. */
  gone: AbortSignal
}

/**
 * `next`: the place to continue after. `isEnd`: no more events are stored. `lost`: the number of events before that
 * place that are no longer stored and were not returned.
 */
export type PullResult = { events: EventView[]; next: number; lost: number; isEnd: boolean }

/**
 * Reads the next events of the stream. Without an event it returns after `waitMs`, or immediately when the server
 * stops.
 * @throws ApiError `too_many_readers`; `invalid_cursor` for a place that the stream has not reached
 */
export async function pullEvents(
  deps: Streams,
  business: Pick<Business, 'id'>,
  request: PullRequest,
): Promise<PullResult> {
  const { start, limit, sources, waitMs, gone, admitAgain } = request
  if (waitMs === 0) return resultOf(deps, await read(deps, business, start, limit), sources)
  const deadlineMs = performance.now() + waitMs
  // Opened before the first read: events committed after a read count as news.
  const reader = deps.eventReaders.open(business.id)
  try {
    let result = resultOf(deps, await read(deps, business, start, limit), sources)
    while (result.events.length === 0 && result.lost === 0) {
      const waitMs = deadlineMs - performance.now()
      if (waitMs <= 0 || (result.isEnd && !(await reader.news(waitMs, gone)))) break
      if (reader.takeDoubt()) await admitAgain?.()
      result = resultOf(deps, await read(deps, business, result.next, limit), sources)
    }
    return result
  } finally {
    reader.close()
  }
}

type StreamPiece = Awaited<ReturnType<typeof store.readStream>>

async function read(
  deps: Streams,
  business: Pick<Business, 'id'>,
  start: store.StreamStart,
  limit: number,
): Promise<StreamPiece> {
  const piece = await deps.db.read((query) => store.readStream(query, business.id, start, limit))
  // Places are assigned a second time if a backup was restored without `after-restore`: a reader that is ahead would
  // miss those events.
  if (piece.after > piece.last) {
    const facts = { business: business.id, place: piece.after, last: piece.last }
    deps.log.warn(facts, 'event stream behind its reader, as after a restore without after-restore')
    throw fail('invalid_cursor', { param: 'after' })
  }
  return piece
}

/** Returns the events up to the first gap, or the size of a gap at the start. */
function resultOf(deps: Streams, { after, last, events }: StreamPiece, sources: readonly EventSource[]): PullResult {
  const found = events[0]?.position ?? last + 1
  if (found > after + 1) return { events: [], next: found - 1, lost: found - 1 - after, isEnd: false }
  const whole = events.filter((event, at) => event.position === after + 1 + at)
  const wanted = whole.filter((event) => sources.includes(sourceOf(event)))
  const next = after + whole.length
  return { events: wanted.map((event) => eventView(deps, event)), next, lost: 0, isEnd: next === last }
}
