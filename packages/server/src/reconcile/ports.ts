// Dependencies of reconciliation.

import type { Verdicts } from '../end-users/kyc/ports.ts'
import type { ServerCore } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'
import type { Accounts } from '../virtual-accounts/ports.ts'

export type Reconciles = Verdicts &
  Accounts &
  ServerCore & {
    provider: Pick<Provider, 'deposits' | 'informationRequests' | 'record' | 'traits'>
    /**
     * Stores an event of the provider's event log, which counts as signed.
     * @returns whether it is new
     * @throws ApiError as for an event that the provider sends
     */
    ingestListed(rawBody: Buffer): Promise<boolean>
    /** Makes the provider resume its delivery. @param eventId an event that is already stored */
    resumeDelivery(eventId: string): Promise<void>
  }
