// Whether the database is usable. Uses separate connections, so that the result comes in time even if the pools are
// exhausted.

import type { Pool } from '../client.ts'
import type { Health } from '../database.ts'
import { isServerError, type Session } from '../session.ts'
import { DeadlineTracker } from './deadline-tracker.ts'
import { WriteOutcomes } from './write-outcomes.ts'

/** Load balancers give a probe 1 to 5 seconds. */
export const answerMsMax = 2_000
/**
 * A committed write proves that the database is writable for 5 s. After 5 s without a write, the probe commits one
 * itself.
 */
const freshMs = 5_000
/** Writes may fail for this long before the process is not ready: a standby that restarts is back sooner. */
const failingMsMax = 10_000
/** The same limit once real writes have been refused: the probe only confirms the refusal. */
const refusedMsMax = 5_000
/** After a refusal, each look writes a page to test the disk, at most this often. */
const allocatePauseMs = 1_000
/** After a longer pause between looks, an earlier failed write no longer counts. */
const lookPauseMsMax = 30_000

export class Readiness {
  readonly #pool: Pool
  readonly #now: () => number
  readonly #deadline = new DeadlineTracker(answerMsMax, () => new Error('no response'))
  #wroteAtMs = Number.NEGATIVE_INFINITY
  #lookedAtMs = Number.NEGATIVE_INFINITY
  /** Since when writes have failed without a success. */
  #failingSinceMs: number | null = null
  /** A real write was refused, and no new page of a table was written since. */
  #isRefused = false
  #refusedAtMs = Number.NEGATIVE_INFINITY
  #allocatedAtMs = Number.NEGATIVE_INFINITY
  readonly #outcomes = new WriteOutcomes()
  #asking: Promise<boolean> | null = null
  /** A test write is in progress. */
  isWriting = false
  #writing: Session | null = null

  /** @param pool two connections: while a synchronous standby is unavailable, a write may hang on one of them */
  constructor(pool: Pool, now: () => number = () => performance.now()) {
    this.#pool = pool
    this.#now = now
  }

  /** Records that a write was committed. Called by every write transaction of this process. */
  noteWrite(): void {
    this.#wroteAtMs = this.#now()
    this.#outcomes.note(false, this.#wroteAtMs)
    // On a full disk, a row may still fit into a page while the next one does not.
    if (!this.#isRefused) this.#failingSinceMs = null
  }

  /** Records that PostgreSQL refused a statement for lack of space, memory, connections or permission to write. */
  noteRefusal(): void {
    this.#refusedAtMs = this.#now()
    this.#outcomes.note(true, this.#refusedAtMs)
    this.#isRefused = true
    this.#failingSinceMs ??= this.#refusedAtMs
  }

  /** Never rejects, and resolves within `answerMsMax`. */
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

  /** Begins a write if one is due. @returns after a refusal: when its outcome is known, or `answerMsMax` is over */
  async #probeWrites(nowMs: number): Promise<void> {
    if (this.#isRefused) {
      if (this.isWriting || nowMs - this.#allocatedAtMs < allocatePauseMs) return
      this.#allocatedAtMs = nowMs
      await this.#deadline.bound(() => this.#write(allocatePage)).catch(() => {})
    } else if (nowMs - this.#wroteAtMs > freshMs && !this.isWriting) void this.#write(emitMessage)
  }

  /** A probe is not a real write: the outcomes of real writes stay unchanged. */
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
      session.begin()
      await statement(session).catch(async (error: unknown) => {
        await session.rollBack()
        throw error
      })
      await session.commit()
      this.#noteProbe(beganAtMs)
    } catch (error) {
      // A missing function or permission shows nothing about writes.
      if (isServerError(error) && error.code?.startsWith('42')) this.#noteProbe(beganAtMs)
    } finally {
      this.#writing = null
      this.isWriting = false
    }
  }
}

/**
 * Commits a message that nobody reads: about 100 bytes of WAL, no table and no row.
 * @throws Error on a standby, or if the database is closed to writes, where a message alone would be accepted
 */
async function emitMessage({ query }: Session): Promise<void> {
  const emitted = await query`
    select pg_logical_emit_message(true, 'causeway', '') where current_setting('transaction_read_only') = 'off'`
  if (emitted.length === 0) throw new Error('the database is read-only')
}

/** Writes the first page of a table that ends with its transaction: it needs disk space, like a new row. */
async function allocatePage({ query }: Session): Promise<void> {
  await query.unsafe(`create temporary table causeway_probe on commit drop as select repeat('x', 1000) as filler`)
}
