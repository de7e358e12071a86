// Operations on webhook endpoints, their upcoming events and log, and on the list of all events.
import { unknownPath } from '../../platform/errors.ts'
import type { Operation, Query } from '../../platform/operations.ts'
import { choice, paginate } from '../forms/pagination.ts'
import type { World } from '../state/world.ts'
import type { Delivery } from './delivery.ts'
import {
  createWebhook,
  eventToSend,
  parseNewWebhook,
  removeWebhook,
  renderWebhook,
  upcomingEvents,
  updateWebhook,
  webhookById,
} from './endpoints.ts'
import { type Envelope, eventCategories } from './rows.ts'
import type { KeyPairs } from './signature.ts'

const upcomingMax = 10
const eventLimits = { default: 100, max: 500 }

export const webhookOperations = (world: World, delivery: Delivery, keyPairs: KeyPairs): Operation[] => [
  {
    method: 'POST',
    path: '/webhooks',
    status: 201,
    run: async ({ body }) => {
      const order = parseNewWebhook(world, body)
      const keys = await keyPairs.take()
      return renderWebhook(createWebhook(world, order, keys))
    },
  },
  {
    method: 'GET',
    path: '/webhooks',
    run: () => ({ data: world.state.webhooks.all().map((webhook) => renderWebhook(webhook)) }),
  },
  {
    method: 'PUT',
    path: '/webhooks/:webhookID',
    run: ({ param, body }) => renderWebhook(updateWebhook(world, param('webhookID'), body)),
  },
  {
    method: 'DELETE',
    path: '/webhooks/:webhookID',
    run: ({ param }) => renderWebhook(removeWebhook(world, param('webhookID')), 'deleted'),
  },
  {
    method: 'GET',
    path: '/webhooks/:webhookID/events',
    run: ({ param }) => {
      const upcoming = upcomingEvents(world, webhookById(world, param('webhookID')), upcomingMax)
      return { data: upcoming.map(({ envelope }) => envelope) }
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:webhookID/logs',
    run: ({ param }) => {
      const { id } = webhookById(world, param('webhookID'))
      const data = world.state.attempts
        .all()
        .filter((attempt) => attempt.webhook_id === id)
        .reverse()
        .map(({ status, event_id, response_body, created_at }) => ({ status, event_id, response_body, created_at }))
      return { count: data.length, data }
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:webhookID/send',
    isKeyOptional: true,
    run: ({ param, body }) => {
      const webhook = webhookById(world, param('webhookID'))
      void delivery.sendNow(webhook, eventToSend(world, body))
      const message = 'Successfully sent the webhook event. This does not guarantee immediate delivery to the endpoint.'
      return { message }
    },
  },
  { method: 'GET', path: '/webhook_events', run: ({ query }) => listEvents(world, query) },
]

/** Lists events by ascending sequence number; every other list is newest first. */
const listEvents = (world: World, query: Query): { count: number; data: Envelope[] } => {
  if (world.behaviour.has('webhook_events_absent')) throw unknownPath('GET', '/v0/webhook_events')
  const category = choice(query, 'category', eventCategories)
  const events = world.state.events
    .all()
    .filter(({ envelope }) => category === undefined || envelope.event_category === category)
    .map(({ envelope }) => ({ id: envelope.event_id, envelope }))
  const page = paginate(events, query, eventLimits)
  return { count: page.count, data: page.data.map(({ envelope }) => envelope) }
}
