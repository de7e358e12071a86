// Fairness between businesses and endpoints, and limits of slow receivers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import { Lane } from './lane.ts'
import { overtakeMs } from './order.ts'
import { FairScheduler, quickMs, type Sending } from './scheduler.ts'

type Plan = { ordering?: 'best_effort' | 'per_end_user'; endUserId?: string }

/** A lane of an endpoint that responds successfully, with a number of queued events, which belong to no end-user by default. */
function lane(businessId: string, name: string, waiting: number, windowMax?: number, plan: Plan = {}): Lane {
  const { ordering = 'best_effort', endUserId = null } = plan
  const endpointId = `whe_${businessId}_${name}`
  const hold = { endpointId, businessId, fence: 1, wasHeld: false }
  const made = new Lane({ ...hold, failures: 0, failingForMs: null, triedTo: 0 }, windowMax)
  for (let count = 0; count < 300; count++) made.breaker.succeeded(0)
  made.beginRefresh(0)
  const secrets = { secretSealed: Buffer.alloc(0), previousSecretSealed: null, previousSecretUntilMs: null }
  made.refresh({ endpointId, version: 1, url: 'https://example.com', status: 'enabled', ordering, ...secrets }, null)
  const rows = Array.from({ length: waiting }, (_, at) => ({ ...delivery(endpointId, businessId, at + 1), endUserId }))
  made.addFresh({ endpointId, after: 0, limit: 1_000, news: 1, start: 0 }, rows)
  return made
}

function delivery(endpointId: string, businessId: string, sequence: number): WaitingDelivery {
  const ids = { id: `dlv_${sequence}`, eventId: `evt_${sequence}`, endUserId: null, externalUserId: null }
  const rest = {
    attempts: 0,
    attemptsBefore: 0,
    isRetry: false,
    isOrdered: false,
    eventType: 't',
    isVerified: true,
    body: null,
    isBehind: false,
  } as const
  return { endpointId, businessId, sequence, ...ids, ...rest }
}

function takeAll(scheduler: FairScheduler, nowMs: number): Sending[] {
  const taken: Sending[] = []
  for (let next = scheduler.take(nowMs); next; next = scheduler.take(nowMs)) taken.push(next)
  return taken
}

const countBy = (sendings: Sending[], key: (lane: Lane) => string) =>
  Object.fromEntries(
    [...Map.groupBy(sendings, (sending) => key(sending.lane))].map(([name, all]) => [name, all.length]),
  )

test('businesses take turns, however many endpoints each has', () => {
  const scheduler = new FairScheduler()
  for (let at = 0; at < 10; at++) scheduler.offer(lane('loud', String(at), 30))
  scheduler.offer(lane('quiet', 'only', 30))
  const first = Array.from({ length: 20 }, () => scheduler.take(0)).flatMap((sending) => sending ?? [])
  assert.deepEqual(
    countBy(first, ({ businessId }) => businessId),
    { loud: 10, quiet: 10 },
  )
  const perEndpoint = countBy(first, ({ endpointId }) => endpointId)
  assert.ok(Object.keys(perEndpoint).length === 11, 'its endpoints take turns as well')
})

test('an endpoint that is offered often takes no turn of another', () => {
  const scheduler = new FairScheduler()
  const often = lane('one', 'often', 5)
  for (let time = 0; time < 3; time++) scheduler.offer(often)
  scheduler.offer(lane('one', 'once', 5))
  const first = Array.from({ length: 4 }, () => scheduler.take(0)?.lane.endpointId)
  assert.deepEqual(first, ['whe_one_often', 'whe_one_once', 'whe_one_often', 'whe_one_once'])
})

test('a business with nothing to send and nothing in flight is forgotten', () => {
  const scheduler = new FairScheduler()
  const only = lane('one', 'a', 1)
  scheduler.offer(only)
  const [sending] = takeAll(scheduler, 0)
  assert.ok(sending)
  scheduler.offer(only) // a response that arrives before its end offers the lane again
  scheduler.end(sending)
  assert.deepEqual(takeAll(scheduler, 0), [])
  assert.equal(scheduler.businessCount, 0)
})

test('an endpoint never has more in flight than its window, nor a business more than its share', () => {
  const scheduler = new FairScheduler()
  scheduler.offer(lane('one', 'a', 500))
  assert.equal(takeAll(scheduler, 0).length, 32)
  for (let at = 0; at < 10; at++) scheduler.offer(lane('one', String(at), 500))
  const more = takeAll(scheduler, 0)
  assert.equal(32 + more.length, 128)
  const [over] = more
  assert.ok(over)
  scheduler.end(over)
  over.lane.answered(over.delivery)
  scheduler.offer(over.lane)
  assert.equal(takeAll(scheduler, 0).length, 1, 'what it gets back it uses again')
})

