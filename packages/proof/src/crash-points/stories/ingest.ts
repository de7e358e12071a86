// Events of the provider, as they come in at the door: with an owner, without one, and once more.

import { fresh, newUser, openPlace, type Place } from '../world.ts'
import { counted, operationStory, type Scene, type Story } from './story.ts'

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
