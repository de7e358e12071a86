// GET /v0/customers

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call: operate } = world.operator
const ids = [world.business.id]
for (const name of ['one', 'two', 'three']) ids.unshift((await world.otherBusiness(name)).id)
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 every customer, newest first, each as it reads by itself', async () => {
  const list = await operate('GET', '/v0/customers')
  assert.deepEqual(idsOf(list), ids)
  for (const row of list.body.data)
    assert.deepEqual((await operate('GET', `/v0/customers/${row.id}`)).body, { data: row })
})

test('200 pages follow the Link header to the end', async () => {
  const page = await operate('GET', '/v0/customers?limit=3')
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await operate('GET', link.slice(new URL(link).origin.length))
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], ids)
})

test('200 filtered by status, and by a part of the name or the id', async () => {
  const [three = '', two = ''] = ids
  await operate('PATCH', `/v0/customers/${two}`, { status: 'suspended' })
  assert.deepEqual(idsOf(await operate('GET', '/v0/customers?status=suspended')), [two])
  assert.deepEqual(
    idsOf(await operate('GET', '/v0/customers?status=active&limit=100')),
    ids.filter((id) => id !== two),
  )
  assert.deepEqual(idsOf(await operate('GET', '/v0/customers?q=HRE')), [three])
  assert.deepEqual(idsOf(await operate('GET', `/v0/customers?q=${two}`)), [two])
  assert.deepEqual(idsOf(await operate('GET', `/v0/customers?q=${two}&status=active`)), [])
  assert.deepEqual(idsOf(await operate('GET', '/v0/customers?q=%25')), [])
})

test('400 a bad limit, cursor or parameter is refused by name', async () => {
  assertError(await operate('GET', '/v0/customers?limit=0'), 400, 'invalid_query', { param: 'limit' })
  assertError(await operate('GET', '/v0/customers?name=one'), 400, 'invalid_query', { param: 'name' })
  assertError(await operate('GET', '/v0/customers?status=asleep'), 400, 'invalid_query', { param: 'status' })
  assertError(await operate('GET', '/v0/customers?cursor=x'), 400, 'invalid_cursor', { param: 'cursor' })
})
