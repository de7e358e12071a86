// Which types of events this service sends, and warnings about types that nobody sends. The provider's list grows without us: a
// type that is on no list is forwarded all the same.

import { didYouMean } from '../platform/values/did-you-mean.ts'

export const businessEventTypes = [
  'end_user.created',
  'end_user.tos.accepted',
  'end_user.kyc.updated',
  'end_user.onboarding.completed',
  'end_user.onboarding.abandoned',
  'virtual_account.created',
  'virtual_account.updated',
  'virtual_account.suspended',
  'virtual_account.resumed',
  'virtual_account.deactivated',
  'virtual_account.reactivated',
  'virtual_account.failed',
  'virtual_account.deposit.updated',
  'virtual_account.payment.received',
  'information_request.updated',
  'webhook_endpoint.disabled',
  'webhook_endpoint.test',
  'api_key.rolled',
] as const

export type BusinessEventType = (typeof businessEventTypes)[number]

/** Told in the stream alone: an endpoint gets the event that is sent again, and needs no other. */
export const streamEventTypes = ['event.resent'] as const
export type StreamEventType = (typeof streamEventTypes)[number]

/** `causeway`: written by this service. `provider`: forwarded as it came. */
export const eventSources = ['provider', 'causeway'] as const
export type EventSource = (typeof eventSources)[number]

export type EventTypeWarning = { param: string; code: 'unknown_event_type'; message: string }

/**
 * Warns of each name, or `prefix.*`, that no event of these sources has today, with the name that was probably meant.
 * @param providerTypes the types that the provider sends today
 */
export function eventTypeWarnings(
  eventTypes: readonly string[],
  sources: readonly EventSource[],
  providerTypes: readonly string[],
): EventTypeWarning[] {
  const types = sources.flatMap((source) => (source === 'provider' ? providerTypes : businessEventTypes))
  const prefixes = types.flatMap((type) => [...type.matchAll(/\./g)].map(({ index }) => `${type.slice(0, index)}.*`))
  const known = new Set(['*', ...types, ...prefixes])
  return eventTypes.flatMap((name, at) => {
    if (known.has(name)) return []
    const meant = didYouMean(name, [...known])
    const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
    const message = `eventTypes.${at} is the type of no event that ${sources.join(' or ')} sends today.${hint}`
    return [{ param: `eventTypes.${at}`, code: 'unknown_event_type' as const, message }]
  })
}
