// The order of one endpoint's deliveries by end-user. A delivery of an end-user starts when the one before it has ended, so
// that first attempts keep their order. With best_effort ordering, the next one also starts after `overtakeMs`, before a
// slow receiver has responded. With per_end_user ordering, a failed delivery also blocks the later deliveries of its end-user.

import type { WaitingDelivery } from '../../events/local-relay.ts'

/** With best_effort ordering, a delivery in flight for this time no longer blocks the next one of its end-user. */
export const overtakeMs = 1_000

/** Blocked deliveries of one end-user that may be read now: those after `after`. */
export type HeldBackRequest = { endUserId: string; after: number }

export class UserOrder {
  /**
   * The last delivery that started of each end-user, while it is in flight. Earlier ones in flight have been overtaken, and
   * their ends change nothing.
   */
  readonly #busyUsers = new Map<string, { sequence: number; startedMs: number }>()
  /** End-users with a failed delivery. Their later deliveries are dropped when read, and read again afterwards. */
  readonly #heldUsers = new Set<string>()
  readonly #released: HeldBackRequest[] = []

  /** @param nowMs null if a delivery in flight must not be overtaken, however long it takes */
  mayStart({ endUserId }: WaitingDelivery, nowMs: number | null): boolean {
    const before = endUserId === null ? undefined : this.#busyUsers.get(endUserId)
    return !before || (nowMs !== null && nowMs - before.startedMs >= overtakeMs)
  }

  start({ endUserId, sequence }: WaitingDelivery, startedMs: number): void {
    if (endUserId !== null) this.#busyUsers.set(endUserId, { sequence, startedMs })
  }

  end({ endUserId, sequence }: WaitingDelivery): void {
    if (endUserId !== null && this.#busyUsers.get(endUserId)?.sequence === sequence) this.#busyUsers.delete(endUserId)
  }

  /** @returns whether a delivery that was just read is blocked, and must be dropped */
  holdsBack({ endUserId, isBehind }: WaitingDelivery): boolean {
    if (endUserId === null) return false
    if (isBehind) this.#heldUsers.add(endUserId)
    return this.#heldUsers.has(endUserId)
  }

  /** @returns whether a delivery that was just stored must be read in its place, after a failed one */
  mayHoldBack({ endUserId, isBehind }: WaitingDelivery): boolean {
    return isBehind || (endUserId !== null && (this.#heldUsers.has(endUserId) || this.#indexOf(endUserId) >= 0))
  }

  /**
   * Blocks the end-user of a failed delivery, or releases the end-user after the failed delivery has ended. A resent
   * delivery is outside the order and does neither.
   */
  settle(delivery: WaitingDelivery, isOver: boolean): boolean {
    const { endUserId, isOrdered, isRetry } = delivery
    this.end(delivery)
    if (endUserId === null || !isOrdered) return false
    if (isOver) {
      if (isRetry || this.#heldUsers.has(endUserId)) this.#release(endUserId, delivery)
      return false
    }
    this.#heldUsers.add(endUserId)
    const at = this.#indexOf(endUserId)
    if (at >= 0) this.#released.splice(at, 1)
    return true
  }

  /** The next request, unchanged until `addHeldBack` has received its result. */
  get heldBackRequest(): HeldBackRequest | null {
    return this.#released[0] ?? null
  }

  /**
   * Records the result of a request. @returns false if the result is outdated: the lane's read was restarted, or the
   * end-user is blocked again
   */
  answer(request: HeldBackRequest, readThrough: number | null): boolean {
    if (this.#released[0] !== request) return false
    this.#released.shift()
    if (readThrough === null) this.#heldUsers.delete(request.endUserId)
    else this.#released.push({ ...request, after: readThrough })
    return true
  }

  clear(): void {
    this.#heldUsers.clear()
    this.#released.length = 0
  }

  /**
   * A read in progress of an end-user continues from its place. A request from before the end of a retry is outdated.
   */
  #release(endUserId: string, { sequence, isRetry }: WaitingDelivery): void {
    const at = this.#indexOf(endUserId)
    const known = this.#released[at]
    if (!known) this.#released.push({ endUserId, after: sequence })
    else if (isRetry) this.#released[at] = { ...known }
  }

  #indexOf(endUserId: string): number {
    return this.#released.findIndex((released) => released.endUserId === endUserId)
  }
}
