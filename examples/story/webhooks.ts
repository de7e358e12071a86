// The endpoint of this run: made at the beginning, looked at in the end, and deleted.

import assert from 'node:assert/strict'
import type { Client } from '../client.ts'
import { Receiver } from '../receiver.ts'
import type { EventType, WebhookEndpoint } from '../types.ts'
import { chapter, saw } from './tell.ts'

export interface Subscription {
  readonly receiver: Receiver
  readonly webhookUrl: string
  readonly endpointId: string
}

/** By their names: `virtual_account.*` would bring the provider's own `virtual_account.activity.…` as well. */
const EVENT_TYPES: readonly EventType[] = [
  'end_user.created',
  'end_user.tos.accepted',
  'end_user.kyc.updated',
  'virtual_account.created',
  'virtual_account.updated',
  'virtual_account.deactivated',
  'virtual_account.reactivated',
  'virtual_account.deposit.updated',
  'virtual_account.payment.received',
]

export async function subscribe(api: Client): Promise<Subscription> {
  const receiver = new Receiver()
  const webhookUrl = await receiver.listen()
  const wanted = { webhookUrl, description: 'The example', eventTypes: EVENT_TYPES, ordering: 'per_end_user' }
  try {
    const endpoint = await api.post<WebhookEndpoint & { signingSecret: string }>('/v0/webhook-endpoints', wanted)
    receiver.signingSecret = endpoint.signingSecret
    return { receiver, webhookUrl, endpointId: endpoint.id }
  } catch (error) {
    receiver.close() // a server that listens would keep the program alive
    throw error
  }
}

export async function webhooks(api: Client, { receiver, webhookUrl, endpointId }: Subscription): Promise<void> {
  chapter('Webhooks')
  const { sequence } = await api.get<WebhookEndpoint>(`/v0/webhook-endpoints/${endpointId}`)
  await receiver.allUpTo(sequence)
  assert.equal(receiver.refused, 0)
  saw(`${sequence} events, every signature right, no number missing`)

  const [event] = await api.get<{ id: string }[]>('/v0/events', { type: 'end_user.kyc.updated', limit: 1 })
  assert.ok(event)
  await api.post(`/v0/events/${event.id}/replay`, { webhookEndpointId: endpointId })
  assert.ok((await receiver.firstRepeat).startsWith(event.id))
  saw('one of them sent again is known by its webhook-id, and dropped')

  const forged = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.trunc(Date.now() / 1000)}` }
  const headers = { ...forged, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }
  const answer = await fetch(webhookUrl, { method: 'POST', headers, body: '{}' })
  assert.equal(answer.status, 401)
  saw('a forged one is refused')
}

export async function unsubscribe(api: Client, { receiver, endpointId }: Subscription): Promise<void> {
  await api.delete(`/v0/webhook-endpoints/${endpointId}`)
  receiver.close()
}
