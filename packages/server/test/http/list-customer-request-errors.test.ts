// GET /v0/customers/{customerId}/requests/errors

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { flushRequests } from '../../src/businesses/requests/service.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { call: operate } = world.operator

test('200 the errors of each business alone, as the business reads them', async () => {
  const [one, other] = [await world.otherBusiness(), await world.otherBusiness()]
  for (const { apiKey: key } of [one, one, other]) await call('GET', '/v0/end-users/nobody', undefined, { key })
  await call('POST', '/v0/end-users', {}, { key: one.apiKey })
  await flushRequests(world.inside)
  const pathOf = ({ id }: { id: string }) => `/v0/customers/${id}/requests/errors`
  for (const filter of ['', '?client=api', '?client=console', '?createdBefore=2020-01-01T00:00:00Z']) {
    const own = (await call('GET', `/v0/requests/errors${filter}`, undefined, { key: one.apiKey })).body
    assert.deepEqual((await operate('GET', pathOf(one) + filter)).body, own, filter)
  }
  const { data } = (await operate('GET', pathOf(other))).body
  assert.deepEqual(
    data.map(({ error, count }: { error: string; count: number }) => [error, count]),
    [['holder_not_found', 1]],
  )
})

test('400 a client that does not exist, a time that is none', async () => {
  for (const query of ['client=phone', 'createdAfter=now']) {
    const [param = ''] = query.split('=')
    const path = `/v0/customers/${world.business.id}/requests/errors`
    assertError(await operate('GET', `${path}?${query}`), 400, 'invalid_query', { param })
  }
})

test('401 the key of the business that is named', async () => {
  const path = `/v0/customers/${world.business.id}/requests/errors`
  const { apiKey: key } = world.business
  assertError(await operate('GET', path, undefined, { key }), 401, 'wrong_auth_scheme')
})

test('404 a business that does not exist', async () => {
  assertError(await operate('GET', '/v0/customers/biz_none/requests/errors'), 404, 'customer_not_found')
})
