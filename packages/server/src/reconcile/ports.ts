// What reconciliation reads at the provider.

import type { Verdicts } from '../end-users/kyc/ports.ts'
import type { Ingests } from '../events/ingest/ports.ts'
import type { ServerCore } from '../platform/core.ts'
import type { Connects } from '../provider/connection/ports.ts'
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

export type Reconciles = Ingests & Connects & Verdicts & Accounts & ServerCore & { provider: RecordAtProvider }
