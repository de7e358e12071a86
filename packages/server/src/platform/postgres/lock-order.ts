// The one order in which every transaction takes its locks: two that take theirs in the same order never wait for each other
// in a circle. Rows of one kind are locked in the order of their ids.

import { DatabaseError } from './db.ts'
import type { Tx } from './query.ts'

/**
 * First to last. Deposits, and the links of an end-user, are locked by what they belong to: they need no place. An endpoint
 * comes behind its business's stream of events, since a transaction that stores an event locks the stream and then the lanes.
 * Behind all of these comes what no transaction holds while it waits for another lock: the caller's Idempotency-Key, and the
 * chain of the audit log.
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
 * Notes that a transaction is about to lock rows of this kind. What a transaction locks does not depend on what runs beside
 * it, so a wrong order is found by any test that takes the path, not by the race that it would lose one day.
 * @throws Error when the transaction holds locks of a later kind
 */
export function willLock(tx: Tx, kind: Lockable): void {
  const held = taken.get(tx) ?? new Set()
  if (held.has(kind) && single.has(kind)) return
  const later = lockOrder.slice(lockOrder.indexOf(kind) + 1).find((other) => held.has(other))
  if (later) throw new Error(`${kind} is locked behind ${later}: see lockOrder`)
  taken.set(tx, held.add(kind))
}

/** No transaction holds a row for a tenth of it, unless its process stands still. */
const lockWaitMs = 500

/** From here on the transaction fails when it has waited for one lock so long: see `isLockWaitOver`. */
export async function waitBriefly(tx: Tx): Promise<void> {
  await tx.unsafe(`set local lock_timeout = ${lockWaitMs}`)
}

export function isLockWaitOver(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === lockNotAvailable
}

const lockNotAvailable = '55P03'
