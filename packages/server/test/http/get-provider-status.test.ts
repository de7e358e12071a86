// GET /v0/operator/provider

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { request } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process' })
after(() => world.stop())
const read = async () => {
  const answer = await world.operator.call('GET', '/v0/operator/provider')
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

test('200 it is reachable, and what its calls and events came to', async () => {
  const refused = { headers: { 'x-webhook-signature': 't=1,v0=bm9uZQ==' }, key: null }
  await world.business.call(
    'POST',
    '/v0/webhooks/provider',
    { event_id: 'wh_1', event_type: 'customer.updated' },
    refused,
  )
  const status = await read()
  assert.deepEqual([status.kind, status.reachable, status.problem], ['sandbox', true, null])
  assert.ok(status.url.startsWith(world.provider.origin))
  assert.ok(status.calls.total >= 1)
  assert.equal(status.calls.byOutcome.ok + status.calls.failed <= status.calls.total, true)
  assert.ok(Math.abs(Date.parse(status.calls.lastSuccessAt) - Date.now()) < 60_000)
  assert.ok(status.signatureFailures >= 1)
  assert.equal(status.reconciliation.failures, 0)
})

test('200 of a provider without an API for endpoints it has no webhook, and says whether the provider takes the key', async () => {
  await using replica = await world.replica({ adapt: (made) => ({ ...made, endpoints: null }) })
  const headers = { authorization: `Bearer ${world.operator.secret}` }
  const look = async (at: string) =>
    (await request('GET', `${at}/v0/operator/provider`, undefined, { headers })).body.data
  const seen = await look(replica.url)
  assert.deepEqual([seen.reachable, seen.problem, seen.webhook], [true, null, null])
  await using locked = await world.replica({
    config: { providerApiKey: 'sk-test-unknown' },
    adapt: (made) => ({ ...made, endpoints: null }),
  })
  assert.equal((await look(locked.url)).problem, 'unauthorized')
})

test('200 of a provider that never answers it says so within seconds', async () => {
  world.provider.freeze()
  try {
    const look = async () => {
      const status = await read()
      return status.reachable ? null : status
    }
    let status = await look()
    while (status === null) status = await look() // an earlier result may be reported for five seconds
    assert.ok(['timeout', 'unreachable'].includes(status.problem))
    assert.equal(status.webhook, null)
  } finally {
    world.provider.thaw()
  }
})
