// GET /v0/api-keys

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/api-keys'
const made: { key: string; lastFour: string }[] = []
for (const name of ['one', 'two', 'three']) made.unshift((await call('POST', path, { name })).body.data)
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 every key of the business, newest first, with its last four characters and never the key', async () => {
  const answer = await call('GET', path)
  assert.deepEqual(
    answer.body.data.map(({ name }: { name: string }) => name),
    ['three', 'two', 'one', 'First key'],
  )
  for (const [at, { key, ...shown }] of made.entries()) {
    assert.deepEqual(answer.body.data[at], shown)
    assert.equal(shown.lastFour, key.slice(-4))
    assert.ok(!answer.text.includes(key))
  }
})

test('200 a key tells who issued it: another key, also from the console, or the operator', async () => {
  const [first, ...rest] = (await call('GET', path)).body.data.toReversed()
  assert.equal(first.createdBy, 'operator')
  const session = await signIn(world.url, { apiKey: world.business.apiKey })
  const { data } = (await session.ask('POST', path, {})).body
  for (const { createdBy } of [...rest, data]) assert.equal(createdBy, first.id)
  const rolled = (await call('POST', `${path}/${data.id}/roll`, {}, { key: made[0]?.key ?? '' })).body.data
  assert.equal(rolled.createdBy, rest.at(-1).id)
})

test('200 a revoked key stays in the list and says when', async () => {
  const { id } = (await call('POST', path, {})).body.data
  await call('DELETE', `${path}/${id}`)
  const { data } = (await call('GET', path)).body
  assert.match(data.find((row: { id: string }) => row.id === id).revokedAt, /Z$/)
})

test('200 a key tells when it was last used, within seconds of its use', async () => {
  const { id, key, lastUsedAt } = (await call('POST', path, {})).body.data
  assert.equal(lastUsedAt, null)
  await call('GET', '/v0/whoami', undefined, { key })
  await world.inside.lastUsedBuffer.flush(world.inside.db)
  const row = await until('the use', async () =>
    (await call('GET', path)).body.data.find(
      (one: { id: string; lastUsedAt: string }) => one.id === id && one.lastUsedAt,
    ),
  )
  assert.ok(row.lastUsedAt >= row.createdAt)
})

test('200 pages follow the Link header to the end', async () => {
  const all = idsOf(await call('GET', path))
  const page = await call('GET', `${path}?limit=2`)
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const next = new URL(link)
  const rest = await call('GET', `${next.pathname}?limit=100&cursor=${next.searchParams.get('cursor')}`)
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], all)
})

test("200 another business's keys are not in it", async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { data } = (await call('GET', path, undefined, { key })).body
  assert.equal(data.length, 1)
  assert.equal(data[0].lastFour, key.slice(-4))
})

test('400 a bad limit, cursor or parameter is refused by name', async () => {
  assertError(await call('GET', `${path}?limit=0`), 400, 'invalid_query', { param: 'limit' })
  assertError(await call('GET', `${path}?status=live`), 400, 'invalid_query', { param: 'status' })
  assertError(await call('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})
