// Dependencies of the send loop.

import type { StoredDelivery } from '../../events/local-relay.ts'
import type { ServerCore } from '../../platform/core.ts'

/** Deliveries stored by this process. */
export interface StoredHere {
  /** The name under which the process holds lanes. */
  readonly owner: string
  /** @param take receives deliveries of lanes that this process held when they were stored; null stops it */
  attach(take: ((stored: readonly StoredDelivery[]) => void) | null): void
}

export type Delivers = ServerCore & { localRelay: StoredHere }
