// Maps provider events to the subject whose objects they update. All events are forwarded; events without a handler
// update nothing.

import { depositEvents } from '../deposits/service.ts'
import { endUserEvents } from '../end-users/kyc/apply-verdict.ts'
import type { EventHandler } from '../events/handler.ts'
import { informationRequestEvents } from '../information-requests/service.ts'
import type { Core } from '../platform/core.ts'
import { wakeOnCommit } from '../platform/postgres/notify.ts'
import type { EventReading } from '../provider/port.ts'
import { requestInformationRequestPull } from '../reconcile/information-requests.store.ts'
import { accountEvents } from '../virtual-accounts/refresh.ts'

const requestEvents: typeof informationRequestEvents = {
  ...informationRequestEvents,
  /**
   * Reads the provider's list, for the operator. An event about the operator's own provider account never gets an
   * owner.
   */
  async withoutOwner(tx, { informationRequest }) {
    await requestInformationRequestPull(tx)
    await wakeOnCommit(tx, 'reconcile')
    return informationRequest === null || informationRequest.customerId === null ? 'applied' : 'waits'
  },
}

const handlers = {
  endUsers: endUserEvents,
  informationRequests: requestEvents,
  accounts: accountEvents,
  deposits: depositEvents,
}

type Subject = keyof typeof handlers
type DepsOf<S extends Subject> = (typeof handlers)[S] extends EventHandler<infer Deps> ? Deps : never
/** Creates the dependencies of each subject from the core that the apply loop passes. */
type Hands = { [S in Subject]: (core: Core, scope: null) => DepsOf<S> }

/** The subject whose state the event changes; null if it changes none. */
const subjects: Readonly<Record<EventReading['about'], Subject | null>> = {
  customer: 'endUsers',
  hosted_kyc: 'endUsers',
  account: 'accounts',
  deposit: 'deposits',
  information_request: 'informationRequests',
  other: null,
}

export const subjectOf = ({ about }: Pick<EventReading, 'about'>): Subject | null => subjects[about]

/** Creates `eventHandlerOf`, which returns the handler of an event; null if the event changes no state. */
export function eventHandlersOf(hands: Hands): (event: EventReading) => EventHandler<Core> | null {
  const bySubject: Readonly<Record<Subject, EventHandler<Core>>> = {
    endUsers: handed(handlers.endUsers, hands.endUsers),
    informationRequests: handed(handlers.informationRequests, hands.informationRequests),
    accounts: handed(handlers.accounts, hands.accounts),
    deposits: handed(handlers.deposits, hands.deposits),
  }
  return (event) => {
    const subject = subjectOf(event)
    return subject && bySubject[subject]
  }
}

function handed<Deps>(handler: EventHandler<Deps>, hand: (core: Core, scope: null) => Deps): EventHandler<Core> {
  const { apply, read, withoutOwner } = handler
  return {
    ...(apply && { apply: (core, ...of) => apply(hand(core, null), ...of) }),
    read: (core, ...of) => read(hand(core, null), ...of),
    ...(withoutOwner && { withoutOwner }),
  }
}
