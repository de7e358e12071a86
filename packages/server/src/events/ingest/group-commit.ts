// Group commit: events that arrive while a batch is being committed form the next one. One batch is in flight, because
// a second one gains nothing; a row that the database refuses fails alone.

import { fail } from '../../platform/errors.ts'
import type { Log } from '../../platform/observe/log.ts'
import { eventsAccepted, intakeBatch } from '../../platform/observe/metrics.ts'
import { traced } from '../../platform/observe/traces.ts'
import { type Database, DatabaseError } from '../../platform/postgres/db.ts'
import { type IncomingEvent, type IntakeOutcome, takeInEvents } from './ingest.store.ts'

export type EventIntake = {
  /**
   * Answers once the event is committed.
   * @throws ApiError `database_unavailable`: whether it is stored is not known, and a repeat finds out
   */
  take(event: IncomingEvent): Promise<IntakeOutcome>
}

const batchRowsMax = 500
const batchBytesMax = 1024 * 1024
/** More can wait only for a database that is away: those that come on top are told to come again. */
const waitingBytesMax = 64 * 1024 * 1024

type Waiting = { event: IncomingEvent; settled: PromiseWithResolvers<IntakeOutcome> }

export function createEventIntake(db: Database, log: Log): EventIntake {
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let running = false

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchEnd(waiting))
      for (const { event } of batch) waitingBytes -= event.body.length
      await commit(batch)
    }
    running = false
  }

  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const events = batch.map(({ event }) => event)
      const outcomes = await traced('intake', { events: events.length }, () =>
        db.statement((query) => takeInEvents(query, events)),
      )
      intakeBatch.observe(batch.length)
      for (const { event, settled } of batch) {
        const outcome = outcomes.get(event.id) ?? 'duplicate'
        eventsAccepted.inc({ outcome })
        settled.resolve(outcome)
      }
    } catch (error) {
      // Only what the database says of a row can be the row's fault; a database that is away is away for all of them.
      if (batch.length > 1 && error instanceof DatabaseError) {
        log.warn({ err: error, rows: batch.length }, 'a batch of events was refused: its rows go one by one')
        for (const row of batch) await commit([row])
      } else {
        for (const { settled } of batch) settled.reject(error)
      }
    }
  }

  return {
    take(event) {
      if (waitingBytes + event.body.length > waitingBytesMax) return Promise.reject(overfull())
      const settled = Promise.withResolvers<IntakeOutcome>()
      waiting.push({ event, settled })
      waitingBytes += event.body.length
      if (!running) {
        running = true
        // Requests that were read in the same turn of the event loop go together.
        setImmediate(() => void run())
      }
      return settled.promise
    },
  }
}

function overfull(): Error {
  return fail('database_unavailable', { retryAfterSeconds: 2 })
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
