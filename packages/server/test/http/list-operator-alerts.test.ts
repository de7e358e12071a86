// GET /v0/operator/alerts

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { watchNow } from '../alerts.ts'
import { dataOf, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.operator

test('200 alerts about the deployment, which no business sees', async () => {
  dataOf(await call('POST', '/v0/operator/alert-channels', { type: 'slack', url: 'http://127.0.0.1:9/' }))
  await world.rows`
    insert into information_requests (business_id, id, provider_id, state)
    values ('deployment', 'ireq_00000000000000000000000001', 'rfi_1', 'action_required')`
  await watchNow(world)
  const [alert] = await until('the alert', async () => {
    const found = dataOf(await call('GET', '/v0/operator/alerts?state=open&kind=information_request.open'))
    return found.length > 0 && found
  })
  assert.equal(alert.subjectId, 'ireq_00000000000000000000000001')
  assert.deepEqual(dataOf(await world.business.call('GET', '/v0/alerts')), [])
})
