// The order of one endpoint's deliveries by end-user: which page of blocked deliveries is current.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import { overtakeMs, UserOrder } from './order.ts'

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
  // The page was read while the second delivery still blocked the later ones.
  order.settle(delivery(2, true), true)
  assert.equal(order.answer(asked, null), false)
  const again = order.heldBackRequest
  assert.deepEqual(again, { endUserId: 'eu_1', after: 1 })
  assert.ok(again && order.answer(again, null))
  assert.equal(order.heldBackRequest, null)
})

test('what is stored behind a failed delivery has to be read in its place, until the held-back ones were read', () => {
  const order = new UserOrder()
  const later = delivery(3, false)
  assert.equal(order.mayHoldBack(later), false)
  assert.equal(order.mayHoldBack({ ...later, isBehind: true }), true)
  order.settle(delivery(1, false), false)
  for (const [one, isHeld] of [
    [later, true],
    [{ ...later, endUserId: 'eu_2' }, false],
    [{ ...later, endUserId: null }, false],
  ] as const)
    assert.equal(order.mayHoldBack(one), isHeld)
  order.settle(delivery(1, true), true)
  assert.equal(order.mayHoldBack(later), true)
  const asked = order.heldBackRequest
  assert.ok(asked && order.answer(asked, null))
  assert.equal(order.mayHoldBack(later), false)
})

test('so it is when the delivery failed before this process read the lane', () => {
  const order = new UserOrder()
  order.settle(delivery(1, true), true)
  assert.equal(order.mayHoldBack(delivery(3, false)), true)
})

test('a lane that is read again from its start holds back nobody and asks for nothing', () => {
  const order = new UserOrder()
  order.settle(delivery(1, false), false)
  order.settle(delivery(1, true), true)
  order.settle({ ...delivery(1, false), endUserId: 'eu_2' }, false)
  order.clear()
  assert.equal(order.heldBackRequest, null)
  for (const endUserId of ['eu_1', 'eu_2']) assert.equal(order.mayHoldBack({ ...delivery(2, false), endUserId }), false)
})

test('one delivery of an end-user is in flight at a time, and a delivery of nobody never waits', () => {
  const order = new UserOrder()
  const [one, ofOther] = [delivery(1, false), { ...delivery(2, false), endUserId: 'eu_2' }]
  const ofNobody = { ...delivery(3, false), endUserId: null }
  const mayStart = () => [one, ofOther, ofNobody].map((each) => order.mayStart(each, null))
  assert.deepEqual(mayStart(), [true, true, true])
  for (const each of [one, ofNobody]) order.start(each, 0)
  assert.deepEqual(mayStart(), [false, true, true])
  order.end(one)
  assert.deepEqual(mayStart(), [true, true, true])
  order.start(one, 0)
  order.settle(one, false)
  assert.deepEqual(mayStart(), [true, true, true])
})

test('a delivery is overtaken after a second, and its end does not release the one that overtook it', () => {
  const order = new UserOrder()
  const [first, second, third] = [delivery(1, false), delivery(2, false), delivery(3, false)]
  order.start(first, 0)
  assert.equal(order.mayStart(second, overtakeMs - 1), false)
  assert.equal(order.mayStart(second, null), false, 'the endpoint keeps the order')
  assert.equal(order.mayStart(second, overtakeMs), true)
  order.start(second, overtakeMs)
  order.end(first)
  assert.equal(order.mayStart(third, overtakeMs + 1), false)
  assert.equal(order.mayStart(third, 2 * overtakeMs), true)
  order.end(second)
  assert.equal(order.mayStart(third, overtakeMs + 1), true)
})

test('what is read behind a failed delivery is held back, of its end-user alone', () => {
  const order = new UserOrder()
  const [one, behind] = [delivery(1, false), { ...delivery(2, false), isBehind: true }]
  assert.equal(order.holdsBack(one), false)
  assert.equal(order.holdsBack(behind), true)
  assert.equal(order.holdsBack(one), true)
  assert.equal(order.holdsBack({ ...one, endUserId: 'eu_2' }), false)
  assert.equal(order.holdsBack({ ...one, endUserId: null }), false)
})

test('a failure drops what was read of its end-user, if the endpoint keeps the order', () => {
  const order = new UserOrder()
  const one = delivery(1, false)
  for (const outside of [
    { ...one, endUserId: null },
    { ...one, isOrdered: false },
  ])
    assert.equal(order.settle(outside, false), false)
  assert.equal(order.settle(one, true), false)
  assert.equal(order.heldBackRequest, null)
  assert.equal(order.mayHoldBack(one), false)
  assert.equal(order.settle(one, false), true)
})

test('an end-user who fails again is not read, and another one is', () => {
  const order = new UserOrder()
  const ofOther = { ...delivery(1, true), endUserId: 'eu_2' }
  for (const isOver of [false, true, false]) order.settle(delivery(2, true), isOver)
  assert.equal(order.heldBackRequest, null)
  for (const isOver of [false, true]) order.settle(ofOther, isOver)
  order.settle(delivery(2, true), false)
  const asked = order.heldBackRequest
  assert.deepEqual(asked, { endUserId: 'eu_2', after: 1 })
  // A first attempt that succeeds does not change what was read in the meantime.
  order.settle({ ...delivery(3, false), endUserId: 'eu_2' }, true)
  assert.ok(asked && order.answer(asked, null))
  assert.equal(order.heldBackRequest, null)
})
