// How a subject's state follows the events of the provider: what a subject registers in `app/event-handlers.ts`.

import type { Tx } from '../platform/postgres/query.ts'
import type { EventReading } from '../provider/port.ts'
import type { WorkRow } from './work.store.ts'

export type OwnedEvent = WorkRow & { businessId: string }

/**
 * `unknown_account`: the event may have overtaken the answer that creates its account. `busy_account`: a change of the
 * account is under way.
 */
export type Applied = 'applied' | 'unknown_account' | 'busy_account'

/** Both may be repeated for the same event, in any order with others. @template Deps what the subject is handed */
export type EventHandler<Deps> = {
  /** Applies what a verified event says, in the transaction that holds it. Without this function the provider is read. */
  apply?(deps: Deps, tx: Tx, event: OwnedEvent, content: EventReading): Promise<Applied>
  /** Reads at the provider what the event hints at, with no transaction open, and applies the answer. */
  read(deps: Deps, event: OwnedEvent, content: EventReading): Promise<Applied>
  /** Called once, for an event without a known owner. `waits`: the owner may become known later. */
  withoutOwner?(tx: Tx, content: EventReading): Promise<'applied' | 'waits'>
}
