// GET /v0/customers/{customerId}/requests

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { flushRequests } from '../../src/businesses/requests/service.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { call: operate } = world.operator

/** Two businesses ask the same of the API, one request more than the other. Requests of one millisecond have no order. */
async function twoBusinesses() {
  const [one, other] = [await world.otherBusiness(), await world.otherBusiness()]
  for (const { apiKey: key } of [one, other, one]) {
    await call('GET', '/v0/end-users/ada@example.com', undefined, { key })
    await call('POST', '/v0/end-users', {}, { key })
    await delay(2)
  }
  await flushRequests(world.inside)
  const pathOf = ({ id }: { id: string }) => `/v0/customers/${id}/requests`
  return { one, other, pathOf }
}

test('200 each business’s own requests, as the business reads them, with the same filters', async () => {
  const { one, other, pathOf } = await twoBusinesses()
  // The reads of the business are logged as well, and may be stored before the operator reads.
  const createdBefore = new Date().toISOString()
  await delay(2)
  for (const filter of ['', 'status=404', 'error=*', 'kind=write', 'method=POST&client=api', 'by=key_none']) {
    const query = `?createdBefore=${createdBefore}&${filter}`
    const own = (await call('GET', `/v0/requests${query}`, undefined, { key: one.apiKey })).body
    await flushRequests(world.inside)
    const seen = (await operate('GET', `${pathOf(one)}${query}`)).body
    assert.deepEqual(seen, own, filter)
  }
  assert.equal((await operate('GET', `${pathOf(one)}?createdBefore=${createdBefore}`)).body.data.length, 4)
  const { body, text } = await operate('GET', pathOf(other))
  assert.equal(body.data.length, 2)
  assert.ok(!text.includes('ada@example.com'))
  const [{ requestId }] = body.data
  assert.equal((await operate('GET', `${pathOf(other)}?requestId=${requestId}`)).body.data.length, 1)
  assert.deepEqual((await operate('GET', `${pathOf(one)}?requestId=${requestId}`)).body.data, [])
})

test('200 pages lead through all requests once, and reading them adds none', async () => {
  const { one, pathOf } = await twoBusinesses()
  const all = (await operate('GET', pathOf(one))).body.data
  const seen: unknown[] = []
  for (let next: string | null = `${pathOf(one)}?limit=3`; next !== null; ) {
    const page: Awaited<ReturnType<typeof operate>> = await operate('GET', next)
    seen.push(...page.body.data)
    const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    next = link === undefined ? null : link.replace(world.url, '')
  }
  assert.deepEqual(seen, all)
  await flushRequests(world.inside)
  assert.deepEqual((await operate('GET', pathOf(one))).body.data, all)
})

test('401 the key of a business, also of the one that is named', async () => {
  const { one, other, pathOf } = await twoBusinesses()
  for (const { apiKey } of [one, other])
    assertError(await operate('GET', pathOf(one), undefined, { key: apiKey }), 401, 'wrong_auth_scheme')
})

test('400 a bad status, limit, parameter or cursor is refused by name', async () => {
  const path = `/v0/customers/${world.business.id}/requests`
  for (const query of ['status=600', 'method=FETCH', 'limit=0', 'x=1']) {
    const [param = ''] = query.split('=')
    assertError(await operate('GET', `${path}?${query}`), 400, 'invalid_query', { param })
  }
  assertError(await operate('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})

test('404 a business that does not exist', async () => {
  assertError(await operate('GET', '/v0/customers/biz_none/requests'), 404, 'customer_not_found')
})
