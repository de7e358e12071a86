// GET /v0/requests/errors

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { flushRequests } from '../../src/businesses/requests/service.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/requests/errors'

test('200 the errors of a business by their code, the most frequent first, each with its remedy', async () => {
  const { apiKey: key } = await world.otherBusiness()
  for (const name of ['a', 'b']) await call('GET', `/v0/end-users/${name}`, undefined, { key })
  await call('GET', '/v0/whoami', undefined, { key })
  const last = await call('POST', '/v0/end-users', {}, { key })
  await flushRequests(world.inside)
  const { data } = (await call('GET', path, undefined, { key })).body
  assert.deepEqual(
    data.map(({ error, count }: { error: string; count: number }) => [error, count]),
    [
      ['holder_not_found', 2],
      ['missing_field', 1],
    ],
  )
  assert.equal(data[0].explanation.resolution, 'Create the end-user first with `POST /v0/end-users`.')
  assert.equal(data[1].lastRequestId, last.headers.get('x-request-id'))
  assert.deepEqual((await call('GET', `${path}?client=console`, undefined, { key })).body.data, [])
  assert.deepEqual((await call('GET', `${path}?createdBefore=2020-01-01T00:00:00Z`, undefined, { key })).body.data, [])
})

test('400 a client that there is not, a time that is none', async () => {
  for (const query of ['client=phone', 'createdAfter=now']) {
    const [param = ''] = query.split('=')
    assertError(await call('GET', `${path}?${query}`), 400, 'invalid_query', { param })
  }
})