test('an endpoint has as many in flight as is set, also more than is the share of a business elsewhere', () => {
  for (const windowMax of [1, 200]) {
    const scheduler = new FairScheduler(windowMax)
    scheduler.offer(lane('one', 'a', 300, windowMax))
    assert.equal(takeAll(scheduler, 0).length, windowMax)
    scheduler.offer(lane('two', 'a', 300, windowMax))
    assert.equal(takeAll(scheduler, 0).length, Math.min(windowMax, 56), 'up to 256 of all businesses')
  }
})

test('sends that take long make room for others, and a slow endpoint gets one at a time once there are many', () => {
  const scheduler = new FairScheduler()
  for (let at = 0; at < 20; at++) scheduler.offer(lane(`slow-${at}`, 'a', 100))
  assert.equal(takeAll(scheduler, 0).length, 256, 'all quick places are taken')
  scheduler.offer(lane('quick', 'a', 5))
  assert.equal(scheduler.take(quickMs - 1), undefined)
  assert.equal(scheduler.nextWakeMs(quickMs - 1), 1)
  const later = takeAll(scheduler, quickMs)
  assert.equal(countBy(later, ({ businessId }) => businessId)['quick'], 5)
  assert.ok(
    later.every(({ lane: { slow } }) => slow === 0),
    'no second send to one that is slow',
  )
  for (const sending of later) scheduler.end(sending)
  assert.equal(scheduler.inFlight, 256)
})

test('a lane that must wait for its pace is taken when its time has come, and says when that is', () => {
  const scheduler = new FairScheduler()
  const gentle = lane('a', '1', 10)
  gentle.breaker.beginRamp(0)
  scheduler.offer(gentle)
  const [first] = takeAll(scheduler, 0)
  assert.ok(first)
  assert.equal(scheduler.nextWakeMs(0), quickMs, 'it waits for an answer, and not for time')
  gentle.answered(first.delivery)
  scheduler.end(first)
  scheduler.offer(gentle)
  assert.deepEqual(takeAll(scheduler, 1), [])
  assert.equal(scheduler.nextWakeMs(1), 99)
  assert.deepEqual(takeAll(scheduler, 99), [])
  assert.equal(takeAll(scheduler, 100).length, 1, 'nobody has offered it again')
  assert.equal(scheduler.nextWakeMs(100), quickMs)
})

test('a send that takes long is overtaken after a second, unless the endpoint keeps the order', () => {
  for (const [ordering, expected] of [
    ['best_effort', 1],
    ['per_end_user', 0],
  ] as const) {
    const scheduler = new FairScheduler()
    const only = lane('one', 'a', 5, undefined, { ordering, endUserId: 'eu_1' })
    scheduler.offer(only)
    assert.equal(takeAll(scheduler, 0).length, 1)
    assert.deepEqual(takeAll(scheduler, quickMs), [])
    assert.equal(scheduler.nextWakeMs(quickMs), overtakeMs - quickMs, 'nobody has to offer the lane again')
    assert.deepEqual(takeAll(scheduler, overtakeMs - 1), [])
    assert.equal(takeAll(scheduler, overtakeMs).length, expected, ordering)
    assert.equal(scheduler.nextWakeMs(overtakeMs), expected === 1 ? quickMs : null)
  }
})

test('a send that ends before its second is over is not waited for', () => {
  const scheduler = new FairScheduler()
  const only = lane('one', 'a', 1, undefined, { endUserId: 'eu_1' })
  scheduler.offer(only)
  const [sending] = takeAll(scheduler, 0)
  assert.ok(sending)
  takeAll(scheduler, quickMs)
  only.answered(sending.delivery)
  scheduler.end(sending)
  assert.equal(scheduler.nextWakeMs(quickMs), null)
})

test('sends that overtake count for the limits: many slow endpoints get no second send', () => {
  const scheduler = new FairScheduler()
  for (let at = 0; at < 10; at++) {
    const slow = Array.from({ length: 26 }, (_, user) => ({ endUserId: `eu_${user}` }))
    const all = lane(`slow-${at}`, 'a', 0)
    const rows = [...slow, ...slow].map((one, row) => ({
      ...delivery(all.endpointId, all.businessId, row + 1),
      ...one,
    }))
    all.addFresh({ endpointId: all.endpointId, after: 0, limit: 1_000, news: 1, start: 0 }, rows)
    scheduler.offer(all)
  }
  assert.equal(takeAll(scheduler, 0).length, 256)
  takeAll(scheduler, quickMs)
  assert.deepEqual(takeAll(scheduler, overtakeMs), [])
})
