// Webhook endpoints and their deliveries: set, change, delete, test, send again.

import { until } from '../../../../server/test/caller.ts'
import { lastHour } from '../../../../server/test/replay.ts'
import { fresh, openPlace, type Place } from '../world.ts'
import { counted, type Look, operationStory, type Scene, type Story } from './story.ts'

type EndpointRow = { id: string; url: string; isDefault: boolean; ordering: string; secretSealed: string }

async function endpointsOf(place: Place): Promise<readonly EndpointRow[]> {
  const rows = (query: Parameters<Parameters<Place['rows']>[0]>[0]) =>
    query<EndpointRow[]>`select * from webhook_endpoints where business_id = ${place.businessId}`
  return await place.rows(rows)
}

async function lookForUrl(place: Place, webhookUrl: string): Promise<Look> {
  return counted('endpoints', (await endpointsOf(place)).filter(({ url }) => url === webhookUrl).length)
}

const settingUrl = async (place: Place, path: string, as: 'business' | 'operator'): Promise<Scene> => {
  const webhookUrl = place.stage.receiver.url(`/${fresh('default')}`)
  return {
    place,
    request: { method: 'PUT', path, body: { webhookUrl }, as },
    look: () => lookForUrl(place, webhookUrl),
  }
}

/** @returns an event that was delivered */
async function deliveredEvent(place: Place): Promise<{ eventId: string; deliveryId: string }> {
  const test = await place.ask('POST', `/v0/webhook-endpoints/${place.endpointId}/test`)
  await until(
    'the delivery',
    async () => (await place.ask('GET', `/v0/deliveries/${test.deliveryId}`)).status === 'delivered',
  )
  return test
}

async function attemptsOf(place: Place, deliveryId: string): Promise<number> {
  return (await place.ask('GET', `/v0/deliveries/${deliveryId}`)).attemptCount
}

async function replaysOf(place: Place, state?: string): Promise<number> {
  const rows = await place.rows<{ state: string }>(
    (query) => query`select state from replays where business_id = ${place.businessId}`,
  )
  return rows.filter((row) => state === undefined || row.state === state).length
}

