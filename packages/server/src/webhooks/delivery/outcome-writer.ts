// Writes outcomes to the database, as many at a time as gather while the last batch is written. While the database is away an
// outcome is kept: the receiver has answered, and is not sent the event again for our trouble.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../platform/errors.ts'
import type { Log } from '../../platform/observe/log.ts'
import { type Database, DatabaseError } from '../../platform/postgres/database.ts'
import { type Outcome, writeOutcomes } from './outcomes.store.ts'

const batchMax = 500
const retryMs = 500
/** A batch takes 2 to 10 ms. While a slower one runs and outcomes wait behind it, no send starts. */
const slowMs = 25
const unwrittenMax = 4

/**
 * Milliseconds until the next attempt; null when the delivery is over; `lost` when the outcome is not written: another replica
 * holds the lane, or the answer of the database was lost, or this process ends.
 */
export type WriteResult = number | null | 'lost'

type Waiting = { outcome: Outcome; written: PromiseWithResolvers<WriteResult> }

export class OutcomeWriter {
  readonly owner: string
  readonly #db: Database
  readonly #log: Log
  readonly #closing = new AbortController()
  readonly #waiting: Waiting[] = []
  #unwritten = 0
  #isRunning = false
  #statementStartedMs = Number.POSITIVE_INFINITY

  /** @param owner under whose name it writes: only lanes of this owner accept an outcome */
  constructor(db: Database, log: Log, owner: string) {
    this.#db = db
    this.#log = log
    this.owner = owner
  }

  async write(outcome: Outcome): Promise<WriteResult> {
    const written = Promise.withResolvers<WriteResult>()
    this.#waiting.push({ outcome, written })
    this.#unwritten += 1
    if (!this.#isRunning) {
      this.#isRunning = true
      setImmediate(() => void this.#run())
    }
    return await written.promise
  }

  /**
   * Whether the database is slow or away. Outcomes stay unwritten meanwhile, and their events are sent again if this process
   * dies, so hardly anything new is begun.
   */
  isBehind(): boolean {
    return this.#unwritten >= unwrittenMax && performance.now() - this.#statementStartedMs > slowMs
  }

  /** Gives up on outcomes that cannot be written now. */
  close(): void {
    this.#closing.abort()
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, batchMax))
    this.#isRunning = false
  }

  /** A batch that the database refuses is written one by one: one bad outcome does not lose the others. */
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
      this.#log.error({ err, deliveries: batch.length }, 'outcomes were not written, deliveries are sent again')
      for (const { written } of batch) written.resolve('lost')
    }
  }

  /**
   * Waits for a database that is away, past the lease too: after a restart of the database every lease counts for its length once
   * more, and if another replica has claimed the lane, the fence refuses the outcome.
   * A second try after a lost COMMIT changes nothing: every row is fenced by its attempts.
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
          this.#statementStartedMs = Number.NEGATIVE_INFINITY // a database that is away is slow from its first refusal
          await delay(retryMs, undefined, { signal: this.#closing.signal }).catch(() => {})
        }
      }
    } finally {
      this.#statementStartedMs = Number.POSITIVE_INFINITY
    }
  }
}
