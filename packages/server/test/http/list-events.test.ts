// GET /v0/events

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { freshEventId } from '../provider.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 an event of the provider shows whose it is, where it came from, and what it says', async () => {
  await using subscriber = await world.subscriber()
  const event = subscriber.event({ data: { nested: [1, 'two', null] } })
  await world.post(event)
  const { data } = (await call('GET', '/v0/events?eventType=test.happened', undefined, { key: subscriber.apiKey })).body
  const { id, createdAt, position, ...rest } = data[0]
  assert.equal(position, 2) // after that of the end-user
  assert.match(id, /^evt_/)
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    eventType: 'test.happened',
    externalUserId: subscriber.externalUserId,
    providerEventId: event.event_id,
    source: 'provider',
    verified: true,
    test: false,
    payload: event,
    rawBody: JSON.stringify(event),
  })
})

test('200 the raw body is the text as it was delivered and signed, where parsing changes it', async () => {
  await using subscriber = await world.subscriber()
  const event = JSON.stringify(subscriber.event()).replace(
    /}$/,
    ',"n":12345678901234567890,"amount":1.10,"a":1, "a":2}',
  )
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': world.signer.sign(event) }
  assert.equal(
    (await world.business.call('POST', '/v0/webhooks/provider', undefined, { raw: event, headers })).status,
    200,
  )
  const delivered = await until('the delivery', () =>
    subscriber.receiver.seen.find(({ body }) => body.includes('1.10')),
  )
  const { data } = (await call('GET', '/v0/events?eventType=test.happened', undefined, { key: subscriber.apiKey })).body
  assert.equal(data[0].rawBody, event)
  assert.equal(data[0].rawBody, delivered.body.toString())
})

test('200 an event of our own shows the envelope that is delivered', async () => {
  const { apiKey: key, user: newUser } = await world.otherBusiness()
  const externalUserId = await newUser()
  const [event] = (await call('GET', '/v0/events', undefined, { key })).body.data
  const { data, ...envelope } = event.payload
  assert.equal(data.externalUserId, externalUserId)
  assert.deepEqual(
    { ...envelope, created_at: '' },
    { event_id: event.id, event_type: event.eventType, created_at: '', api_version: 'v0' },
  )
  assert.deepEqual(
    {
      eventType: event.eventType,
      source: event.source,
      verified: event.verified,
      providerEventId: event.providerEventId,
    },
    { eventType: 'end_user.created', source: 'causeway', verified: true, providerEventId: null },
  )
})

test('200 pages lead through all events once, newest first', async () => {
  await using subscriber = await world.subscriber()
  const sent = Array.from({ length: 7 }, () => freshEventId())
  for (const event_id of sent) await world.post(subscriber.event({ event_id }))
  const seen: string[] = []
  let next: string | null = '/v0/events?eventType=test.happened&limit=3'
  while (next !== null) {
    const page = await call('GET', next, undefined, { key: subscriber.apiKey })
    assert.ok(page.body.data.length <= 3)
    seen.push(...page.body.data.map((event: { providerEventId: string }) => event.providerEventId))
    const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    const target: URL | null = link === undefined ? null : new URL(link, world.url)
    next = target && target.pathname + target.search
  }
  assert.deepEqual(seen, sent.toReversed())
})

test('200 filters by end-user, type and time', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key, externalUserId } = subscriber
  const other = await subscriber.user()
  await world.post(subscriber.event())
  const types = async (query: string) => {
    const answer = await call('GET', `/v0/events?${query}`, undefined, { key })
    return answer.body.data.map(
      (event: { eventType: string; externalUserId: string }) => `${event.eventType} ${event.externalUserId}`,
    )
  }
  assert.deepEqual(await types(`externalUserId=${other}`), [`end_user.created ${other}`])
  assert.deepEqual(await types('eventType=test.happened'), [`test.happened ${externalUserId}`])
  const { data } = (await call('GET', '/v0/events?eventType=test.happened', undefined, { key })).body
  assert.deepEqual(await types(`providerEventId=${data[0].providerEventId}`), [`test.happened ${externalUserId}`])
  assert.deepEqual(await types('providerEventId=wh_absent'), [])
  assert.equal((await types('createdAfter=2020-01-01T00:00:00Z')).length, 3)
  assert.deepEqual(await types('createdBefore=2020-01-01T00:00:00Z'), [])
})

test('200 filters by virtual account, and another business finds none by it', async () => {
  const externalUserId = await world.business.user('approved')
  const [account, other] = [await world.business.account(externalUserId), await world.business.account(externalUserId)]
  const id = account['id'] ?? ''
  await world.business.deposit(id, { amount: '10.00' }, 'completed')
  const found = async (of: string, key = world.business.apiKey) =>
    (await call('GET', `/v0/events?virtualAccountId=${of}&sources=causeway`, undefined, { key })).body.data.map(
      ({ eventType, payload }: { eventType: string; payload: { data: Record<string, string> } }) =>
        `${eventType} ${payload.data['virtualAccountId'] ?? payload.data['id']}`,
    )
  const types = await found(id)
  assert.ok(types.includes(`virtual_account.payment.received ${id}`) && types.includes(`virtual_account.created ${id}`))
  assert.ok(types.every((type: string) => type.endsWith(` ${id}`)))
  assert.deepEqual(await found(other['id'] ?? ''), [`virtual_account.created ${other['id']}`])
  const { apiKey: stranger } = await world.otherBusiness()
  for (const [of, key] of [
    ['va_none', undefined],
    [id, stranger],
  ] as const)
    assert.deepEqual(await found(of, key), [])
})

test('200 another business’s events are not in the list', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event())
  const { apiKey: key } = await world.otherBusiness()
  assert.deepEqual((await call('GET', '/v0/events', undefined, { key })).body.data, [])
})

test('400 a query that is not valid is refused by its parameter', async () => {
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['eventType=', 'eventType'],
    ['eventType=%00', 'eventType'],
    ['colour=red', 'colour'],
  ] as const) {
    assertError(await call('GET', `/v0/events?${query}`), 400, 'invalid_query', { param })
  }
  assertError(await call('GET', '/v0/events?cursor=nonsense'), 400, 'invalid_cursor')
})
