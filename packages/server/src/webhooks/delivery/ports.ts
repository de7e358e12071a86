// What the send loop needs from this process.

import type { LocalRelay } from '../../events/local-relay.ts'
import type { ServerCore } from '../../platform/core.ts'

export type Delivers = ServerCore & {
  /** The way on which this process is told of deliveries that it has stored itself. */
  localRelay: LocalRelay
}
