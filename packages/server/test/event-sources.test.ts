// Filters by event source for endpoints, lists, pulls and replays; and the warning about an unknown event type.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { freshUserId } from './people.ts'
import { beginReplay, defaultEndpointOf, endOf, settled } from './replay.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.business

const typesOf = ({ seen }: { seen: { body: Buffer }[] }): string[] =>
  seen.map(({ body }) => JSON.parse(body.toString()).event_type)

test('an endpoint gets the events of its sources alone, live and by a replay, and explain says why', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  await using ours = await subscriber.endpoint({ sources: ['causeway'] })
  await using theirs = await subscriber.endpoint({ sources: ['provider'] })
  await subscriber.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
  await world.post(subscriber.event())
  await until('both', () => ours.receiver.seen.length > 0 && theirs.receiver.seen.length > 0)
  await until('all', () => subscriber.receiver.seen.length === 2)
  assert.deepEqual([typesOf(ours.receiver), typesOf(theirs.receiver)], [['end_user.created'], ['test.happened']])
  const [event] = (await call('GET', '/v0/events?eventType=test.happened', undefined, { key })).body.data
  const { endpoints } = (await call('GET', `/v0/events/${event.id}/explain`, undefined, { key })).body.data
  const told = endpoints.find(({ webhookEndpointId }: { webhookEndpointId: string }) => webhookEndpointId === ours.id)
  assert.deepEqual([told.code, /only events of causeway/.test(told.message)], ['filtered', true])
  const replay = await endOf(subscriber, (await beginReplay(subscriber, ours.id, { status: 'all' })).id)
  assert.deepEqual([replay.sources, replay.matchedCount], [['causeway'], 2])
  const endpointId = await defaultEndpointOf(subscriber)
  const asked = { sources: ['provider'], status: 'delivered' }
  await settled(subscriber, 'delivered', 2, `&webhookEndpointId=${endpointId}`)
  const again = await endOf(subscriber, (await beginReplay(subscriber, endpointId, asked)).id)
  assert.deepEqual([again.sources, again.queuedCount], [['provider'], 1])
  const changed = (await ours.change({ sources: ['provider', 'causeway'] })).body.data
  assert.deepEqual(changed.sources, ['provider', 'causeway'])
})

test('a list and a pull give the events of the sources that are asked for; a pull passes over the others', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  for (let at = 0; at < 3; at++) await world.post(subscriber.event())
  await subscriber.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
  const types = async (query: string) => {
    const { data } = (await call('GET', `/v0/events${query}`, undefined, { key })).body
    return data.map(({ eventType }: { eventType: string }) => eventType)
  }
  assert.deepEqual(await types('?sources=causeway'), ['end_user.created', 'end_user.created'])
  assert.deepEqual(await types('?sources=provider'), ['test.happened', 'test.happened', 'test.happened'])
  assert.equal((await types('?sources=provider,causeway')).length, 5)
  const seen: string[] = []
  let path: string | undefined = '?wait=0&limit=2&sources=causeway'
  for (let page = 0; page < 3; page++) {
    const answer = await call('GET', `/v0/events${path}`, undefined, { key })
    seen.push(...answer.body.data.map(({ eventType }: { eventType: string }) => eventType))
    path = /\/v0\/events(\?[^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  assert.deepEqual(seen, ['end_user.created', 'end_user.created'])
  // Only what it asked for ends the wait.
  const waiting = call('GET', '/v0/events?after=now&wait=20&sources=causeway', undefined, { key })
  await world.post(subscriber.event())
  await subscriber.call('POST', '/v0/end-users', { externalUserId: freshUserId() })
  const { data } = (await waiting).body
  assert.ok(data.every(({ eventType }: { eventType: string }) => eventType === 'end_user.created'))
})

test('a type that no event has today is taken, with a warning and the near name', async () => {
  await using subscriber = await world.subscriber()
  const { apiKey: key } = subscriber
  const create = async (settings: object) =>
    (await call('POST', '/v0/webhook-endpoints', { webhookUrl: subscriber.receiver.url, ...settings }, { key })).body
      .data
  const made = await create({ eventTypes: ['virtual_acount.*', 'customer.updated', 'end_user.*', '*', 'new.thing'] })
  assert.deepEqual(
    made.warnings.map(({ param, code }: Record<string, string>) => [param, code]),
    [
      ['eventTypes.0', 'unknown_event_type'],
      ['eventTypes.4', 'unknown_event_type'],
    ],
  )
  assert.match(made.warnings[0].message, /Did you mean `virtual_account\.\*`\?$/)
  assert.doesNotMatch(made.warnings[1].message, /Did you mean|new\.thing/)
  assert.equal((await create({ eventTypes: ['end_user.*'] })).warnings, undefined)
  const narrowed = await create({ eventTypes: ['customer.updated'], sources: ['causeway'] })
  assert.match(narrowed.warnings[0].message, /no current event type of causeway/)
  const read = await call('GET', `/v0/webhook-endpoints/${made.id}`, undefined, { key })
  assert.equal(read.body.data.warnings, undefined)
})
