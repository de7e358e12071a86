// Whether anyone in any process waits for the notifications of a channel. A process that has someone waiting holds an
// advisory lock, shared with others, on its listening connection. A transaction that can take the lock for itself needs
// no notification: each one wakes every replica.

import { setTimeout as delay } from 'node:timers/promises'
import { streamLock } from '../notify.ts'
import type { Query } from '../query.ts'

/** The connection reports no notifications while it waits for the lock, which transactions hold until they end. */
const lockWaitMs = 100
const retryMs = 100
/** Readers come back at once, so the lock is kept for this time after the last one. */
const lingerMs = 5_000

type Connection = { query: Query }

export class Audience {
  readonly #heldListeners: (() => void)[] = []
  #connection: Connection | null = null
  #count = 0
  #lingerTimer: NodeJS.Timeout | undefined
  #isNeeded = false
  #isHeld = false
  #isSettling = false

  /** @param listener called when the lock is held: what was stored before was not notified */
  whenHeld(listener: () => void): void {
    this.#heldListeners.push(listener)
  }

  enter(): void {
    this.#count += 1
    clearTimeout(this.#lingerTimer)
    this.#need(true)
  }

  leave(): void {
    this.#count -= 1
    if (this.#count === 0) this.#lingerTimer = setTimeout(() => this.#need(false), lingerMs).unref()
  }

  /** @param connection the one that listens from now on, without the lock; null while there is none */
  moveTo(connection: Connection | null): void {
    this.#connection = connection
    this.#isHeld = false
    void this.#settle()
  }

  #need(isNeeded: boolean): void {
    this.#isNeeded = isNeeded
    void this.#settle()
  }

  async #settle(): Promise<void> {
    if (this.#isSettling) return
    this.#isSettling = true
    while (this.#connection && this.#isHeld !== this.#isNeeded) {
      const [connection, isNeeded] = [this.#connection, this.#isNeeded]
      const isDone = await change(connection, isNeeded)
      if (connection !== this.#connection) continue
      if (!isDone) await delay(retryMs, undefined, { ref: false })
      else {
        this.#isHeld = isNeeded
        if (isNeeded) for (const onHeld of this.#heldListeners) onHeld()
      }
    }
    this.#isSettling = false
  }
}

/** @returns false if the lock was not free in time, or the connection is lost */
async function change({ query }: Connection, isNeeded: boolean): Promise<boolean> {
  const change = isNeeded ? 'pg_advisory_lock_shared' : 'pg_advisory_unlock_shared'
  const text = `set lock_timeout = ${lockWaitMs}; select ${change}(${streamLock})`
  return await query.unsafe(text).then(
    () => true,
    () => false,
  )
}
