// The emulated provider as relay tests need it: silent when told, and its events in the test's own hands.

import { freshEventId, type RelayWorld } from './relay-world.ts'
import { type Answer, request } from './test-world.ts'

type Json = Record<string, unknown>
export type Envelope = Json & { event_id: string; event_type: string; event_object: Json }

/** The provider's own API, with our key there. */
export function provider(world: RelayWorld, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'api-key': world.facts.providerApiKey, 'idempotency-key': freshEventId() }
  return request(
    method,
    `${world.facts.providerUrl}${path}`,
    body,
    method === 'POST' ? { headers } : { headers: { 'api-key': headers['api-key'] } },
  )
}

/** From now on the provider sends us nothing by itself. */
export async function silenceProvider(world: RelayWorld): Promise<void> {
  const webhooks = await provider(world, 'GET', '/webhooks')
  for (const { id } of webhooks.body.data) {
    const answer = await provider(world, 'PUT', `/webhooks/${id}`, { status: 'disabled' })
    if (answer.status !== 200) throw new Error(`the provider was not silenced: ${answer.text}`)
  }
}

export async function fault(world: RelayWorld, order: Json): Promise<void> {
  const answer = await world.control('POST', '/faults', order)
  if (answer.status >= 300) throw new Error(`the fault was not taken: ${answer.text}`)
}

export const accountPath = '^/v0/customers/[^/]+/virtual_accounts$'
export const customerPath = '^/v0/customers/[^/]+$'

/** Every event the provider has recorded so far, as it would send it. */
export async function providerEvents(world: RelayWorld): Promise<Envelope[]> {
  return (await world.control('GET', '/events')).body.data
}

export async function providerAccountIds(world: RelayWorld): Promise<string[]> {
  return (await world.control('GET', '/state')).body.virtual_accounts.ids
}

/** The provider's ids of an end-user's customer and of an account of ours. */
export async function providerIdsOf(
  world: RelayWorld,
  accountId: string,
): Promise<{ customer: string; account: string }> {
  const [row] = await world.rows<{ customer: string; account: string }>(
    (query) => query`
      select u.provider_customer_id as customer, v.provider_virtual_account_id as account
      from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id where v.id = ${accountId}`,
  )
  if (!row) throw new Error('no such account')
  return row
}

/** One step of a deposit as the provider tells it. */
export function activityEvent(
  ids: { customer: string; account: string },
  step: { deposit: string; type: string; amount?: string; at?: string; sender?: string },
): Envelope {
  const at = step.at ?? '2026-03-01T10:00:00.000Z'
  return {
    api_version: 'v0',
    event_id: freshEventId(),
    event_category: 'virtual_account.activity',
    event_type: 'virtual_account.activity.created',
    event_object: {
      id: `act_${freshEventId()}`,
      type: step.type,
      customer_id: ids.customer,
      virtual_account_id: ids.account,
      deposit_id: step.deposit,
      amount: step.amount ?? '100.0',
      currency: 'usd',
      created_at: at,
      source: { payment_rail: 'ach_push', sender_name: step.sender ?? 'Ada Lovelace' },
    },
    event_created_at: at,
  }
}
