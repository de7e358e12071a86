// How a subject's objects follow provider events: a subject registers a handler in `app/event-handlers.ts`.

import type { Tx } from '../platform/postgres/query.ts'
import type { EventReading } from '../provider/port.ts'
import type { WorkRow } from './work.store.ts'

export type OwnedEvent = WorkRow & { businessId: string }

/**
 * `unknown_account`: the event may have arrived before the response that creates its account. `busy_account`: a change
 * of the account is in progress.
 */
export type Applied = 'applied' | 'unknown_account' | 'busy_account'

/** Both may be repeated for the same event, in any order with others. @template Deps the dependencies of the subject */
export type EventHandler<Deps> = {
  /** Applies a verified event, in the transaction that holds it. Without this function the provider is read. */
  apply?(deps: Deps, tx: Tx, event: OwnedEvent, content: EventReading): Promise<Applied>
  /** Reads the object of the event at the provider, with no transaction open, and applies the response. */
  read(deps: Deps, event: OwnedEvent, content: EventReading): Promise<Applied>
  /** Called once, for an event without a known owner. `waits`: the owner may become known later. */
  withoutOwner?(tx: Tx, content: EventReading): Promise<'applied' | 'waits'>
}
