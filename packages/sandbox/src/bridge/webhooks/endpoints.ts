// Webhook endpoints: their URL and event categories, their signing key, and the events that come next for each.
import { refuse } from '../../platform/errors.ts'
import { fullObject, list, object, oneOf, parse, type Rule, rule, text } from '../../platform/fields.ts'
import { randomHex } from '../../platform/ids.ts'
import { unknownId } from '../forms/errors.ts'
import type { World } from '../state/world.ts'
import { type EventCategory, eventCategories, type ProviderEvent, type Webhook } from './rows.ts'
import type { KeyPair } from './signature.ts'

const webhooksMax = 50

const loopbackAddresses = new Set(['127.0.0.1', '[::1]'])

/** A name without dots, such as `localhost` or the service of a container network, never leads to the public internet. */
const isPrivateHost = (host: string): boolean => loopbackAddresses.has(host) || /^[a-z][a-z0-9-]*$/.test(host)

const targetUrl: Rule<string> = rule(
  'must be an https URL, or http on a loopback address or a name without dots',
  (value) => {
    const url = typeof value === 'string' && value.length <= 2048 ? URL.parse(value) : null
    if (url?.username !== '') return false
    return url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateHost(url.hostname))
  },
)

const fields = { url: targetUrl, event_categories: list(oneOf(eventCategories)) }
const creation = object(
  { ...fields, event_epoch: oneOf(['webhook_creation', 'beginning_of_time']), status: text(1, 32) },
  ['url', 'event_epoch'],
)
const update = object({ ...fields, status: oneOf(['active', 'disabled']) })

/** Checks the body of a creation before a key pair is spent on it. */
export const parseNewWebhook = (world: World, body: unknown) => {
  const { url, event_epoch, event_categories } = parse(creation, body)
  if (world.state.webhooks.size >= webhooksMax) {
    throw refuse(400, 'developer_limits_exceeded', `There may be ${webhooksMax} webhooks at most`)
  }
  return {
    url,
    fromTheBeginning: event_epoch === 'beginning_of_time',
    categories: withoutRepeats(event_categories ?? []),
  }
}

/** Stores a new endpoint. It is disabled, so its events gather until it is made active. */
export const createWebhook = (world: World, order: ReturnType<typeof parseNewWebhook>, keys: KeyPair): Webhook => {
  const { state } = world
  const first = state.events.oldest()?.envelope.event_sequence ?? state.lastEventSequence() + 1
  const cursor = order.fromTheBeginning ? first - 1 : state.lastEventSequence()
  const id = `wep_${randomHex(24)}`
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
  const { url, status, event_categories } = parse(update, body)
  const fromSequence = world.state.lastEventSequence() + 1
  const added = event_categories ? [{ fromSequence, categories: withoutRepeats(event_categories) }] : []
  const changed = world.state.webhooks.put({
    ...webhook,
    url: url ?? webhook.url,
    status: status ?? webhook.status,
    filters: [...webhook.filters, ...added],
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

const manualSend = fullObject({ event_id: text(1, 42) })

/** Returns the event that the body of a manual send names. */
export const eventToSend = (world: World, body: unknown): ProviderEvent => {
  const { event_id } = parse(manualSend, body)
  const event = world.state.events.all().find(({ envelope }) => envelope.event_id === event_id)
  if (!event) throw unknownId('event')
  return event
}

/** Returns the next events in an endpoint's lane, at most `max`. */
export const upcomingEvents = (world: World, webhook: Webhook, max: number): ProviderEvent[] => {
  const upcoming: ProviderEvent[] = []
  const lane = world.state.lanes.get(webhook.id)
  for (let sequence = (lane?.cursor ?? 0) + 1; upcoming.length < max; sequence += 1) {
    const event = world.state.events.get(String(sequence))
    if (!event) break
    if (subscribesTo(webhook, event)) upcoming.push(event)
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

const subscribesTo = ({ filters }: Webhook, { envelope }: ProviderEvent): boolean => {
  const filter = filters.findLast(({ fromSequence }) => fromSequence <= envelope.event_sequence)
  return !filter || filter.categories.length === 0 || filter.categories.includes(envelope.event_category)
}

/** Returns the categories in the provider's order. */
const withoutRepeats = (chosen: EventCategory[]): EventCategory[] =>
  eventCategories.filter((category) => chosen.includes(category))
