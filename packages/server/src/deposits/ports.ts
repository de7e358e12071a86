// What deposits need from others.

import type { Core } from '../platform/core.ts'
import type { ProviderActivity } from '../provider/port.ts'

/** The provider's history of an account, the newest step first. Rejects with a `ProviderError` and with nothing else. */
export interface ActivityReader {
  listActivity(customerId: string, accountId: string, page: { limit: number }): Promise<ProviderActivity[]>
}

export type Deposits = Core & { provider: ActivityReader }
