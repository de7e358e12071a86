// The endpoint of this run: made at the beginning, looked at in the end, and deleted.

import assert from 'node:assert/strict'
import type { Causeway, EventData } from '@causeway/sdk'
import { Receiver } from '../receiver.ts'
import { chapter, saw } from './tell.ts'

export interface Subscription {
  readonly receiver: Receiver
  readonly webhookUrl: string
  readonly endpointId: string
}

/** By their names: `virtual_account.*` would bring the provider's own `virtual_account.activity.…` as well. */
const EVENT_TYPES: (keyof EventData)[] = [
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

export async function subscribe(api: Causeway): Promise<Subscription> {
  const receiver = new Receiver()
  const webhookUrl = await receiver.listen()
  const ordering = 'per_end_user'
  try {
    const wanted = { webhookUrl, description: 'The example', eventTypes: EVENT_TYPES, ordering } as const
    const endpoint = await api.webhookEndpoints.create(wanted)
    receiver.signingSecret = endpoint.signingSecret
    return { receiver, webhookUrl, endpointId: endpoint.id }
  } catch (error) {
    receiver.close() // a server that listens would keep the program alive
    throw error
  }
}

export async function webhooks(api: Causeway, { receiver, webhookUrl, endpointId }: Subscription): Promise<void> {
  chapter('Webhooks')
  const { sequence } = await api.webhookEndpoints.get(endpointId)
  await receiver.allUpTo(sequence)
  assert.deepEqual(receiver.refused, [])
  saw(`${sequence} events, every signature right, no number missing`)

  const [event] = await api.events.list({ eventType: 'end_user.kyc.updated' }).toArray({ max: 1 })
  assert.ok(event)
  await api.events.replay(event.id, { webhookEndpointId: endpointId })
  assert.ok((await receiver.firstRepeat).startsWith(event.id))
  saw('one of them sent again is known by its webhook-id, and dropped')

  const forged = await api.webhooks.sign('{}', `whsec_${Buffer.alloc(32).toString('base64')}`)
  const answer = await fetch(webhookUrl, { method: 'POST', headers: forged, body: '{}' })
  assert.equal(answer.status, 401)
  saw('a forged one is refused')
}

export async function unsubscribe(api: Causeway, { receiver, endpointId }: Subscription): Promise<void> {
  await api.webhookEndpoints.delete(endpointId)
  receiver.close()
}
