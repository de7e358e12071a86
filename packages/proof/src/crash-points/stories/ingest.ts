// Events of the provider, as they come in at the door: with an owner, without one, and once more.

import { until } from '../../../../server/test/caller.ts'
import { fresh, newUser, openPlace, type Place } from '../world.ts'
import { counted, operationStory, type Scene, type Story, withoutKey } from './story.ts'

async function eventsNamed(place: Place, eventId: string): Promise<readonly { businessId: string | null }[]> {
  return await place.rows((query) => query`select business_id from events where provider_event_id = ${eventId}`)
}

const path = '/v0/webhooks/provider'

const receiving = (place: Place, body: { event_id: string; event_type: string }, owner: string | null): Scene => ({
  place,
  request: { method: 'POST', path, body, as: 'provider' },
  look: async () => {
    const rows = await eventsNamed(place, body.event_id)
    const look = counted('events', rows.length)
    if (rows[0] && rows[0].businessId !== owner) look.faults.push('it has another owner')
    return look
  },
})

export const ingestStories: readonly Story[] = [
  operationStory('receiveProviderWebhook', {
    name: 'receive-event',
    alone: true,
    async prepare(stage) {
      const place = await openPlace(stage)
      const body = { event_id: fresh('wh'), event_type: 'test.happened', external_user_id: await newUser(place) }
      return receiving(place, body, place.businessId)
    },
  }),

  operationStory('receiveProviderWebhook', {
    name: 'receive-event-of-nobody',
    alone: true,
    async prepare(stage) {
      const place = await openPlace(stage)
      return receiving(place, { event_id: fresh('wh'), event_type: 'test.happened' }, null)
    },
  }),

  operationStory('retryHeldEvent', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const body = { event_id: fresh('wh'), event_type: 'test.happened' }
      await place.send({ method: 'POST', path, body, as: 'provider' })
      const held = await until('the held event', async () => {
        const rows = await place.rows(
          (query) => query<{ id: string }[]>`
            select e.id from events e join event_work w on w.event_id = e.id
            where e.provider_event_id = ${body.event_id} and w.error is not null`,
        )
        return rows[0]
      })
      // The event waits for an owner before and after.
      return {
        place,
        request: { method: 'POST', path: `/v0/operator/events/${held.id}/retry`, as: 'operator' },
        look: async () => ({ happened: true, faults: [] }),
      }
    },
  }),

  operationStory('receiveProviderWebhook', {
    name: 'receive-event-again',
    alone: true,
    async prepare(stage) {
      const place = await openPlace(stage)
      const body = { event_id: fresh('wh'), event_type: 'test.happened', external_user_id: await newUser(place) }
      const first = await place.send({ method: 'POST', path, body, as: 'provider' })
      if (first.status !== 200) throw new Error(`the event was not taken: ${first.text}`)
      return receiving(place, body, place.businessId)
    },
  }),
]
