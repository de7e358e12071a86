// GET /v0/console-links

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/console-links'
const newLink = async () => (await call('POST', path, { scopes: ['events:read'] })).body.data
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 every link of the business, newest first: who made it, whether it was used or revoked, never its code', async () => {
  const [used, revoked, fresh] = [await newLink(), await newLink(), await newLink()]
  const code: string = used.url.split('#')[1]
  await signIn(world.url, { code })
  await call('DELETE', `${path}/${revoked.id}`)
  const answer = await call('GET', path)
  assert.deepEqual(idsOf(answer), [fresh.id, revoked.id, used.id])
  assert.ok(!answer.text.includes(code) && !answer.text.includes('svc_link_'))
  const [asFresh, asRevoked, asUsed] = answer.body.data
  const { apiKeyId } = (await call('GET', '/v0/whoami')).body.data
  const { createdAt, ...rest } = asFresh
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  const { url: _, ...shown } = fresh
  assert.deepEqual(rest, { ...shown, apiKeyId, usedAt: null, revokedAt: null })
  assert.deepEqual([asRevoked.usedAt, asUsed.revokedAt], [null, null])
  for (const time of [asRevoked.revokedAt, asUsed.usedAt])
    assert.ok(Date.parse(time) >= Date.parse(used.expiresAt) - 600_000)
})

test('200 pages follow the Link header to the end', async () => {
  await newLink()
  const all = idsOf(await call('GET', path))
  const page = await call('GET', `${path}?limit=2`)
  const next = new URL(/^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '')
  const rest = await call('GET', `${next.pathname}?limit=100&cursor=${next.searchParams.get('cursor')}`)
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], all)
})

test("200 another business's links are not in it", async () => {
  const { apiKey: key } = await world.otherBusiness()
  assert.deepEqual((await call('GET', path, undefined, { key })).body, { data: [] })
})

test('400 a bad limit, cursor or parameter is refused by name', async () => {
  assertError(await call('GET', `${path}?limit=0`), 400, 'invalid_query', { param: 'limit' })
  assertError(await call('GET', `${path}?used=true`), 400, 'invalid_query', { param: 'used' })
  assertError(await call('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})
