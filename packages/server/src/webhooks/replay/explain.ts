// Explains why an event has arrived or not, endpoint by endpoint.

import { eventOf, sourceOf } from '../../events/service.ts'
import type { Core } from '../../platform/core.ts'
import type { Business } from '../../platform/http/caller.ts'
import { isoTime } from '../../platform/values/time.ts'
import { explain, judge } from './explain.rules.ts'
import { aheadMax, findEventWork, listEndpointFacts } from './explain.store.ts'

/** Explains an event. @throws ApiError `event_not_found`, also for an event whose owner is not known yet */
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

/** Says what our own state still has to take from the event. Deliveries never wait for it. */
function explainWork(work: Awaited<ReturnType<typeof findEventWork>>): Processing {
  if (!work) return { code: 'done', message: 'Nothing is left to do with it here.', nextAttemptAt: null }
  if (work.state === 'quarantined') {
    const message = `It was set aside after ${work.attempts} attempts to apply it to the objects it is about; they are read again at the provider by themselves. Ask the operator, with the id of the event.`
    return { code: 'quarantined', message, nextAttemptAt: null }
  }
  const nextAttemptAt = isoTime(work.dueAt)
  if (!work.isHeldBack)
    return { code: 'pending', message: 'It is about to be applied to the objects it is about.', nextAttemptAt }
  const message = 'What it is about is not known here yet, or the provider could not be asked: it is tried again.'
  return { code: 'held_back', message, nextAttemptAt }
}

function timeOrNull(time: Date | null): string | null {
  return time ? isoTime(time) : null
}
