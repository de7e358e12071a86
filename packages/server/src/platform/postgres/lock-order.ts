// The one order in which every transaction takes its locks, so that no two transactions wait for each other in a circle.
// Rows of one kind are locked in the order of their ids.

import { ApiError } from '../errors.ts'
import type { TimeLimits } from './database.ts'
import { type BusinessDatabase, DatabaseError } from './database.ts'
import type { Tx } from './query.ts'

/**
 * First to last. Deposits, and the links of an end-user, need no place: their account or end-user is locked. An endpoint comes
 * behind its business's stream of events, since a transaction that stores an event locks the stream and then the lanes.
 * The caller's Idempotency-Key and the chain of the audit log come behind all of these: no transaction that holds one of
 * them waits for another lock.
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

/** A business has one row of these, so a transaction that takes it again takes nothing new. */
const single: ReadonlySet<Lockable> = new Set(['business', 'stream'])

const taken = new WeakMap<Tx, Set<Lockable>>()

/**
 * Notes that a transaction is about to lock rows of this kind. The order does not depend on what runs beside the
 * transaction, so any test that takes the path finds a wrong one, not only the race that would deadlock.
 * @throws Error when the transaction holds locks of a later kind
 */
export function willLock(tx: Tx, kind: Lockable): void {
  const held = taken.get(tx) ?? new Set()
  if (held.has(kind) && single.has(kind)) return
  const later = lockOrder.slice(lockOrder.indexOf(kind) + 1).find((other) => held.has(other))
  if (later) throw new Error(`${kind} is locked behind ${later}: see lockOrder`)
  taken.set(tx, held.add(kind))
}

/** Ten times as long as a transaction holds a row, unless its process stands still. */
const lockWaitMs = 500

/**
 * Runs a transaction that does not wait for a row which another transaction holds on to: a waiting connection would be
 * missing to everybody else.
 * @param busy makes the error for a lock that was not free in time
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
 * Runs a transaction under time limits of its own.
 * @param orElse says what becomes of one whose lock was not free in time
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
