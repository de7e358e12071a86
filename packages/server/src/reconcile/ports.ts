// What reconciliation needs from others.

import type { Verdicts } from '../end-users/kyc/ports.ts'
import type { ServerCore } from '../platform/core.ts'
import type { ListedEvents, PageQuery, ProviderActivity, ProviderInformationRequest } from '../provider/port.ts'
import type { Accounts } from '../virtual-accounts/ports.ts'

/** The record of the provider. Each function rejects with a `ProviderError` and with nothing else. */
export interface RecordAtProvider {
  /** All events of the last 90 days, sent or not; at most 500 a page. */
  listWebhookEvents(page: PageQuery): Promise<ListedEvents>
  /** Of all customers, the newest first. */
  listAllActivity(page: PageQuery): Promise<ProviderActivity[]>
  listActivity(customerId: string, accountId: string, page: PageQuery): Promise<ProviderActivity[]>
  /** Requests that wait for us, of all customers, the newest first; at most 100 a page. */
  listInformationRequestsOnUs(page: PageQuery): Promise<ProviderInformationRequest[]>
  getInformationRequest(id: string): Promise<ProviderInformationRequest>
}

export type Reconciles = Verdicts &
  Accounts &
  ServerCore & {
    provider: RecordAtProvider
    /**
     * Stores an event of the provider's record, which is as good as signed.
     * @returns whether it is new
     * @throws ApiError as for an event that the provider sends
     */
    ingestListed(rawBody: Buffer): Promise<boolean>
    /** Makes the provider resume its delivery to us. @param eventId an event that we hold already */
    resumeDelivery(eventId: string): Promise<void>
  }
