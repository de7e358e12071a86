// Order of deliveries: first attempts in order per end-user, and whom a failure holds up.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import { freshEventId } from './provider.ts'
import type { Received } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.3,0.3,0.3,0.3,0.3,60' } })
after(() => world.stop())

const sequenceOf = ({ headers }: Received) => Number(headers['svc-sequence'])
const userOf = ({ headers }: Received) => headers['svc-external-user-id']
const isFirst = ({ headers }: Received) => headers['svc-attempt'] === '1'

/** Two end-users of one business, and `count` events in turns, sent one after the other. */
async function postInTurns(subscriber: Subscriber, other: string, count: number): Promise<string[]> {
  const sent: string[] = []
  for (let index = 0; index < count; index++) {
    const external_user_id = index % 2 === 0 ? subscriber.externalUserId : other
    const event_id = freshEventId()
    await world.post(subscriber.event({ event_id, external_user_id }))
    sent.push(event_id)
  }
  return sent
}

/** A second end-user, whose own creation event is out of the way. */
async function secondUser(subscriber: Subscriber): Promise<string> {
  const other = await subscriber.user()
  await until('the creation event', () => subscriber.receiver.seen.length === 1)
  subscriber.receiver.seen.length = 0
  return other
}

test('first attempts of an end-user are made in the order of the sequence, one at a time', async () => {
  let running = 0
  let runningMax = 0
  await using subscriber = await world.subscriber(() => (_, response) => {
    running += 1
    runningMax = Math.max(runningMax, running)
    setTimeout(() => {
      running -= 1
      response.end()
    }, 15)
  })
  const { externalUserId } = subscriber
  const sent = Array.from({ length: 12 }, () => subscriber.event())
  await Promise.all(sent.map((event) => world.post(event)))
  const seen = await until('all events', () => subscriber.receiver.seen.length === 12 && subscriber.receiver.seen)
  assert.deepEqual(
    seen.map(sequenceOf),
    Array.from({ length: 12 }, (_, index) => index + 1),
  )
  assert.equal(runningMax, 1, `${externalUserId} is one lane`)
})

test('best_effort: a failing event holds up neither later events of its end-user nor those of others', async () => {
  await using subscriber = await world.subscriber()
  const other = await secondUser(subscriber)
  subscriber.receiver.reply = ({ body }) => (body.includes('poison') ? 500 : 200)
  await world.post(subscriber.event({ note: 'poison' }))
  await postInTurns(subscriber, other, 6)
  const seen = await until('first attempts of all', () => {
    const firsts = subscriber.receiver.seen.filter(isFirst)
    return firsts.length === 7 && firsts
  })
  for (const user of [subscriber.externalUserId, other]) {
    const order = seen.filter((received) => userOf(received) === user).map(sequenceOf)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    )
  }
})

test('per_end_user: a failing event holds up later events of its end-user until it is taken, and nobody else', async () => {
  await using subscriber = await world.subscriber()
  const other = await secondUser(subscriber)
  const { id } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${id}`, { ordering: 'per_end_user' })
  let healed = false
  const isHeld = (received: Received) => userOf(received) === subscriber.externalUserId
  subscriber.receiver.reply = ({ body }) => (body.includes('poison') && !healed ? 500 : 200)
  await world.post(subscriber.event({ note: 'poison' }))
  await postInTurns(subscriber, other, 6)
  const { receiver } = subscriber
  await until('the others', () => receiver.seen.filter((received) => !isHeld(received)).length === 3)
  await until('a second attempt', () => receiver.seen.filter(isHeld).length >= 2)
  assert.ok(receiver.seen.filter(isHeld).every(({ body }) => body.includes('poison')))
  healed = true
  await until(
    'the rest',
    () => receiver.seen.filter(isHeld).filter(({ body }) => !body.includes('poison')).length === 3,
  )
  const order = receiver.seen.filter(isHeld).map(sequenceOf)
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
})

test('a receiver that takes two seconds gets an event per second and end-user with best_effort, half with per_end_user', async () => {
  const orderings = ['best_effort', 'per_end_user'] as const
  const [best, strict] = await Promise.all(orderings.map((ordering) => sendToSlow(ordering)))
  assert.ok(best && strict)
  assert.equal(strict.togetherMax, 1, 'sends in flight of one end-user')
  for (const atMs of best.arrivals) assert.ok(rateOf(atMs) > 0.7, `${rateOf(atMs)} events per second`)
  for (const atMs of strict.arrivals) assert.ok(rateOf(atMs) <= 0.5, `${rateOf(atMs)} events per second`)
})

const rateOf = (atMs: readonly number[]) => ((atMs.length - 1) * 1_000) / ((atMs.at(-1) ?? 0) - (atMs[0] ?? 0))

/** Sends three events of each of five end-users. @returns when those of each end-user arrived, in order */
async function sendToSlow(ordering: string): Promise<{ togetherMax: number; arrivals: number[][] }> {
  await using subscriber = await world.subscriber()
  const others = await Promise.all(Array.from({ length: 4 }, () => subscriber.user()))
  const { id } = (await subscriber.call('GET', '/v0/webhook-url')).body.data
  await subscriber.call('PATCH', `/v0/webhook-endpoints/${id}`, { ordering })
  const { receiver } = subscriber
  // Opens the window of the receiver, which grows with each success.
  await Promise.all(Array.from({ length: 20 }, () => world.post(subscriber.event())))
  await until('the quick ones', () => receiver.seen.length === others.length + 20)
  receiver.seen.length = 0
  let togetherMax = 0
  const running: string[] = []
  receiver.reply = (received) => (_, response) => {
    const user = String(userOf(received))
    running.push(user)
    togetherMax = Math.max(togetherMax, running.filter((other) => other === user).length)
    setTimeout(() => {
      running.splice(running.indexOf(user), 1)
      response.end()
    }, 2_000)
  }
  const users = [subscriber.externalUserId, ...others]
  for (let round = 0; round < 3; round++)
    await Promise.all(users.map((external_user_id) => world.post(subscriber.event({ external_user_id }))))
  await until('all events', () => receiver.seen.length === 3 * users.length && running.length === 0, 20_000)
  return { togetherMax, arrivals: users.map((user) => arrivalsOf(user, receiver.seen)) }
}

function arrivalsOf(user: string, seen: readonly Received[]): number[] {
  const own = seen.filter((received) => userOf(received) === user)
  const order = own.map(sequenceOf)
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
  return own.map(({ atMs }) => atMs)
}
