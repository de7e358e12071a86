// Whether the database can be worked with, on connections of its own: whatever the pools wait for, the answer comes in time.

import type { Pool } from '../client.ts'
import type { Health } from '../database.ts'
import { isServerError, type Session } from '../session.ts'
import { DeadlineTracker } from './deadline-tracker.ts'
import { WriteOutcomes } from './write-outcomes.ts'

/** Load balancers give a probe 1 to 5 seconds. */
export const answerMsMax = 2_000
/** A write that somebody has committed counts for this long: only a process that writes nothing commits one to find out. */
const freshMs = 5_000
/** Writes fail for this long before the process is not ready: a standby that restarts is back sooner. */
const failingMsMax = 10_000
/** The same once real writes have been refused: the probe only confirms it. */
const refusedMsMax = 5_000
/** After a refusal each look writes a page to find out, at most as often as this. */
const allocatePauseMs = 1_000
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
  /** A real write was refused, and no new page of a table was written since. */
  #isRefused = false
  #refusedAtMs = Number.NEGATIVE_INFINITY
  #allocatedAtMs = Number.NEGATIVE_INFINITY
  readonly #outcomes = new WriteOutcomes()
  #asking: Promise<boolean> | null = null
  /** A write is under way that was made to find out. */
  isWriting = false
  #writing: Session | null = null

  /** @param pool two connections: a write may hang on one of them for as long as a synchronous standby is away */
  constructor(pool: Pool, now: () => number = () => performance.now()) {
    this.#pool = pool
    this.#now = now
  }

  /** Notes every write that was committed, whoever asked for it. */
  noteWrite(): void {
    this.#wroteAtMs = this.#now()
    this.#outcomes.note(false, this.#wroteAtMs)
    // On a full disk a row that finds room in a page does not mean that the next one does.
    if (!this.#isRefused) this.#failingSinceMs = null
  }

  /** Notes a statement that PostgreSQL refused for lack of room, memory, connections or permission to write. */
  noteRefusal(): void {
    this.#refusedAtMs = this.#now()
    this.#outcomes.note(true, this.#refusedAtMs)
    this.#isRefused = true
    this.#failingSinceMs ??= this.#refusedAtMs
  }

  /** Never rejects, and answers within `answerMsMax`. */
  async look(): Promise<Health> {
    const nowMs = this.#now()
    if (nowMs - this.#lookedAtMs > lookPauseMsMax) this.#failingSinceMs = null
    this.#lookedAtMs = nowMs
    const confirmed = this.#probeWrites(nowMs)
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    if (!(await this.#asking)) {
      this.#writing?.abandon() // its connection may be as dead as this one
      return 'away'
    }
    await confirmed
    const atMs = this.#now()
    const limitMs = this.#isRefused ? refusedMsMax : failingMsMax
    const isFailing = this.#failingSinceMs !== null && atMs - this.#failingSinceMs > limitMs
    return isFailing || this.#outcomes.areRefused(atMs) ? 'not_writing' : 'well'
  }

  /** Begins a write where one is due. @returns after a refusal: when its outcome is known, or `answerMsMax` is over */
  async #probeWrites(nowMs: number): Promise<void> {
    if (this.#isRefused) {
      if (this.isWriting || nowMs - this.#allocatedAtMs < allocatePauseMs) return
      this.#allocatedAtMs = nowMs
      await this.#deadline.bound(() => this.#write(allocatePage)).catch(() => {})
    } else if (nowMs - this.#wroteAtMs > freshMs && !this.isWriting) void this.#write(emitMessage)
  }

  /** A probe is no real write: it leaves the outcomes of these as they are. */
  #noteProbe(beganAtMs: number): void {
    if (this.#refusedAtMs < beganAtMs) this.#isRefused = false
    this.#wroteAtMs = this.#now()
    if (!this.#isRefused) this.#failingSinceMs = null
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

  async #write(statement: (session: Session) => Promise<void>): Promise<void> {
    this.isWriting = true
    const beganAtMs = this.#now()
    this.#failingSinceMs ??= beganAtMs
    try {
      const session = await this.#pool.take(null)
      this.#writing = session
      await session.begin()
      await statement(session).catch(async (error: unknown) => {
        await session.rollBack()
        throw error
      })
      await session.commit()
      this.#noteProbe(beganAtMs)
    } catch (error) {
      // A database that does not know the function, or keeps it from this user, shows nothing about writes.
      if (isServerError(error) && error.code?.startsWith('42')) this.#noteProbe(beganAtMs)
    } finally {
      this.#writing = null
      this.isWriting = false
    }
  }
}

/** Commits a message that nobody reads: about 100 bytes of WAL, no table and no row. @throws Error on a standby, or where the database is closed to writes: a message alone would be taken there */
async function emitMessage({ query }: Session): Promise<void> {
  const emitted = await query`
    select pg_logical_emit_message(true, 'causeway', '') where current_setting('transaction_read_only') = 'off'`
  if (emitted.length === 0) throw new Error('the database is read-only')
}

/** Writes the first page of a table that ends with its transaction: it needs room on the disk, as a new row does. */
async function allocatePage({ query }: Session): Promise<void> {
  await query.unsafe(`create temporary table causeway_probe on commit drop as select repeat('x', 1000) as filler`)
}
