// Setup for the event and webhook pages: an endpoint that succeeds, one that fails, one that is paused, and a replay.

import { until } from '../../server/test/caller.ts'
import { freshUserId } from '../../server/test/people.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

export type WebhookStory = {
  externalUserId: string
  eventId: string
  /** Refuses everything with 404. */
  failingId: string
  failedDeliveryId: string
  replayId: string
}

const told = new WeakMap<ConsoleWorld, Promise<WebhookStory>>()

/** Tells the story once in a world. */
export function webhookStory(console: ConsoleWorld): Promise<WebhookStory> {
  let story = told.get(console)
  if (!story) {
    story = tell(console)
    told.set(console, story)
  }
  return story
}

async function tell({ world }: ConsoleWorld): Promise<WebhookStory> {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await world.business.call(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body.data
  }
  const failing = await call('POST', '/v0/webhook-endpoints', {
    webhookUrl: `${world.provider.origin}/no-such-receiver`,
    description: 'Staging, where nobody has deployed yet',
    eventTypes: ['end_user.*', 'virtual_account.*'],
  })
  const paused = await call('POST', '/v0/webhook-endpoints', {
    webhookUrl: 'https://hooks.example.com/causeway/production/eu-central-1',
    ordering: 'per_end_user',
  })
  await call('PATCH', `/v0/webhook-endpoints/${paused.id}`, { status: 'paused' })
  const externalUserId = freshUserId()
  await call('POST', '/v0/end-users', { externalUserId, email: `${externalUserId}@example.com` })
  for (let at = 0; at < 6; at++) await call('POST', '/v0/end-users', { externalUserId: freshUserId() })
  const failed = await until('the refusals', async () => {
    const rows = await call('GET', `/v0/deliveries?status=retrying&webhookEndpointId=${failing.id}`)
    return rows.length === 7 && rows
  })
  const [replayed] = await call('GET', `/v0/deliveries?status=delivered&limit=1`)
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const replay = await call('POST', `/v0/webhook-endpoints/${replayed.webhookEndpointId}/replay`, {
    from,
    to: new Date().toISOString(),
    status: 'all',
  })
  await until('the replay', async () => (await call('GET', `/v0/replays/${replay.id}`)).state === 'done')
  const [delivery] = failed
  return {
    externalUserId,
    eventId: delivery.eventId,
    failingId: failing.id,
    failedDeliveryId: delivery.id,
    replayId: replay.id,
  }
}

const at = (name: string, pathOf: (story: WebhookStory) => string): PagePath => ({
  name,
  as: 'business',
  prepare: async (console) => pathOf(await webhookStory(console)),
})

export const webhookPaths: readonly PagePath[] = [
  at('events', () => '/events'),
  at('event', ({ eventId }) => `/events/${eventId}`),
  at('webhooks', () => '/webhooks'),
  at('webhooks-endpoint', ({ failingId }) => `/webhooks/${failingId}`),
  at('webhooks-deliveries', () => '/webhooks/deliveries'),
  at('webhooks-delivery', ({ failedDeliveryId }) => `/webhooks/deliveries/${failedDeliveryId}`),
  at('webhooks-replay', ({ replayId }) => `/webhooks/replays/${replayId}`),
]
