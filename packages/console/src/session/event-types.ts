// The types of events that there are today. Filters offer them, and keep any other that is in the URL: the provider's list
// grows without us.

import type { BusinessEventType, EventSource } from '@causeway/sdk'

/** Each with what happened, in words. A type that the API has and this table lacks does not compile. */
export const businessEvents: Readonly<Record<BusinessEventType, string>> = {
  'webhook_endpoint.test': 'A test of an endpoint',
  'end_user.created': 'An end-user was created',
  'end_user.tos.accepted': 'An end-user accepted the terms',
  'end_user.kyc.updated': 'The KYC of an end-user changed',
  'end_user.onboarding.completed': 'An end-user finished onboarding by a link',
  'end_user.onboarding.abandoned': 'An onboarding link expired before onboarding was complete',
  'virtual_account.created': 'An account was opened',
  'virtual_account.updated': 'An account changed',
  'virtual_account.suspended': 'An account was suspended',
  'virtual_account.resumed': 'An account was resumed',
  'virtual_account.deactivated': 'An account was deactivated',
  'virtual_account.reactivated': 'An account was reactivated',
  'virtual_account.failed': 'An account could not be opened',
  'virtual_account.deposit.updated': 'A deposit changed its state',
  'virtual_account.payment.received': 'A payment came into an account',
  'information_request.updated': 'The provider requested information, or a request changed',
  'webhook_endpoint.disabled': 'A webhook endpoint was disabled',
  'api_key.rolled': 'An API key was rolled',
}

export const businessEventTypes = Object.keys(businessEvents) as readonly BusinessEventType[]

/** The most frequent ones of the provider. */
const providerEventTypes = [
  'customer.created',
  'customer.updated',
  'customer.updated.status_transitioned',
  'kyc_link.updated.status_transitioned',
  'virtual_account.activity.created',
  'virtual_account.activity.updated',
  'transfer.updated.status_transitioned',
]

export const suggestedEventTypes: readonly string[] = [...businessEventTypes, ...providerEventTypes]

/** The choices of a filter. @param chosen what the address has */
export function eventTypeOptions(chosen: string | undefined): readonly (readonly [type: string, words: string])[] {
  const isKnown = chosen === undefined || suggestedEventTypes.includes(chosen)
  return [...(isKnown ? [] : [chosen]), ...suggestedEventTypes].map((type) => [type, type] as const)
}

/** Names for subscriptions to a group of types, such as `end_user.*`. */
export const suggestedFilters: readonly string[] = [
  'end_user.*',
  'virtual_account.*',
  'information_request.*',
  'webhook_endpoint.*',
  'api_key.*',
  'customer.*',
  'kyc_link.*',
  'transfer.*',
  ...suggestedEventTypes,
]

export const sourceWords: Readonly<Record<EventSource, string>> = { causeway: 'Causeway', provider: 'Provider' }
