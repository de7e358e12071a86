// The order of one endpoint's deliveries by end-user. One delivery of an end-user is in flight at a time, so that first attempts
// keep their order. With per_end_user ordering a failed delivery also holds back the later ones of its end-user.

import type { WaitingDelivery } from '../../events/local-relay.ts'

/** Deliveries of one end-user that were held back and may be read now: those behind `after`. */
export type HeldBackRequest = { endUserId: string; after: number }

export class UserOrder {
  readonly #busyUsers = new Set<string>()
  /** End-users with a failed delivery. Their later deliveries are dropped when they are read, and read again after it. */
  readonly #heldUsers = new Set<string>()
  readonly #released: HeldBackRequest[] = []

  mayStart({ endUserId }: WaitingDelivery): boolean {
    return endUserId === null || !this.#busyUsers.has(endUserId)
  }

  start({ endUserId }: WaitingDelivery): void {
    if (endUserId !== null) this.#busyUsers.add(endUserId)
  }

  end({ endUserId }: WaitingDelivery): void {
    if (endUserId !== null) this.#busyUsers.delete(endUserId)
  }

  /** @returns whether a delivery that was just read is held back, and has to be dropped */
  holdsBack({ endUserId, isBehind }: WaitingDelivery): boolean {
    if (endUserId === null) return false
    if (isBehind) this.#heldUsers.add(endUserId)
    return this.#heldUsers.has(endUserId)
  }

  /** @returns whether a delivery that was just stored has to be read in its place, behind a failed one */
  mayHoldBack({ endUserId, isBehind }: WaitingDelivery): boolean {
    return isBehind || (endUserId !== null && (this.#heldUsers.has(endUserId) || this.#indexOf(endUserId) >= 0))
  }

  /**
   * Holds back the end-user of a failed delivery, or releases the end-user whose failed delivery is over. A delivery that was
   * sent again on demand stands outside the order and does neither.
   * @returns whether what was read of this end-user has to be dropped
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

  /** The next request, the same one until `addHeldBack` has answered it. */
  get heldBackRequest(): HeldBackRequest | null {
    return this.#released[0] ?? null
  }

  /**
   * Notes that a request was answered. @returns false when the lane is read again from its start meanwhile, or the end-user is
   * held again: then the answer is out of date
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

  /** An end-user who is being read already goes on from there. A request from before a retry was over is out of date. */
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
