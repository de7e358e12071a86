// The one order in which every transaction takes its locks, so that transactions cannot deadlock. Rows of one kind are
// locked in the order of their IDs.

import { ApiError } from '../errors.ts'
import type { TimeLimits } from './database.ts'
import { type BusinessDatabase, DatabaseError } from './database.ts'
import type { Tx } from './query.ts'

/**
 * First to last. Deposits and links of an end-user need no position: their account or end-user is locked. Endpoints
 * come after the business's event stream, because a transaction that stores an event locks the stream and then the
 * lanes. The Idempotency-Key and the chain of the audit log come last: a transaction that holds one of them waits for
 * no other lock.
 */
export const lockOrder = [
  'business',
  'apiKey',
  'endUser',
  'account',
  'operation',
  'stream',
  'endpoint',
  'lane',
] as const

export type Lockable = (typeof lockOrder)[number]

/** A business has one row of each of these, so locking it again takes no new lock. */
const single: ReadonlySet<Lockable> = new Set(['business', 'stream'])

const taken = new WeakMap<Tx, Set<Lockable>>()

/**
 * Records that a transaction is about to lock rows of this kind. The check does not depend on concurrent transactions:
 * any test that takes the path finds a wrong order, not only the race that would deadlock.
 * @throws Error if the transaction holds locks of a later kind
 */
export function willLock(tx: Tx, kind: Lockable): void {
  const held = taken.get(tx) ?? new Set()
  if (held.has(kind) && single.has(kind)) return
  const later = lockOrder.slice(lockOrder.indexOf(kind) + 1).find((other) => held.has(other))
  if (later) throw new Error(`${kind} is locked behind ${later}: see lockOrder`)
  taken.set(tx, held.add(kind))
}

/** Ten times as long as a transaction holds a row, unless its process hangs. */
const lockWaitMs = 500

/**
 * Runs a transaction that does not wait for a row locked by another transaction: a waiting connection would be
 * unavailable to other requests.
 * @param busy creates the error for a lock that was not free in time
 */
export async function transactionUnlessBusy<T>(
  { db }: { db: BusinessDatabase },
  busy: () => ApiError,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await transactionWithin(db, { lockMs: lockWaitMs }, work, () => {
    throw busy()
  })
}

/**
 * Runs a transaction with custom time limits.
 * @param orElse returns the result if a lock was not free in time
 */
export async function transactionWithin<T, Late>(
  db: BusinessDatabase,
  limits: TimeLimits,
  work: (tx: Tx) => Promise<T>,
  orElse: () => Late,
): Promise<T | Late> {
  try {
    return await db.transaction(work, limits)
  } catch (error) {
    if (isLockTimeout(error)) return orElse()
    throw error
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError && error.cause.code === '55P03'
}
