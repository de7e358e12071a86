// The event types that Causeway sends, and warnings about unknown types. The provider may add types at any time: a type
// that is not listed is still forwarded.

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

/** Only in the event stream: an endpoint gets the resent event itself. */
export const streamEventTypes = ['event.resent'] as const
export type StreamEventType = (typeof streamEventTypes)[number]

/** `causeway`: created by this service. `provider`: forwarded unchanged. */
export const eventSources = ['provider', 'causeway'] as const
export type EventSource = (typeof eventSources)[number]

export type EventTypeWarning = { param: string; code: 'unknown_event_type'; message: string }

/**
 * Warns about each name, or `prefix.*`, that matches no current event type of these sources, and suggests the closest
 * name.
 * @param providerTypes the types that the provider currently sends
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
    const message = `eventTypes.${at} matches no current event type of ${sources.join(' or ')}.${hint}`
    return [{ param: `eventTypes.${at}`, code: 'unknown_event_type' as const, message }]
  })
}
