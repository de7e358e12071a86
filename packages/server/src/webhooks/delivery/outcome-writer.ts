// Writes outcomes to the database in batches: outcomes that nothing waits for wait a moment for company. While the
// database is unavailable, outcomes are kept, because the receiver should not get the event again for a local problem.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../platform/errors.ts'
import type { Log } from '../../platform/observe/log.ts'
import { type Database, DatabaseError } from '../../platform/postgres/database.ts'
import { type Outcome, writeOutcomes } from './outcomes.store.ts'

const batchMax = 500
/**
 * The longest time that outcomes wait for others, and the number that is written at once. One statement for eight costs
 * 1.5 times as much as for one. If the process is killed in this time, these deliveries are sent again.
 */
const companyMs = 30
const companyMax = 8
const retryMs = 500
/** A batch takes 2 to 10 ms. While a slower batch runs and outcomes are queued, no send starts. */
const slowMs = 25
const unwrittenMax = 4

/**
 * Milliseconds until the next attempt; null if the delivery has ended; `lost` if the outcome is not known to be stored:
 * another replica holds the lane, the database's response was lost, or this process is stopping.
 */
export type WriteResult = number | null | 'lost'

type Waiting = { outcome: Outcome; isAwaited: boolean; written: PromiseWithResolvers<WriteResult> }

export class OutcomeWriter {
  readonly owner: string
  readonly #db: Database
  readonly #log: Log
  readonly #closing = new AbortController()
  readonly #waiting: Waiting[] = []
  #unwritten = 0
  #isRunning = false
  #companyTimer: NodeJS.Timeout | undefined
  #statementStartedMs = Number.POSITIVE_INFINITY

  /** @param owner the name under which it writes: only lanes of this owner accept an outcome */
  constructor(db: Database, log: Log, owner: string) {
    this.#db = db
    this.#log = log
    this.owner = owner
  }

  /** @param isAwaited a next send waits for this outcome, so it is written at once, with all that are waiting */
  async write(outcome: Outcome, isAwaited: boolean): Promise<WriteResult> {
    const written = Promise.withResolvers<WriteResult>()
    this.#waiting.push({ outcome, isAwaited, written })
    this.#unwritten += 1
    if (!this.#isRunning) this.#plan()
    return await written.promise
  }

  /**
   * Returns whether the database is slow or unavailable. Outcomes stay unwritten during that time, and their events are
   * resent if this process crashes, so almost no new sends start.
   */
  isBehind(): boolean {
    return this.#unwritten >= unwrittenMax && performance.now() - this.#statementStartedMs > slowMs
  }

  /** Abandons outcomes that cannot be written now. */
  close(): void {
    this.#closing.abort()
  }

  get #isDue(): boolean {
    return this.#waiting.length >= companyMax || this.#waiting.some(({ isAwaited }) => isAwaited)
  }

  #plan(): void {
    if (this.#isDue) setImmediate(() => void this.#run())
    else this.#companyTimer ??= setTimeout(() => void this.#run(), companyMs)
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#waiting.length === 0) return
    this.#isRunning = true
    clearTimeout(this.#companyTimer)
    this.#companyTimer = undefined
    do await this.#writeBatch(this.#waiting.splice(0, batchMax))
    while (this.#isDue)
    this.#isRunning = false
    if (this.#waiting.length > 0) this.#plan()
  }

  /**
   * Writes a batch. If the database rejects the batch, writes it row by row, so that one bad outcome does not lose the
   * others.
   */
  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#statement(batch.map(({ outcome }) => outcome))
      this.#unwritten -= batch.length
      for (const { outcome, written } of batch) {
        const retryInMs = results.get(outcome)
        written.resolve(retryInMs === undefined ? 'lost' : retryInMs)
      }
    } catch (err) {
      if (batch.length > 1 && err instanceof DatabaseError) {
        for (const one of batch) await this.#writeBatch([one])
        return
      }
      this.#unwritten -= batch.length
      this.#log.error({ err, deliveries: batch.length }, 'delivery outcomes not saved, deliveries will be resent')
      for (const { written } of batch) written.resolve('lost')
    }
  }

  /**
   * Waits for an unavailable database, even past the lease: a restart of the database extends every lease once, and if
   * another replica has claimed the lane, the fence rejects the outcome. A second try after a lost COMMIT changes
   * nothing: every row is fenced by its attempts.
   */
  async #statement(outcomes: readonly Outcome[]): Promise<ReadonlyMap<Outcome, number | null>> {
    this.#statementStartedMs = performance.now()
    try {
      for (;;) {
        try {
          return await this.#db.byIndex((query) => writeOutcomes(query, this.owner, outcomes))
        } catch (error) {
          const isAway = error instanceof ApiError && error.code === 'database_unavailable'
          if (!isAway || this.#closing.signal.aborted) throw error
          this.#statementStartedMs = Number.NEGATIVE_INFINITY // an unavailable database is slow from its first error
          await delay(retryMs, undefined, { signal: this.#closing.signal }).catch(() => {})
        }
      }
    } finally {
      this.#statementStartedMs = Number.POSITIVE_INFINITY
    }
  }
}
