// What requests for information need from others.

import type { Core } from '../platform/core.ts'
import type { ProviderInformationRequest } from '../provider/port.ts'

export type InformationRequests = Core & {
  provider: {
    /** Rejects with a `ProviderError` and with nothing else. */
    getInformationRequest(id: string): Promise<ProviderInformationRequest>
  }
}
