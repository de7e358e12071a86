// What every chapter gets.

import type { Causeway } from '@causeway/sdk'
import type { eventsOf } from '../events.ts'

export interface World {
  readonly api: Causeway
  readonly events: ReturnType<typeof eventsOf>
  /** Ids of this run, so that it can be repeated against the same service. */
  readonly idOf: (name: string) => string
  /** An e-mail address of this run: the provider takes each one once. The emulator plays the `outcome` that it names. */
  readonly emailOf: (name: string, outcome?: 'reject' | 'document' | 'ubo' | 'ownerdocument') => string
}
