// Explains why an event was delivered or not, endpoint by endpoint.

import { eventOf, sourceOf } from '../../events/service.ts'
import type { Core } from '../../platform/core.ts'
import type { Business } from '../../platform/http/caller.ts'
import { isoTime } from '../../platform/values/time.ts'
import { explain, judge } from './explain.rules.ts'
import { aheadMax, findEventWork, listEndpointFacts } from './explain.store.ts'

/** @throws ApiError `event_not_found`, also for an event whose owner is not known yet */
export async function explainEvent(deps: Core, business: Business, eventId: string) {
  return await deps.db.read(async (query) => {
    const event = await eventOf(query, business, eventId)
    const source = sourceOf(event)
    const facts = await listEndpointFacts(query, { ...event, source, businessId: business.id })
    const work = await findEventWork(query, business.id, eventId)
    const endpoints = facts.map((known) => {
      const { code, message, since } = explain(
        known,
        { type: event.type, source, isAddressed: event.trust === 'test' || event.trust === 'stream' },
        aheadMax,
      )
      return {
        webhookEndpointId: known.endpointId,
        webhookUrl: known.url,
        code,
        message,
        since: timeOrNull(since),
        deliveryId: known.deliveryId,
        sequence: known.sequence,
        attemptCount: known.attempts,
        lastOutcome: known.lastOutcome,
        nextAttemptAt: timeOrNull(known.nextAttemptAt),
        heldBy: known.heldBy,
        aheadCount: known.ahead,
      }
    })
    return {
      eventId: event.id,
      eventType: event.type,
      createdAt: isoTime(event.createdAt),
      ...judge(endpoints.map(({ code }) => code)),
      processing: explainWork(work),
      endpoints,
    }
  })
}

export const processingCodes = ['done', 'pending', 'held_back', 'quarantined'] as const
type Processing = { code: (typeof processingCodes)[number]; message: string; nextAttemptAt: string | null }

/** Explains whether the event still has to be applied to Causeway's objects. Deliveries never wait for it. */
function explainWork(work: Awaited<ReturnType<typeof findEventWork>>): Processing {
  if (!work) return { code: 'done', message: 'The event has been applied.', nextAttemptAt: null }
  if (work.state === 'quarantined') {
    const message = `The event was quarantined after ${work.attempts} attempts to apply it. Causeway automatically reads its objects from the provider again. Contact the operator, and quote the ID of the event.`
    return { code: 'quarantined', message, nextAttemptAt: null }
  }
  const nextAttemptAt = isoTime(work.dueAt)
  if (!work.isHeldBack) return { code: 'pending', message: 'The event will be applied in a moment.', nextAttemptAt }
  const message =
    'The object of the event is not known yet, or the provider was not available. Causeway retries automatically.'
  return { code: 'held_back', message, nextAttemptAt }
}

function timeOrNull(time: Date | null): string | null {
  return time ? isoTime(time) : null
}
