// Which subject's state follows which event of the provider. All events are forwarded; those without a handler move nothing.

import { depositEvents } from '../deposits/service.ts'
import { endUserEvents } from '../end-users/kyc/apply-verdict.ts'
import type { ProviderEvent } from '../provider/port.ts'
import { accountEvents, isAccountStep } from '../virtual-accounts/refresh.ts'
import type { EventHandler } from './context.ts'

/** @returns the handler of the event; null when it moves no state */
export function eventHandlerOf({ category, activity }: ProviderEvent): EventHandler | null {
  if (category === 'customer' || category === 'kyc_link') return endUserEvents
  if (category === 'virtual_account') return accountEvents
  if (category !== 'virtual_account.activity') return null
  return activity && isAccountStep(activity.type) ? accountEvents : depositEvents
}
