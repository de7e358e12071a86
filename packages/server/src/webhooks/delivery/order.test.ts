// The order of one endpoint's deliveries by end-user: which page of held-back deliveries counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import { UserOrder } from './order.ts'

const delivery = (sequence: number, isRetry: boolean): WaitingDelivery => ({
  endpointId: 'whe_1',
  sequence,
  id: `dlv_${sequence}`,
  businessId: 'biz_1',
  eventId: `evt_${sequence}`,
  endUserId: 'eu_1',
  attempts: isRetry ? 1 : 0,
  attemptsBefore: 0,
  isRetry,
  isOrdered: true,
  eventType: 't',
  externalUserId: 'user',
  isVerified: true,
  body: null,
  isBehind: false,
})

test('a page of held-back deliveries that was asked for before a retry ended does not count, and is asked for again', () => {
  const order = new UserOrder()
  for (const sequence of [1, 2]) order.settle(delivery(sequence, false), false)
  order.settle(delivery(1, true), true)
  const asked = order.heldBackRequest
  assert.ok(asked)
  // The page was read while the second delivery still held back what comes after it.
  order.settle(delivery(2, true), true)
  assert.equal(order.answer(asked, null), false)
  const again = order.heldBackRequest
  assert.deepEqual(again, { endUserId: 'eu_1', after: 1 })
  assert.ok(again && order.answer(again, null))
  assert.equal(order.heldBackRequest, null)
})
