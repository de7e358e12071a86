// GET /v0/operator/information-requests

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '1' } })
after(() => world.stop())
const user = await world.business.user('approved')
const request = await world.business.informationRequest({ externalUserId: user })
type Shown = { id: string; customerId: string | null; providerRequestId: string; dashboardUrl: string }
const list = async (query = ''): Promise<Shown[]> => {
  const answer = await world.operator.call('GET', `/v0/operator/information-requests${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

test('200 a request of a business, with the link, and by its state', async () => {
  const [shown] = await list()
  assert.equal(shown?.id, request.id)
  assert.equal(shown?.customerId, world.business.id)
  assert.equal(shown?.dashboardUrl, `${world.provider.origin}/rfis/${shown?.providerRequestId}`)
  assert.deepEqual(await list('?state=closed'), [])
  assert.deepEqual(await list('?state=action_required'), [shown])
})

test('200 a request about our own account, and one about a customer whom nobody here has, are for the operator alone', async () => {
  const own = (await world.provider.control('POST', '/rfis', {})).body.id
  const foreign = await world.provider.control('POST', '/rfis', { customer_id: await customerOfNobody() })
  const ids = [own, foreign.body.id].sort()
  const ofNobody = await until('both', async () => {
    const found = (await list()).filter(({ customerId }) => customerId === null)
    return found.length === 2 && found
  })
  assert.deepEqual(ofNobody.map(({ providerRequestId }) => providerRequestId).sort(), ids)
  const { data } = (await world.business.call('GET', '/v0/information-requests')).body
  assert.deepEqual(
    data.map(({ id }: Shown) => id),
    [request.id],
  )
  for (const { id } of ofNobody) {
    assertError(
      await world.business.call('GET', `/v0/information-requests/${id}`),
      404,
      'information_request_not_found',
    )
  }
  // The event about our account waits for no owner.
  const held = await world.operator.call('GET', '/v0/operator/events')
  const waiting = held.body.data.filter(({ type }: { type: string }) => type.startsWith('rfi.'))
  assert.ok(waiting.every(({ providerRefs }: { providerRefs: string[] }) => !providerRefs.includes(own)))
})

async function customerOfNobody(): Promise<string> {
  const response = await fetch(`${world.provider.url}/customers`, {
    method: 'POST',
    headers: {
      'api-key': world.provider.apiKey,
      'idempotency-key': 'a-customer-of-nobody',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type: 'individual' }),
  })
  return ((await response.json()) as { id: string }).id
}

test('400 a state that is none', async () => {
  const answer = await world.operator.call('GET', '/v0/operator/information-requests?state=open')
  assertError(answer, 400, 'invalid_query', { param: 'state' })
})
