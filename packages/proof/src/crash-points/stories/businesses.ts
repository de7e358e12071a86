// Businesses and their API keys, managed by the business and by the operator.

import { fresh, openPlace, type Place } from '../world.ts'
import { counted, operationStory, type Story, withoutKey } from './story.ts'

async function keysNamed(place: Place, name: string): Promise<readonly { id: string; revokedAt: Date | null }[]> {
  return await place.rows(
    (query) => query`select id, revoked_at from api_keys where business_id = ${place.businessId} and name = ${name}`,
  )
}

export const businessStories: readonly Story[] = [
  operationStory('createCustomer', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('A new business')
      const named = () => place.rows((query) => query`select 1 from businesses where name = ${name}`)
      return {
        place,
        request: { method: 'POST', path: '/v0/customers', body: { name }, as: 'operator' },
        look: async () => counted('businesses', (await named()).length),
      }
    },
  }),

  operationStory('updateCustomer', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const path = `/v0/customers/${place.businessId}`
      const name = fresh('A business renamed')
      return {
        place,
        request: { method: 'PATCH', path, body: { name }, as: 'operator' },
        look: async () => ({
          happened: (await place.ask('GET', path, undefined, 'operator')).name === name,
          faults: [],
        }),
      }
    },
  }),

  operationStory('issueCustomerApiKey', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('key')
      const path = `/v0/customers/${place.businessId}/api-keys`
      return {
        place,
        request: { method: 'POST', path, body: { name }, as: 'operator' },
        look: async () => counted('keys', (await keysNamed(place, name)).length),
      }
    },
  }),

  operationStory('revokeCustomerApiKey', {
    orElse: ['api_key_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('key')
      const keys = `/v0/customers/${place.businessId}/api-keys`
      const { id } = await place.ask('POST', keys, { name }, 'operator')
      return {
        place,
        request: { method: 'DELETE', path: `${keys}/${id}`, as: 'operator' },
        look: async () => ({
          happened: (await keysNamed(place, name)).every((key) => key.revokedAt !== null),
          faults: [],
        }),
      }
    },
  }),

  operationStory('issueApiKey', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('key')
      return {
        place,
        request: { method: 'POST', path: '/v0/api-keys', body: { name } },
        look: async () => counted('keys', (await keysNamed(place, name)).length),
      }
    },
  }),

  operationStory('rollApiKey', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('key')
      const { id } = await place.ask('POST', '/v0/api-keys', { name })
      return {
        place,
        request: { method: 'POST', path: `/v0/api-keys/${id}/roll`, body: {} },
        events: { 'api_key.rolled': 1 },
        look: async () => {
          const others = (await keysNamed(place, name)).filter((key) => key.id !== id)
          return counted('new keys', others.length)
        },
      }
    },
  }),

  operationStory('revokeApiKey', {
    orElse: ['api_key_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const name = fresh('key')
      const { id } = await place.ask('POST', '/v0/api-keys', { name })
      return {
        place,
        request: { method: 'DELETE', path: `/v0/api-keys/${id}` },
        look: async () => ({
          happened: (await keysNamed(place, name)).every((key) => key.revokedAt !== null),
          faults: [],
        }),
      }
    },
  }),
]
