// What the onboarding page needs from others.

import type { Kyc } from '../end-users/kyc/ports.ts'
import type { Terms } from '../end-users/ports.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import type { Occupation } from '../provider/port.ts'

export type OnboardingPages = Kyc & {
  provider: Terms['provider'] & { listOccupations(): Promise<Occupation[]> }
  /** Pages that wait for a change. They take no places of the business's own readers. */
  pageReaders: Pick<EventReaders, 'openIfFree'>
  /** Null unless the provider is the emulator. */
  sandbox: object | null
}
