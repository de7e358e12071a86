// What records of end-users and their Terms-of-Service links need from others.

import type { Core } from '../platform/core.ts'
import type { Write } from '../provider/port.ts'

/** Links to the provider's Terms of Service. Each function rejects with a `ProviderError` and with nothing else. */
export interface TermsAtProvider {
  createTosLink(write: Write): Promise<{ url: string }>
  /** For a customer that exists. */
  getTosAcceptanceLink(customerId: string): Promise<{ url: string }>
}

export type Terms = Core & { provider: TermsAtProvider }
