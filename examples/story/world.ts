// The parameters of every chapter.

import type { Causeway } from '@causeway/sdk'
import type { eventsOf } from '../events.ts'

export interface World {
  readonly api: Causeway
  readonly events: ReturnType<typeof eventsOf>
  /** Ids of this run, so that it can be repeated against the same service. */
  readonly idOf: (name: string) => string
  /** An email address for this run: the provider accepts each only once. The sandbox plays the `outcome` in the address. */
  readonly emailOf: (name: string, outcome?: 'reject' | 'document' | 'ubo' | 'ownerdocument') => string
}
