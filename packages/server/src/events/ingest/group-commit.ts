// Group commit: events that arrive while a batch is being committed form the next one. One batch is in flight, because
// a second one gains nothing; a row that the database rejects fails alone.

import { fail } from '../../platform/errors.ts'
import type { Log } from '../../platform/observe/log.ts'
import { eventsAccepted, intakeBatch } from '../../platform/observe/metrics.ts'
import { traced } from '../../platform/observe/traces.ts'
import { type Database, DatabaseError } from '../../platform/postgres/database.ts'
import { type LocalRelay, type StoredDelivery, storedDelivery } from '../local-relay.ts'
import { type IncomingEvent, type IngestedDelivery, type IngestOutcome, ingestEvents } from './ingest.store.ts'

export type GroupCommit = ReturnType<typeof createGroupCommit>

const batchRowsMax = 500
const batchBytesMax = 1024 * 1024
/**
 * This many bytes wait only while the database is unavailable: further events are rejected, and the provider sends them
 * again.
 */
const waitingBytesMax = 64 * 1024 * 1024

type Waiting = { event: IncomingEvent; committed: PromiseWithResolvers<IngestOutcome> }

export function createGroupCommit(provider: string, db: Database, log: Log, relay: LocalRelay) {
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let running = false

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchEnd(waiting))
      for (const { event } of batch) waitingBytes -= event.body.length
      await commitBatch({ provider, db, log, relay }, batch)
    }
    running = false
  }

  return {
    /**
     * Stores an event, and resolves after the commit.
     * @throws ApiError `database_unavailable`: it is not known whether the event is stored; a retry finds out
     */
    async commit(event: IncomingEvent): Promise<IngestOutcome> {
      if (waitingBytes + event.body.length > waitingBytesMax)
        throw fail('database_unavailable', { retryAfterSeconds: 2 })
      const committed = Promise.withResolvers<IngestOutcome>()
      waiting.push({ event, committed })
      waitingBytes += event.body.length
      if (!running) {
        running = true
        // Requests that were read in the same turn of the event loop share a batch.
        setImmediate(() => void run())
      }
      return committed.promise
    },
  }
}

type CommitDeps = { provider: string; db: Database; log: Log; relay: LocalRelay }

async function commitBatch(deps: CommitDeps, batch: readonly Waiting[]): Promise<void> {
  const { provider, db, log, relay } = deps
  try {
    const events = batch.map(({ event }) => event)
    const outcomes = await traced('intake', { events: events.length }, () =>
      db.statement(async (query) => {
        // Inside the callback, not after the statement: a result that arrives after the statement's deadline is also
        // handed over.
        const { outcomes, stored } = await ingestEvents(query, provider, events, relay.receiver)
        if (stored.length > 0) relay.handOver(storedDeliveries(stored, events))
        return outcomes
      }),
    )
    intakeBatch.observe(batch.length)
    for (const { event, committed } of batch) {
      const outcome = outcomes.get(event.id) ?? 'duplicate'
      eventsAccepted.inc({ outcome })
      committed.resolve(outcome)
    }
  } catch (error) {
    // Only an error about a row can be the row's fault; an unavailable database affects all rows.
    if (batch.length > 1 && error instanceof DatabaseError) {
      log.warn({ err: error, rows: batch.length }, 'event batch rejected, committing its rows one by one')
      for (const row of batch) await commitBatch(deps, [row])
    } else {
      for (const { committed } of batch) committed.reject(error)
    }
  }
}

/** Combines the stored rows with the data that was available before. */
function storedDeliveries(rows: readonly IngestedDelivery[], events: readonly IncomingEvent[]): StoredDelivery[] {
  const eventOf = new Map(events.map((event) => [event.id, event]))
  return rows.flatMap(({ businessId, externalUserId, ...row }) => {
    const event = eventOf.get(row.eventId)
    if (!event) return []
    const { type: eventType, body, trust } = event
    return [storedDelivery(row, { businessId, externalUserId, eventType, body, isVerified: trust !== 'unverified' })]
  })
}

function batchEnd(waiting: readonly Waiting[]): number {
  let bytes = 0
  let end = 0
  for (const { event } of waiting) {
    bytes += event.body.length
    if (end === batchRowsMax || (end > 0 && bytes > batchBytesMax)) break
    end += 1
  }
  return end
}