export const webhookStories: readonly Story[] = [
  operationStory('setWebhookUrl', {
    prepare: async (stage) => await settingUrl(await openPlace(stage), '/v0/webhook-url', 'business'),
  }),

  operationStory('setCustomerWebhookUrl', {
    async prepare(stage) {
      const place = await openPlace(stage)
      return await settingUrl(place, `/v0/customers/${place.businessId}/webhook-url`, 'operator')
    },
  }),

  operationStory('deleteWebhookUrl', {
    orElse: ['webhook_url_not_set'],
    async prepare(stage) {
      const place = await openPlace(stage)
      await place.ask('PUT', '/v0/webhook-url', { webhookUrl: stage.receiver.url(`/${fresh('default')}`) })
      return {
        place,
        request: { method: 'DELETE', path: '/v0/webhook-url' },
        look: async () => ({ happened: (await endpointsOf(place)).every(({ isDefault }) => !isDefault), faults: [] }),
      }
    },
  }),

  operationStory('createWebhookEndpoint', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const webhookUrl = stage.receiver.url(`/${fresh('second')}`)
      return {
        place,
        request: { method: 'POST', path: '/v0/webhook-endpoints', body: { webhookUrl } },
        look: () => lookForUrl(place, webhookUrl),
      }
    },
  }),

  operationStory('updateWebhookEndpoint', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const path = `/v0/webhook-endpoints/${place.endpointId}`
      const body = { ordering: 'per_end_user', description: 'The ledger' }
      return {
        place,
        request: { method: 'PATCH', path, body },
        look: async () => ({ happened: (await place.ask('GET', path)).ordering === 'per_end_user', faults: [] }),
      }
    },
  }),

  operationStory('deleteWebhookEndpoint', {
    orElse: ['webhook_endpoint_not_found'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const webhookUrl = stage.receiver.url(`/${fresh('second')}`)
      const { id } = await place.ask('POST', '/v0/webhook-endpoints', { webhookUrl })
      await place.ask('PATCH', `/v0/webhook-endpoints/${id}`, { status: 'paused' })
      await place.ask('POST', `/v0/webhook-endpoints/${id}/test`)
      return {
        place,
        request: { method: 'DELETE', path: `/v0/webhook-endpoints/${id}` },
        look: async () => {
          const waiting = await place.rows((query) => query`select 1 from deliveries where endpoint_id = ${id}`)
          const happened = (await endpointsOf(place)).every((row) => row.id !== id)
          return {
            happened,
            faults: happened && waiting.length > 0 ? ['deliveries wait for an endpoint that is gone'] : [],
          }
        },
      }
    },
  }),

  operationStory('rotateWebhookSecret', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const sealed = async () => (await endpointsOf(place)).map(({ secretSealed }) => secretSealed).join()
      const before = await sealed()
      return {
        place,
        request: { method: 'POST', path: `/v0/webhook-endpoints/${place.endpointId}/rotate-secret`, body: {} },
        look: async () => ({ happened: (await sealed()) !== before, faults: [] }),
      }
    },
  }),

  operationStory('testWebhookEndpoint', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const tests = () =>
        place.rows(
          (query) =>
            query`select 1 from events where business_id = ${place.businessId} and type = 'webhook_endpoint.test'`,
        )
      return {
        place,
        request: { method: 'POST', path: `/v0/webhook-endpoints/${place.endpointId}/test` },
        events: { 'webhook_endpoint.test': 1 },
        look: async () => counted('test events', (await tests()).length),
      }
    },
  }),

  operationStory('startReplay', {
    orElse: ['replay_in_progress'],
    async prepare(stage) {
      const place = await openPlace(stage)
      await deliveredEvent(place)
      const path = `/v0/webhook-endpoints/${place.endpointId}/replay`
      return {
        place,
        request: { method: 'POST', path, body: lastHour() },
        look: async () => counted('replays', await replaysOf(place)),
      }
    },
  }),

  operationStory('cancelReplay', {
    async prepare(stage) {
      const place = await openPlace(stage)
      await place.ask('PATCH', `/v0/webhook-endpoints/${place.endpointId}`, { status: 'paused' })
      const { id } = await place.ask('POST', `/v0/webhook-endpoints/${place.endpointId}/replay`, lastHour())
      return {
        place,
        request: { method: 'POST', path: `/v0/replays/${id}/cancel` },
        look: async () => ({ happened: (await replaysOf(place, 'running')) === 0, faults: [] }),
      }
    },
  }),

  operationStory('replayEvent', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const { eventId, deliveryId } = await deliveredEvent(place)
      const body = { webhookEndpointId: place.endpointId }
      return {
        place,
        request: { method: 'POST', path: `/v0/events/${eventId}/replay`, body },
        events: { 'event.resent': 1 },
        look: async () => ({ happened: (await attemptsOf(place, deliveryId)) > 1, faults: [] }),
      }
    },
  }),

  operationStory('retryDeliveries', {
    orElse: ['replay_in_progress'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const { deliveryId } = await deliveredEvent(place)
      await place.rows(
        (query) => query`update finished_deliveries set status = 'exhausted' where id = ${deliveryId} returning 1`,
      )
      return {
        place,
        request: { method: 'POST', path: '/v0/deliveries/retry', body: { filter: {} } },
        look: async () => counted('replays', await replaysOf(place)),
      }
    },
  }),

  operationStory('retryDelivery', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const { deliveryId } = await deliveredEvent(place)
      return {
        place,
        request: { method: 'POST', path: `/v0/deliveries/${deliveryId}/retry` },
        events: { 'event.resent': 1 },
        look: async () => ({ happened: (await attemptsOf(place, deliveryId)) > 1, faults: [] }),
      }
    },
  }),
]
