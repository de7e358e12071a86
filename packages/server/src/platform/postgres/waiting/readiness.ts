// Whether the database can be worked with, on connections of its own: whatever the pools wait for, the answer comes in time.

import type { Pool } from '../client.ts'
import { isServerError, type Session } from '../session.ts'
import { DeadlineTracker } from './deadline-tracker.ts'

/** `not_writing`: reads are answered, and no write has been committed for a while. */
export type Health = 'well' | 'away' | 'not_writing'

/** Load balancers give a probe 1 to 5 seconds. */
export const answerMsMax = 2_000
/** A write that somebody has committed counts for this long: only a process that writes nothing commits one to find out. */
const freshMs = 5_000
/** Writes fail for this long before the process is not ready: a standby that restarts is back sooner. */
const failingMsMax = 10_000
/** Who looks this seldom learns nothing from a write that failed before. */
const lookPauseMsMax = 30_000

export class Readiness {
  readonly #pool: Pool
  readonly #now: () => number
  readonly #deadline = new DeadlineTracker(answerMsMax, () => new Error('no answer'))
  #wroteAtMs = Number.NEGATIVE_INFINITY
  #lookedAtMs = Number.NEGATIVE_INFINITY
  /** Since when a write is tried, and none has succeeded. */
  #failingSinceMs: number | null = null
  #asking: Promise<boolean> | null = null
  /** A write is under way that was made to find out. */
  isWriting = false
  #writing: Session | null = null

  /** @param pool two connections: a write may hang on one of them for as long as a synchronous standby is away */
  constructor(pool: Pool, now: () => number = () => performance.now()) {
    this.#pool = pool
    this.#now = now
  }

  /** Hears of every write that was committed, whoever asked for it. */
  noteWrite(): void {
    this.#wroteAtMs = this.#now()
    this.#failingSinceMs = null
  }

  /** Never rejects, and answers within `answerMsMax`. */
  async look(): Promise<Health> {
    const nowMs = this.#now()
    if (nowMs - this.#lookedAtMs > lookPauseMsMax) this.#failingSinceMs = null
    this.#lookedAtMs = nowMs
    if (nowMs - this.#wroteAtMs > freshMs && !this.isWriting) void this.#write()
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    if (!(await this.#asking)) {
      this.#writing?.abandon() // its connection may be as dead as this one
      return 'away'
    }
    const isFailing = this.#failingSinceMs !== null && this.#now() - this.#failingSinceMs > failingMsMax
    return isFailing ? 'not_writing' : 'well'
  }

  async #ask(): Promise<boolean> {
    const select = async (): Promise<void> => {
      const session = await this.#pool.take(null)
      await session.query`select 1`.finally(() => session.end())
    }
    return await this.#deadline.bound(select).then(
      () => true,
      () => false,
    )
  }

  /** Commits a message that nobody reads: about 100 bytes of WAL, no table and no row. */
  async #write(): Promise<void> {
    this.isWriting = true
    this.#failingSinceMs ??= this.#now()
    try {
      const session = await this.#pool.take(null)
      this.#writing = session
      await session.begin()
      await emitMessage(session).catch(async (error: unknown) => {
        await session.rollBack()
        throw error
      })
      await session.commit()
      this.noteWrite()
    } catch (error) {
      // A database that does not know the function, or keeps it from this user, tells nothing about writes.
      if (isServerError(error) && error.code?.startsWith('42')) this.noteWrite()
    } finally {
      this.#writing = null
      this.isWriting = false
    }
  }
}

/** @throws Error on a standby, or where the database is closed to writes: a message alone would be taken there */
async function emitMessage({ query }: Session): Promise<void> {
  const emitted = await query`
    select pg_logical_emit_message(true, 'causeway', '') where current_setting('transaction_read_only') = 'off'`
  if (emitted.length === 0) throw new Error('the database is read-only')
}
