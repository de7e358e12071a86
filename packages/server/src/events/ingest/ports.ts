// What the provider's events need from others.

import type { Core } from '../../platform/core.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { SignatureVerdict } from '../../provider/bridge/signature.ts'
import type {
  ProviderCustomer,
  ProviderEvent,
  ProviderKycLink,
  ProviderVirtualAccount,
} from '../../provider/bridge/wire/types.ts'
import type { ProviderActivity } from '../../provider/port.ts'
import type { EventHandler } from '../handler.ts'
import type { IncomingEvent, IngestOutcome } from './ingest.store.ts'

/** Reads the events of the provider. */
export interface EventReader {
  readEvent(json: JsonObject): ProviderEvent
  /** @returns the body that businesses are sent: the bytes as they came, unless they hold what a business must not see */
  bodyToForward(category: string, json: JsonObject, rawBody: Buffer): Buffer
}

/** What tells the owner of an event. Each function rejects with a `ProviderError` and with nothing else. */
export interface OwnersAtProvider {
  getCustomer(id: string): Promise<ProviderCustomer>
  getKycLink(id: string): Promise<ProviderKycLink>
  getVirtualAccount(customerId: string, id: string): Promise<ProviderVirtualAccount>
  /** Of all customers, the newest first. */
  listAllActivity(page: { limit: number }): Promise<ProviderActivity[]>
}

type Handlers = {
  /** @returns the handler of an event; null for an event that moves no state and is only forwarded */
  eventHandlerOf(event: ProviderEvent): EventHandler<Core> | null
}

export type Ingests = Core &
  Handlers & {
    provider: EventReader
    /** Commits events, many in one transaction. */
    groupCommit: { commit(event: IncomingEvent): Promise<IngestOutcome> }
    /** Checks a signature of the provider over the raw bytes, against the configured keys and the stored keys. */
    verifyEvent(rawBody: Buffer, header: string | undefined): Promise<SignatureVerdict>
  }

export type Applies = Core & Handlers & { provider: EventReader & OwnersAtProvider }
