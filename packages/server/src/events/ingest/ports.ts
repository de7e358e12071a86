// Dependencies of the ingest of provider events.

import type { IncomingHttpHeaders } from 'node:http'
import type { Core } from '../../platform/core.ts'
import type { EventReading, Provider, SignatureVerdict } from '../../provider/port.ts'
import type { EventHandler } from '../handler.ts'
import type { IncomingEvent, IngestOutcome } from './ingest.store.ts'

type Handlers = {
  /** @returns the handler of an event; null for an event that is only forwarded */
  eventHandlerOf(event: EventReading): EventHandler<Core> | null
}

export type Ingests = Core &
  Handlers & {
    provider: Pick<Provider, 'events'>
    /** Commits events, many in one transaction. */
    groupCommit: { commit(event: IncomingEvent): Promise<IngestOutcome> }
    /** Verifies a provider signature over the raw bytes, against the configured and the stored keys. */
    verifyEvent(rawBody: Buffer, headers: IncomingHttpHeaders): Promise<SignatureVerdict>
  }

export type Applies = Core &
  Handlers & { provider: Pick<Provider, 'events' | 'customers' | 'hostedKyc' | 'accounts' | 'deposits'> }
