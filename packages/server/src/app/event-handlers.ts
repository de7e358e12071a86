// Which subject's state follows which event of the provider. All events are forwarded; those without a handler move nothing.

import { depositEvents } from '../deposits/service.ts'
import { endUserEvents } from '../end-users/kyc/apply-verdict.ts'
import type { EventHandler } from '../events/handler.ts'
import { informationRequestEvents } from '../information-requests/service.ts'
import { wakeOnCommit } from '../platform/postgres/notify.ts'
import type { ProviderEvent } from '../provider/port.ts'
import { requestInformationRequestPull } from '../reconcile/information-requests.store.ts'
import { accountEvents, isAccountStep } from '../virtual-accounts/refresh.ts'
import type { Deps } from './context.ts'

const requestEvents: EventHandler<Deps> = {
  ...informationRequestEvents,
  /** Reads the provider's list, for the operator. An event about our account at the provider will never have an owner. */
  async withoutOwner(tx, { informationRequest }) {
    await requestInformationRequestPull(tx)
    await wakeOnCommit(tx, 'reconcile')
    return informationRequest === null || informationRequest.customerId === null ? 'applied' : 'waits'
  },
}

/** @returns the handler of the event; null when it moves no state */
export function eventHandlerOf({ category, activity }: ProviderEvent): EventHandler<Deps> | null {
  if (category === 'customer' || category === 'kyc_link') return endUserEvents
  if (category === 'rfi') return requestEvents
  if (category === 'virtual_account') return accountEvents
  if (category !== 'virtual_account.activity') return null
  return activity && isAccountStep(activity.type) ? accountEvents : depositEvents
}
