// Passes deliveries from the code that stores events to the relay in the same process. A delivery for a lane that this
// process holds goes there directly, with its body, without a notification and without reading back what was just
// written. Every other delivery is notified and read.

import type { StoredRow } from './fan-out.sql.ts'

export type WaitingDelivery = {
  endpointId: string
  sequence: number
  id: string
  businessId: string
  eventId: string
  endUserId: string | null
  attempts: number
  attemptsBefore: number
  /** True for retries and resends. These have their own due time and do not follow `sequence` order. */
  isRetry: boolean
  /** Whether the delivery follows the order of its end-user. */
  isOrdered: boolean
  eventType: string
  externalUserId: string | null
  /** False for a provider event that came without a signature. */
  isVerified: boolean
  /**
   * The stored body. Null if a read left it out, because it is encrypted or too large: then it is fetched separately.
   */
  body: Buffer | null
  /** An earlier delivery of the same end-user failed and must be delivered first. */
  isBehind: boolean
}

/**
 * A delivery that was just stored, with the fence of its lane and the version of its endpoint's configuration at that
 * time.
 */
export type StoredDelivery = WaitingDelivery & { fence: number; endpointVersion: number }

/** Combines a stored row with the data that was available before. */
export function storedDelivery(
  { deliveryId: id, ...row }: StoredRow,
  event: Pick<StoredDelivery, 'businessId' | 'externalUserId' | 'eventType' | 'body' | 'isVerified'>,
): StoredDelivery {
  return { ...row, ...event, id, attempts: 0, attemptsBefore: 0, isRetry: false }
}

type Take = (stored: readonly StoredDelivery[]) => void

export class LocalRelay {
  /** The name under which the process holds lanes. */
  readonly owner: string
  #take: Take | null = null

  constructor(owner: string) {
    this.owner = owner
  }

  /** The name under which deliveries are handed over; null while this process sends nothing. */
  get receiver(): string | null {
    return this.#take && this.owner
  }

  /** @param take receives deliveries of lanes that this process held when they were stored; null stops it */
  attach(take: Take | null): void {
    this.#take = take
  }

  /** Hands over deliveries that were stored for `receiver`. After the end of the relay the next holder reads them. */
  handOver(stored: readonly StoredDelivery[]): void {
    if (stored.length > 0) this.#take?.(stored)
  }
}
