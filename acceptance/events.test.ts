// Contract, chapter 3 (the stream of a business) and chapter 7 (what the provider sends).

import assert from 'node:assert/strict'
import test from 'node:test'
import { call, dataOf, nextOf, refuse, succeed } from './call.ts'
import * as people from './people.ts'

interface Event {
  readonly id: string
  readonly position: number
  readonly eventType: string
  readonly createdAt: string
  readonly externalUserId: string | null
  readonly payload: Readonly<Record<string, unknown>>
}

test('the events of an end-user are listed, newest first, in one envelope', async () => {
  const { externalUserId } = await people.createApproved('listed')
  const events = await succeed<Event[]>('GET', `/v0/events?externalUserId=${externalUserId}&sources=causeway`)
  assert.equal(events.at(-1)?.eventType, 'end_user.created')
  assert.ok(events.some(({ eventType }) => eventType === 'end_user.tos.accepted'))
  assert.ok(events.some(({ eventType }) => eventType === 'end_user.kyc.updated'))
  const times = events.map(({ createdAt }) => createdAt)
  assert.deepEqual(times, times.toSorted().toReversed())
  for (const event of events) {
    assert.equal(event.externalUserId, externalUserId)
    const { event_id, event_type, created_at, api_version, data, ...rest } = event.payload
    assert.deepEqual([event_id, event_type, api_version], [event.id, event.eventType, 'v0'])
    assert.ok(created_at && data)
    assert.deepEqual(rest, {})
    assert.deepEqual(await succeed('GET', `/v0/events/${event.id}`), event)
  }
})

test('a reader that pulls waits for the next event, and gets each once and in order', async () => {
  const start = await call('GET', '/v0/events?after=now&limit=2')
  assert.deepEqual(dataOf(start), [])
  const waiting = call('GET', `${nextOf(start)}&wait=20`)
  const created: string[] = []
  for (let number = 0; number < 3; number++) created.push((await people.createEndUser('pulled')).externalUserId)

  const pulled: Event[] = []
  for (let page = await waiting; ; page = await call('GET', nextOf(page) ?? assert.fail('a stream has no end'))) {
    pulled.push(...dataOf<Event[]>(page))
    if (pulled.some(({ externalUserId }) => externalUserId === created.at(-1))) break
  }
  const positions = pulled.map(({ position }) => position)
  assert.deepEqual(
    positions,
    [...new Set(positions)].toSorted((one, other) => one - other),
  )
  const names = pulled.map(({ externalUserId }) => externalUserId).filter((name) => created.includes(name ?? ''))
  assert.deepEqual(names, created)
})

test('the provider is acknowledged only for what is an event', async () => {
  const post = { key: null, body: { event_id: people.newName('wh'), event_type: 'customer.updated' } }
  const data = await succeed<Record<string, unknown>>('POST', '/v0/webhooks/provider', post)
  assert.deepEqual(Object.keys(data).sort(), ['event_id', 'message', 'received'])
  assert.equal(data['received'], true)
  assert.equal(data['event_id'], post.body.event_id)
  for (const body of [{ event_type: 'a' }, { event_id: 'a' }, { event_id: 1, event_type: 'a' }]) {
    const { status, text } = await call('POST', '/v0/webhooks/provider', { key: null, body })
    assert.equal(status, 400, text)
  }
  const forged = { ...post, headers: { 'x-webhook-signature': `t=${Date.now()},v0=AAAA` } }
  await refuse(401, 'webhook_signature_invalid', 'POST', '/v0/webhooks/provider', forged)
})
