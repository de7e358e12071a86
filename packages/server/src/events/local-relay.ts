// The way from ingest to the relay in the same process. A delivery for a lane that this process holds goes there directly, with
// its body: without a notification, and without a reading of what was just written. Every other delivery is notified and read.

export type WaitingDelivery = {
  endpointId: string
  sequence: number
  id: string
  businessId: string
  eventId: string
  endUserId: string | null
  attempts: number
  attemptsBefore: number
  /** Tried before, or sent again on demand: it has a time of its own. */
  isRetry: boolean
  /** It stands in the order of its end-user. */
  isOrdered: boolean
  eventType: string
  externalUserId: string | null
  /** False for a provider event that came without a signature. */
  isVerified: boolean
  /** As it is stored. Null when a reading left it out, because it is encrypted or too large: then it is fetched by itself. */
  body: Buffer | null
  /** An earlier delivery of the same end-user failed and has to be first. */
  isBehind: boolean
}

/** A delivery that was just stored; the fence of its lane and the version of its endpoint's configuration then. */
export type StoredDelivery = WaitingDelivery & { fence: number; endpointVersion: number }

type Take = (stored: readonly StoredDelivery[]) => void

export class LocalRelay {
  /** Under this name the process holds lanes. */
  readonly owner: string
  #take: Take | null = null

  constructor(owner: string) {
    this.owner = owner
  }

  /** The name that deliveries are handed over under; null while this process sends nothing. */
  get receiver(): string | null {
    return this.#take && this.owner
  }

  /** @param take gets deliveries of lanes that this process held when they were stored; null ends it */
  attach(take: Take | null): void {
    this.#take = take
  }

  /** Hands over what was stored for `receiver`. After the end of the relay the next holder reads it. */
  handOver(stored: readonly StoredDelivery[]): void {
    if (stored.length > 0) this.#take?.(stored)
  }
}
