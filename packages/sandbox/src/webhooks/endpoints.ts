// Webhook endpoints: where events go, which ones, signed with which key, and how far their delivery has come.

import { refuse, unknownId } from '../platform/errors.ts'
import { list, listOf, object, oneOf, parse, type Rule, text, textOf } from '../platform/fields.ts'
import { newWebhookId } from '../platform/ids.ts'
import type { World } from '../state/world.ts'
import { eventById } from './events.ts'
import { type EventCategory, eventCategories, type ProviderEvent, type Webhook } from './rows.ts'
import type { KeyPair } from './signature.ts'

const webhooksMax = 50

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

const target: Rule = (value, path, problems) => {
  const url = typeof value === 'string' && value.length <= 2048 ? URL.parse(value) : null
  const fits = url && (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname)))
  if (!fits || url.username !== '') problems[path] ??= 'must be an https URL, or http on a loopback address'
}

const fields = { url: target, event_categories: list(oneOf(eventCategories)) }
const creation = object(
  { ...fields, event_epoch: oneOf(['webhook_creation', 'beginning_of_time']), status: text(1, 32) },
  ['url', 'event_epoch'],
)
const update = object({ ...fields, status: oneOf(['active', 'disabled']) })

/** Checks a creation before a key pair is spent on it. */
export const parseNewWebhook = (world: World, body: unknown) => {
  const given = parse(creation, body)
  if (world.state.webhooks.size >= webhooksMax) {
    throw refuse(400, 'developer_limits_exceeded', `There may be ${webhooksMax} webhooks at most`)
  }
  return {
    url: textOf(given, 'url') ?? '',
    fromTheBeginning: textOf(given, 'event_epoch') === 'beginning_of_time',
    categories: categoriesIn(listOf(given, 'event_categories')),
  }
}

/** A new endpoint is disabled: its events gather until it is made active. */
export const createWebhook = (world: World, order: ReturnType<typeof parseNewWebhook>, keys: KeyPair): Webhook => {
  const { state } = world
  const first = state.events.oldest()?.envelope.event_sequence ?? state.lastEventSequence() + 1
  const cursor = order.fromTheBeginning ? first - 1 : state.lastEventSequence()
  const id = newWebhookId()
  state.lanes.put({ id, cursor, failures: 0, notBefore: 0, stopped: false })
  return state.webhooks.put({
    id,
    url: order.url,
    status: 'disabled',
    ...keys,
    filters: [{ fromSequence: 0, categories: order.categories }],
  })
}

export const updateWebhook = (world: World, id: string, body: unknown): Webhook => {
  const webhook = webhookById(world, id)
  const given = parse(update, body)
  const status = textOf(given, 'status')
  const changed = world.state.webhooks.put({
    ...webhook,
    url: textOf(given, 'url') ?? webhook.url,
    status: status === 'active' || status === 'disabled' ? status : webhook.status,
    filters:
      given['event_categories'] === undefined
        ? webhook.filters
        : [
            ...webhook.filters,
            {
              fromSequence: world.state.lastEventSequence() + 1,
              categories: categoriesIn(listOf(given, 'event_categories')),
            },
          ],
  })
  world.wakeDelivery()
  return changed
}

export const removeWebhook = (world: World, id: string): Webhook => {
  const webhook = webhookById(world, id)
  world.state.webhooks.remove(id)
  world.state.lanes.remove(id)
  return webhook
}

export const webhookById = (world: World, id: string): Webhook => {
  const webhook = world.state.webhooks.get(id)
  if (!webhook) throw unknownId('webhook')
  return webhook
}

/** The event that a manual send names. */
export const eventToSend = (world: World, body: unknown): ProviderEvent => {
  const given = parse(object({ event_id: text(1, 42) }, ['event_id']), body)
  const event = eventById(world, textOf(given, 'event_id') ?? '')
  if (!event) throw unknownId('event')
  return event
}

/** The next events in an endpoint's row, at most `max`. */
export const upcomingEvents = (world: World, webhook: Webhook, max: number): ProviderEvent[] => {
  const upcoming: ProviderEvent[] = []
  const lane = world.state.lanes.get(webhook.id)
  for (let sequence = (lane?.cursor ?? 0) + 1; upcoming.length < max; sequence += 1) {
    const event = world.state.events.get(String(sequence))
    if (!event) break
    if (wants(webhook, event)) upcoming.push(event)
  }
  return upcoming
}

export const renderWebhook = (webhook: Webhook, status: Webhook['status'] | 'deleted' = webhook.status) => {
  const categories = webhook.filters.at(-1)?.categories ?? []
  return {
    id: webhook.id,
    url: webhook.url,
    status,
    public_key: webhook.publicKey,
    event_categories: categories.length === 0 ? [...eventCategories] : categories,
  }
}

const wants = ({ filters }: Webhook, { envelope }: ProviderEvent): boolean => {
  const filter = filters.findLast(({ fromSequence }) => fromSequence <= envelope.event_sequence)
  return !filter || filter.categories.length === 0 || filter.categories.includes(envelope.event_category)
}

const categoriesIn = (values: unknown[]): EventCategory[] =>
  eventCategories.filter((category) => values.includes(category))
