// GET /v0/alerts

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { watchNow } from '../alerts.ts'
import { dataOf, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 alerts since the first channel, by state and by kind; another business has none', async () => {
  await call('POST', '/v0/api-keys', { name: 'Before' })
  dataOf(await call('POST', '/v0/alert-channels', { type: 'slack', url: 'http://127.0.0.1:9/' }))
  const { id } = dataOf(await call('POST', '/v0/api-keys', { name: 'After' }))
  await watchNow(world)
  const [alert, ...others] = await until('the alert', async () => {
    const found = dataOf(await call('GET', '/v0/alerts'))
    return found.length > 0 && found
  })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [alert.kind, alert.subjectId, alert.state, alert.recoveredAt, alert.details],
    ['api_key.created', id, 'occurred', null, { name: 'After' }],
  )
  for (const query of ['state=occurred', 'kind=api_key.created', 'state=occurred&kind=api_key.created'])
    assert.deepEqual(dataOf(await call('GET', `/v0/alerts?${query}`)), [alert], query)
  for (const query of ['state=open', 'kind=api_key.revoked', 'state=occurred&kind=api_key.revoked'])
    assert.deepEqual(dataOf(await call('GET', `/v0/alerts?${query}`)), [], query)
  const other = await world.otherBusiness()
  assert.deepEqual(dataOf(await other.call('GET', '/v0/alerts')), [])
})
