// Sends one delivery or one event again. A range of events is a replay: see service.ts.

import type { Deps } from '../../app/context.ts'
import { deliveriesOf, deliveryOf, eventOf } from '../../events/service.ts'
import { fail } from '../../platform/errors.ts'
import type { Business } from '../../platform/http/caller.ts'
import { idempotentTransaction } from '../../platform/http/idempotency/service.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { deliveryIdOf } from '../../platform/values/ids.ts'
import * as store from './redelivery.store.ts'

/**
 * Sends a delivery again now, whatever its status: same id, sequence and `webhook-id`, on a new schedule. A delivery that was
 * never tried keeps its turn; for a paused or disabled endpoint it waits.
 * @throws ApiError `delivery_not_found`, `webhook_endpoint_deleted`
 */
export async function retryDelivery(deps: Deps, business: Business, id: string) {
  return await idempotentTransaction(deps, async (tx) => {
    const { webhookEndpointId } = await deliveryOf(tx, business, id)
    if (!(await store.lockLane(tx, business.id, webhookEndpointId))) throw fail('webhook_endpoint_deleted')
    if (!(await sendAgain(tx, business, id))) throw fail('delivery_not_found')
    await store.wakeLane(tx, webhookEndpointId)
    return await deliveryOf(tx, business, id)
  })
}

/**
 * Sends an event again: to every endpoint that wants its type now, or to the given endpoint, whatever it subscribes to. An
 * endpoint that never had the event gets it with its next sequence number.
 * @returns the deliveries; none when no endpoint wants it
 * @throws ApiError `event_not_found`, `webhook_endpoint_not_found`
 */
export async function replayEvent(deps: Deps, business: Business, eventId: string, endpointId: string | null) {
  return await idempotentTransaction(deps, async (tx) => {
    const event = await eventOf(tx, business, eventId)
    const targets = endpointId === null ? await store.endpointsWanting(tx, business.id, event.type) : [endpointId]
    for (const target of targets) {
      if (!(await store.lockLane(tx, business.id, target))) {
        if (endpointId !== null) throw fail('webhook_endpoint_not_found')
        continue
      }
      const isKnown = await sendAgain(tx, business, deliveryIdOf(eventId, target))
      if (!isKnown) await store.insertDeliveries(tx, target, [eventId])
      await store.wakeLane(tx, target)
    }
    const ids = new Set(targets.map((target) => deliveryIdOf(eventId, target)))
    const deliveries = await deliveriesOf(tx, business, eventId)
    return deliveries.filter(({ id }) => ids.has(id))
  })
}

/**
 * Sends a delivery again, under the lane's lock. If its outcome is being written, this waits and finds it in the history.
 * @returns false when there is no such delivery
 */
async function sendAgain(tx: Tx, business: Business, id: string): Promise<boolean> {
  if (await store.expedite(tx, business.id, id)) return true
  return (await store.requeueFinished(tx, business.id, [id])).length > 0
}
