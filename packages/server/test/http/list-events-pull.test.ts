// GET /v0/events with `after` and `wait`: the stream, pulled

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Subscriber } from '../business.ts'
import { type Answer, assertError, until } from '../caller.ts'
import { freshEventId } from '../provider.ts'
import { freeReaders } from '../waiting-readers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

const pull = ({ apiKey: key }: { apiKey: string }, path: string) => call('GET', path, undefined, { key })

/** The next URL of the response, which always has one. */
function nextOf(answer: Answer): string {
  const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  assert.ok(link, 'a pulled answer leads on')
  const { pathname, search } = new URL(link)
  return pathname + search
}

const positionsOf = ({ body }: Answer): number[] => body.data.map(({ position }: { position: number }) => position)

const posted = async (subscriber: Subscriber, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => freshEventId())
  for (const event_id of ids) await world.post(subscriber.event({ event_id }))
  return ids
}

test('200 the stream from its beginning, oldest first, each event once, page by page, and the cursor leads on at its end', async () => {
  await using subscriber = await world.subscriber()
  const sent = await posted(subscriber, 5)
  const seen: string[] = []
  const positions: number[] = []
  let next = '/v0/events?wait=0&limit=2'
  for (let page = 0; page < 5; page++) {
    const answer = await pull(subscriber, next)
    seen.push(...answer.body.data.map(({ providerEventId }: { providerEventId: string | null }) => providerEventId))
    positions.push(...positionsOf(answer))
    next = nextOf(answer)
  }
  assert.deepEqual(seen.slice(-5), sent)
  assert.deepEqual(
    positions,
    Array.from(positions, (_, at) => at + 1),
  )
  await posted(subscriber, 1)
  assert.deepEqual(positionsOf(await pull(subscriber, next)), [positions.length + 1])
})

test('200 a waiting reader is answered by the next event, of its own business only', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  const next = nextOf(await pull(subscriber, '/v0/events?after=now&wait=0')).replace('wait=0', 'wait=30')
  let answered = false
  const waiting = pull(subscriber, next).finally(() => {
    answered = true
  })
  await posted(stranger, 3)
  assert.equal(answered, false)
  const [id] = await posted(subscriber, 1)
  const answer = await waiting
  assert.deepEqual(
    answer.body.data.map(({ providerEventId }: { providerEventId: string }) => providerEventId),
    [id],
  )
})

test('200 a business without any endpoint is woken too', async () => {
  const { apiKey } = await world.otherBusiness()
  const waiting = pull({ apiKey }, '/v0/events?wait=30')
  await until('the reader', async () => {
    const made = await call('POST', '/v0/end-users', { externalUserId: freshEventId() }, { key: apiKey })
    return made.status === 200
  })
  assert.deepEqual(positionsOf(await waiting), [1])
})

test('200 nothing within the wait: an empty answer that leads on from the same place', async () => {
  await using subscriber = await world.subscriber()
  const first = await pull(subscriber, '/v0/events?after=now')
  assert.deepEqual(first.body.data, [])
  const next = `${nextOf(first)}&wait=1`
  const beganMs = performance.now()
  const answer = await pull(subscriber, next)
  assert.ok(performance.now() - beganMs > 900)
  assert.deepEqual(answer.body.data, [])
  assert.equal(nextOf(answer), next)
})

test('400 a cursor of another business, of a list, of a place never reached, or of nothing; filters beside it', async () => {
  await using subscriber = await world.subscriber()
  await using stranger = await world.subscriber()
  await posted(subscriber, 2)
  const foreign = nextOf(await pull(stranger, '/v0/events?after=now'))
  const list = await call('GET', '/v0/events?limit=1', undefined, { key: subscriber.apiKey })
  const ofList = new URL(/<([^>]+)>/.exec(list.headers.get('link') ?? '')?.[1] ?? '').searchParams.get('cursor')
  const ahead = Buffer.from(`s1.${subscriber.id.slice(-8)}.1000`).toString('base64url')
  for (const path of [foreign, `/v0/events?after=${ofList}`, `/v0/events?after=${ahead}`, '/v0/events?after=x'])
    assertError(await pull(subscriber, path), 400, 'invalid_cursor', { param: 'after' })
  const told = world.log.filter((line) => line.includes('event stream behind its reader'))
  assert.equal(told.filter((line) => line.includes(`"place":1000,"last":3`)).length, 1)
  for (const [query, param] of [
    ['wait=31', 'wait'],
    ['wait=-1', 'wait'],
    ['wait=1&eventType=a', 'eventType'],
    ['after=now&cursor=x', 'cursor'],
    ['wait=1&createdAfter=2026-01-01T00:00:00Z', 'createdAfter'],
  ] as const)
    assertError(await pull(subscriber, `/v0/events?${query}`), 400, 'invalid_query', { param })
})

