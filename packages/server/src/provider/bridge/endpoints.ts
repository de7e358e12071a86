// Our webhook endpoints at Bridge, and its record of events.

import type { Endpoint, Endpoints, EventRecord } from '../port.ts'
import type { BridgeClient } from './client.ts'
import { informationRequestCategory } from './wire/information-request.ts'
import type { ProviderWebhook } from './wire/types.ts'

const needed: Endpoints['needed'] = new Map([
  ['customer', 'customer'],
  ['kyc_link', 'hosted_kyc'],
  ['virtual_account.activity', 'deposit'],
  [informationRequestCategory, 'information_request'],
])

export function endpointsOf(client: BridgeClient): Endpoints {
  const change = async (...given: Parameters<BridgeClient['updateWebhook']>) =>
    endpointOf(await client.updateWebhook(...given))
  return {
    list: async () => (await client.listWebhooks()).map(endpointOf),
    create: async (url, write) =>
      endpointOf(await client.createWebhook({ url, eventEpoch: 'webhook_creation' }, write)),
    move: (id, url) => change(id, { url }),
    switch: (id, status) => change(id, { status }),
    add: ({ id, categories }, added) => change(id, { eventCategories: [...categories, ...added] }),
    resend: (id, eventId, write) => client.sendWebhookEvent(id, eventId, write),
    needed,
    // Requests for information are in beta: Bridge may not know their category yet.
    optional: new Set([informationRequestCategory]),
  }
}

const endpointOf = ({ eventCategories: categories, ...webhook }: ProviderWebhook): Endpoint => ({
  ...webhook,
  categories,
})

export const recordOf = (client: BridgeClient): EventRecord => ({ list: (page) => client.listWebhookEvents(page) })
