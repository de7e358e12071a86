// What the provider tells, in words of our domain. Each type is the result of the reader in `wire/` that makes it.

import type { JsonObject } from '../platform/values/json.ts'
import type { readActivity } from './wire/activity.ts'
import type { readAssociatedPerson } from './wire/associated-person.ts'
import type { readCustomer } from './wire/customer.ts'
import type { readEvent } from './wire/event.ts'
import type { readEventList } from './wire/event-list.ts'
import type { readKycLink } from './wire/kyc-link.ts'
import type { readVirtualAccount } from './wire/virtual-account.ts'
import type { readWebhook } from './wire/webhook.ts'

export type ProviderCustomer = ReturnType<typeof readCustomer>
/** An endorsement as the provider reports it. */
export type ProviderEndorsement = ProviderCustomer['endorsements'][number]
/** What is open. `missing` is flattened: every name inside `all_of` and `any_of`. */
export type ProviderRequirements = Pick<ProviderEndorsement, 'pending' | 'missing' | 'issues'>
/** A person of a company, as far as one is known again. */
export type ProviderPerson = ReturnType<typeof readAssociatedPerson>
export type ProviderKycLink = ReturnType<typeof readKycLink>
export type ProviderVirtualAccount = ReturnType<typeof readVirtualAccount>
/** Where a payer sends the money of a virtual account. */
export type DepositInstructions = ProviderVirtualAccount['instructions']
/** One step of a deposit, as the provider's history and its `virtual_account.activity` events tell it. */
export type ProviderActivity = ReturnType<typeof readActivity>
export type DepositActivity = ProviderActivity['step']
export type ProviderWebhook = ReturnType<typeof readWebhook>
export type ProviderEvent = ReturnType<typeof readEvent>
export type OwnerHints = ProviderEvent['hints']
/** A page of the provider's own record of events. */
export type ListedEvents = ReturnType<typeof readEventList>
export type ListedEvent = ListedEvents['events'][number]

export type VirtualAccountInput = {
  sourceCurrency: string
  destination: { paymentRail: string; currency: string; address: string; memo?: string }
  developerFeePercent: string
  /** As the caller wrote it. */
  travelRuleData?: JsonObject
}
