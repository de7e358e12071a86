// What the send loop needs from this process.

import type { StoredDelivery } from '../../events/local-relay.ts'
import type { ServerCore } from '../../platform/core.ts'

/** Deliveries that this process has stored. */
export interface StoredHere {
  /** Under this name the process holds lanes. */
  readonly owner: string
  /** @param take gets deliveries of lanes that this process held when they were stored; null ends it */
  attach(take: ((stored: readonly StoredDelivery[]) => void) | null): void
}

export type Delivers = ServerCore & { localRelay: StoredHere }
