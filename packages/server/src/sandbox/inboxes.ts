// Webhook inboxes of the sandbox provider that receive a business's webhooks: deliveries, and the configured response.

import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import { deliveryIdOf } from '../platform/values/ids.ts'
import type { InboxMessage, InboxSettings } from '../provider/emulator-inbox.ts'
import { getEndpoint, listEndpoints } from '../webhooks/endpoints/service.ts'
import type { Sandbox } from './ports.ts'
import { controlled, leversOf } from './service.ts'

export const messagesShown = 20

type Endpoint = { id: string; webhookUrl: string }

/**
 * Lists the inboxes that receive webhooks of this business's endpoints. An inbox accepts deliveries from anyone who
 * knows its name, so only those of the endpoint are listed.
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function listInboxes(deps: Sandbox, business: Business, page: PageRequest): Promise<Page<InboxView>> {
  const { items, next } = await listEndpoints(deps, business, page)
  const inboxes: InboxView[] = []
  for (const { id, url } of items) {
    const name = inboxNameOf(deps, url)
    if (name !== null) inboxes.push(await readInbox(deps, { id, webhookUrl: url }, name))
  }
  return { items: inboxes, next }
}

type MessageView = Omit<InboxMessage, 'webhookId'> & { eventId: string; deliveryId: string }

type InboxView = Endpoint & { name: string; settings: InboxSettings; messages: MessageView[] }

async function readInbox(deps: Sandbox, endpoint: Endpoint, name: string): Promise<InboxView> {
  const { settings, messages } = await controlled({}, () => leversOf(deps).readInbox(name, messagesRead))
  const own = messages.flatMap(({ webhookId, ...message }) => {
    const eventId = eventIdOf(endpoint, webhookId ?? '')
    return eventId === null ? [] : [{ ...message, eventId, deliveryId: deliveryIdOf(eventId, endpoint.id) }]
  })
  return { ...endpoint, name, settings, messages: own.slice(0, messagesShown) }
}

/** If several endpoints share one inbox, deliveries of the others may come before those of one endpoint. */
const messagesRead = 200

/** A `webhook-id` combines the event's ID and the endpoint's. @returns null for a delivery of another endpoint */
function eventIdOf({ id }: Endpoint, webhookId: string): string | null {
  const [, eventId, endpointId] = /^(evt_[0-9a-z]{26})_(whe_[0-9a-z]{26})$/.exec(webhookId) ?? []
  return endpointId === id && eventId !== undefined ? eventId : null
}

/**
 * Sets the response of an endpoint's inbox from now on.
 * @throws ApiError `webhook_endpoint_not_found`, `webhook_endpoint_without_inbox`, `provider_unavailable`,
 * `provider_timeout`
 */
export async function configureInbox(deps: Sandbox, business: Business, id: string, settings: InboxSettings) {
  const { webhookUrl } = await getEndpoint(deps, business, id)
  const name = inboxNameOf(deps, webhookUrl)
  if (name === null) throw fail('webhook_endpoint_without_inbox')
  await controlled({}, () => leversOf(deps).configureInbox(name, settings))
  return await readInbox(deps, { id, webhookUrl }, name)
}

/** @returns the name of the inbox in the URL; null for any other receiver */
function inboxNameOf({ config }: Sandbox, webhookUrl: string): string | null {
  const url = URL.parse(webhookUrl)
  if (url === null || url.origin !== new URL(config.providerUrl).origin) return null
  return /^\/inbox\/([A-Za-z0-9_-]{1,64})$/.exec(url.pathname)?.[1] ?? null
}
