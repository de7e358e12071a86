// GET /v0/webhook-endpoints

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/webhook-endpoints'
const { apiKey: key } = await world.otherBusiness()
const webhookUrl = 'https://hooks.example.com/in'
await call('PUT', '/v0/webhook-url', { webhookUrl }, { key })
for (const description of ['one', 'two', 'three']) await call('POST', path, { webhookUrl, description }, { key })
const list = async (query = '') => await call('GET', `${path}${query}`, undefined, { key })
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 all of the business, newest first, the default one among them; no secret is told', async () => {
  const answer = await list()
  const names = answer.body.data.map((row: { description: string; isDefault: boolean }) =>
    row.isDefault ? 'default' : row.description,
  )
  assert.deepEqual(names, ['three', 'two', 'one', 'default'])
  assert.ok(!answer.text.includes('whsec_'))
})

test('200 pages follow the Link header to the end', async () => {
  const page = await list('?limit=3')
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await list(new URL(link).search)
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], idsOf(await list()))
})

test("200 another business's are not in it", async () => {
  const { apiKey } = await world.otherBusiness()
  assert.deepEqual((await call('GET', path, undefined, { key: apiKey })).body.data, [])
})

test('400 a bad limit, cursor or parameter is refused by name', async () => {
  assertError(await list('?limit=0'), 400, 'invalid_query', { param: 'limit' })
  assertError(await list('?status=paused'), 400, 'invalid_query', { param: 'status' })
  assertError(await list('?cursor=x'), 400, 'invalid_cursor', { param: 'cursor' })
})
