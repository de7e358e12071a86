// Writes outcomes to the database, as many at a time as gather while the last ones are being written. An outcome is kept
// while the database is away: the receiver has answered, and must not be asked again for our trouble.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../platform/errors.ts'
import type { Log } from '../../platform/observe/log.ts'
import { type Database, DatabaseError } from '../../platform/postgres/db.ts'
import { type Outcome, settle } from './settlement.store.ts'

const batchMax = 500
/** With so many waiting a second batch is begun while the first one waits for the disk. Fewer are cheaper together. */
const secondBatchMin = 64
const retryMs = 500
/** A batch of outcomes takes 2 to 10 ms. What is slower keeps back more than so many outcomes. */
const slowMs = 25
const unwrittenMax = 4

export type Settler = {
  /** Under whose name it writes. */
  owner: string
  /**
   * Answers with the milliseconds until the next attempt, null when the delivery is over; and `lost` when it is not written:
   * somebody else holds the lane, or it is not known, or we end.
   */
  write(outcome: Outcome): Promise<number | null | 'lost'>
  /**
   * The database is slow or away. What is answered meanwhile stays unwritten, and would be sent again if we died: so
   * hardly anything new is begun until it has caught up.
   */
  isBehind(): boolean
  /** Gives up on what can not be written now. */
  close(): void
}

type Waiting = { outcome: Outcome; written: PromiseWithResolvers<number | null | 'lost'> }

export function createSettler(db: Database, log: Log, owner: string): Settler {
  const closing = new AbortController()
  const waiting: Waiting[] = []
  let running = 0
  /** When the batches that are being written were begun with, the oldest first. */
  const begunMs: number[] = []
  let unwritten = 0

  const run = async (): Promise<void> => {
    while (waiting.length > 0) await writeAll(waiting.splice(0, batchMax))
    running -= 1
  }

  const writeAll = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes = batch.map(({ outcome }) => outcome)
      const settled = await timed(() => whileAway(() => db.byIndex((query) => settle(query, owner, outcomes))))
      unwritten -= batch.length
      for (const { outcome, written } of batch) {
        const retryInMs = settled.get(outcome)
        written.resolve(retryInMs === undefined ? 'lost' : retryInMs)
      }
    } catch (err) {
      if (batch.length > 1 && err instanceof DatabaseError) {
        for (const one of batch) await writeAll([one])
        return
      }
      unwritten -= batch.length
      log.error({ err, deliveries: batch.length }, 'outcomes of deliveries could not be written; they are sent again')
      for (const { written } of batch) written.resolve('lost')
    }
  }

  /** It is over before anybody hears of it: then it is seen whether more can begin. */
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now()
    begunMs.push(startedMs)
    try {
      return await work()
    } finally {
      begunMs.splice(begunMs.indexOf(startedMs), 1)
    }
  }

  /**
   * Past the lease too: nobody takes a lane over while the database is away for all, and if somebody did, the fence tells.
   * A second try finds what the first one did: every row is fenced by its attempts.
   */
  const whileAway = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        const isAway = error instanceof ApiError && error.code === 'database_unavailable'
        if (!isAway || closing.signal.aborted) throw error
        await delay(retryMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  return {
    owner,
    write(outcome) {
      const written = Promise.withResolvers<number | null | 'lost'>()
      waiting.push({ outcome, written })
      unwritten += 1
      if (running === 0 || (running === 1 && waiting.length >= secondBatchMin)) {
        running += 1
        setImmediate(() => void run())
      }
      return written.promise
    },
    isBehind: () => unwritten >= unwrittenMax && performance.now() - (begunMs[0] ?? Number.POSITIVE_INFINITY) > slowMs,
    close: () => closing.abort(),
  }
}