test('409 events behind the cursor that are not kept any more: told, with the address that leads on behind them', async () => {
  await using subscriber = await world.subscriber()
  await posted(subscriber, 4)
  const lose = (position: number) =>
    world.rows`delete from events where business_id = ${subscriber.id} and position = ${position}`
  // The end-user's own event is the first.
  await lose(1)
  const beginning = await pull(subscriber, '/v0/events?wait=0')
  assert.deepEqual(positionsOf(beginning), [2, 3, 4, 5])
  await lose(4)
  const first = await pull(subscriber, '/v0/events?wait=0&limit=100')
  assert.deepEqual(positionsOf(first), [2, 3])
  const gap = await pull(subscriber, nextOf(first))
  assertError(gap, 409, 'cursor_expired', { message: /^1 event / })
  assert.deepEqual(positionsOf(await pull(subscriber, nextOf(gap))), [5])
  await lose(5)
  const end = await pull(subscriber, nextOf(gap))
  assertError(end, 409, 'cursor_expired')
  assert.deepEqual((await pull(subscriber, nextOf(end))).body.data, [])
})

test('429 more readers of one business than may wait at once; those that wait are answered all the same', async () => {
  await using subscriber = await world.subscriber()
  const next = nextOf(await pull(subscriber, '/v0/events?after=now&wait=0')).replace('wait=0', 'wait=30')
  const readers = Array.from({ length: 199 }, () => world.inside.eventReaders.open(subscriber.id))
  const waiting = pull(subscriber, next)
  await until('the last place taken', () => freeReaders(world, subscriber.id) === 0)
  const refused = await pull(subscriber, next)
  assertError(refused, 429, 'too_many_readers')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await posted(subscriber, 1)
  assert.equal((await waiting).body.data.length, 1)
  for (const reader of readers) reader.close()
  assert.equal((await pull(subscriber, next)).body.data.length, 1)
})

test('401 who waits with a key that ends is refused at once, and told no event; who has another key goes on', async () => {
  await using subscriber = await world.subscriber()
  const issued = await world.business.call('POST', '/v0/api-keys', {}, { key: subscriber.apiKey })
  const { id, key } = issued.body.data
  const next = nextOf(await pull(subscriber, '/v0/events?after=now&wait=0')).replace('wait=0', 'wait=30')
  const [doomed, other] = [pull({ ...subscriber, apiKey: key }, next), pull(subscriber, next)]
  await until('both to wait', () => freeReaders(world, subscriber.id) === 198)
  const began = performance.now()
  await world.business.call('DELETE', `/v0/api-keys/${id}`, undefined, { key: subscriber.apiKey })
  assertError(await doomed, 401, 'api_key_invalid')
  assert.ok(performance.now() - began < 2_000)
  await posted(subscriber, 1)
  assert.equal((await other).body.data.length, 1)
})

test('a caller that goes away leaves no reader behind', async () => {
  await using subscriber = await world.subscriber()
  const gone = new AbortController()
  const waiting = fetch(`${world.url}/v0/events?after=now&wait=30`, {
    headers: { authorization: `Bearer ${subscriber.apiKey}` },
    signal: gone.signal,
  })
  await until('the reader', () => freeReaders(world, subscriber.id) === 199)
  gone.abort()
  await assert.rejects(waiting)
  await until('its end', () => freeReaders(world, subscriber.id) === 200)
})
