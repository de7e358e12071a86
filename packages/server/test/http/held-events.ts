// Makes events of the provider that are held back.

import { type Answer, type Caller, until } from '../caller.ts'
import type { World } from '../world.ts'

let serial = 0

/** Sends an event that names a customer who belongs to nobody here. @returns it as the operator sees it, once it is held */
export async function heldEvent(world: { business: Caller; operator: Caller }): Promise<Answer['body']> {
  const providerEventId = `wh_held_${++serial}`
  const event_object = { id: `cust_of_nobody_${serial}` }
  const body = { event_id: providerEventId, event_category: 'customer', event_type: 'customer.updated', event_object }
  await world.business.call('POST', '/v0/webhooks/provider', body, { key: null })
  return await until('the held event', async () => {
    const { data } = (await world.operator.call('GET', '/v0/operator/events?limit=100')).body
    return data.find((held: { providerEventId: string }) => held.providerEventId === providerEventId)
  })
}

/** Puts a held event aside, as five failed tries do. */
export async function quarantine(world: World, id: string): Promise<void> {
  await world.rows`update event_work set state = 'quarantined', attempts = 5, error = 'it failed' where event_id = ${id}`
}
