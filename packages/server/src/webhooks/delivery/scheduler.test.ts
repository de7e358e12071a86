// Who sends next: fairness between businesses and endpoints, and what slow receivers may not do to quick ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane } from './lane.ts'
import type { WaitingDelivery } from './lane-reading.store.ts'
import { quickMs, type Sending, Slots } from './scheduler.ts'

/** A lane of an endpoint that answers well, with so many events waiting that belong to no end-user. */
function lane(businessId: string, name: string, waiting: number): Lane {
  const endpointId = `whe_${businessId}_${name}`
  const made = new Lane({
    endpointId,
    businessId,
    fence: 1,
    failures: 0,
    failingSince: null,
    triedTo: 0,
    wasHeld: false,
  })
  for (let count = 0; count < 40; count++) made.pace.succeeded(0)
  made.askNews(0)
  const secrets = { secretSealed: Buffer.alloc(0), previousSecretSealed: null, previousSecretExpiresAt: null }
  made.takeInNews(
    { endpointId, version: 1, url: 'https://example.com', status: 'enabled', ordering: 'best_effort', ...secrets },
    null,
  )
  const rows = Array.from({ length: waiting }, (_, at) => delivery(endpointId, businessId, at + 1))
  made.takeInFresh({ endpointId, after: 0, limit: 1_000 }, rows)
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
    isHeld: false,
  } as const
  return { endpointId, businessId, sequence, ...ids, ...rest }
}

function takeAll(slots: Slots, nowMs: number): Sending[] {
  const taken: Sending[] = []
  for (let next = slots.take(nowMs); next; next = slots.take(nowMs)) taken.push(next)
  return taken
}

const countBy = (sendings: Sending[], key: (lane: Lane) => string) =>
  Object.fromEntries(
    [...Map.groupBy(sendings, (sending) => key(sending.lane))].map(([name, all]) => [name, all.length]),
  )

test('businesses take turns, however many endpoints each has', () => {
  const slots = new Slots()
  for (let at = 0; at < 10; at++) slots.offer(lane('loud', String(at), 30))
  slots.offer(lane('quiet', 'only', 30))
  const first = Array.from({ length: 20 }, () => slots.take(0)).flatMap((sending) => sending ?? [])
  assert.deepEqual(
    countBy(first, ({ businessId }) => businessId),
    { loud: 10, quiet: 10 },
  )
  const perEndpoint = countBy(first, ({ endpointId }) => endpointId)
  assert.ok(Object.keys(perEndpoint).length === 11, 'its endpoints take turns as well')
})

test('an endpoint never has more in flight than its window, nor a business more than its share', () => {
  const slots = new Slots()
  slots.offer(lane('one', 'a', 500))
  assert.equal(takeAll(slots, 0).length, 32)
  for (let at = 0; at < 10; at++) slots.offer(lane('one', String(at), 500))
  const more = takeAll(slots, 0)
  assert.equal(32 + more.length, 128)
  const [over] = more
  assert.ok(over)
  slots.over(over)
  over.lane.answered(over.delivery)
  slots.offer(over.lane)
  assert.equal(takeAll(slots, 0).length, 1, 'what it gets back it uses again')
})

test('sends that take long make room for others, and a slow endpoint gets one at a time once there are many', () => {
  const slots = new Slots()
  for (let at = 0; at < 20; at++) slots.offer(lane(`slow-${at}`, 'a', 100))
  assert.equal(takeAll(slots, 0).length, 256, 'all quick places are taken')
  slots.offer(lane('quick', 'a', 5))
  assert.equal(slots.take(quickMs - 1), undefined)
  assert.equal(slots.nextSlowMs(quickMs - 1), 1)
  const later = takeAll(slots, quickMs)
  assert.equal(countBy(later, ({ businessId }) => businessId)['quick'], 5)
  assert.ok(
    later.every(({ lane: { slow } }) => slow === 0),
    'no second send to one that is slow',
  )
  for (const sending of later) slots.over(sending)
  assert.equal(slots.inFlight, 256)
})

test('a lane that must wait for its pace is taken when its time has come, and says when that is', () => {
  const slots = new Slots()
  const gentle = lane('a', '1', 10)
  gentle.pace.beginRamp(0)
  slots.offer(gentle)
  const [first] = takeAll(slots, 0)
  assert.ok(first)
  assert.equal(slots.nextRestedMs(0), null, 'it waits for an answer, and not for time')
  gentle.answered(first.delivery)
  slots.over(first)
  slots.offer(gentle)
  assert.deepEqual(takeAll(slots, 1), [])
  assert.equal(slots.nextRestedMs(1), 99)
  assert.deepEqual(takeAll(slots, 99), [])
  assert.equal(takeAll(slots, 100).length, 1, 'nobody has offered it again')
  assert.equal(slots.nextRestedMs(100), null)
})
