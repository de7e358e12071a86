// GET /v0/customers/{customerId}/api-keys

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator
const withoutKeys = async (): Promise<string> =>
  (await operate('POST', '/v0/customers', { name: 'A customer without keys' })).body.data.id

test("200 the customer's keys and no other's, newest first, page by page, never the keys themselves", async () => {
  const path = `/v0/customers/${await withoutKeys()}/api-keys`
  const made = []
  for (const name of ['one', 'two']) made.unshift((await operate('POST', path, { name })).body.data)
  const list = await operate('GET', path)
  assert.deepEqual(
    list.body.data,
    made.map(({ key: _, ...shown }: Record<string, unknown>) => shown),
  )
  for (const { key } of made) assert.ok(!list.text.includes(key))
  const page = await operate('GET', `${path}?limit=1`)
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await operate('GET', link.slice(new URL(link).origin.length))
  assert.deepEqual([...page.body.data, ...rest.body.data], list.body.data)
})

test('200 a customer without keys has an empty list', async () => {
  assert.deepEqual((await operate('GET', `/v0/customers/${await withoutKeys()}/api-keys`)).body, {
    data: [],
  })
})

test('400 a bad limit, cursor or parameter is refused by name', async () => {
  const path = `/v0/customers/${world.business.id}/api-keys`
  assertError(await operate('GET', `${path}?limit=101`), 400, 'invalid_query', { param: 'limit' })
  assertError(await operate('GET', `${path}?x=1`), 400, 'invalid_query', { param: 'x' })
  assertError(await operate('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})
