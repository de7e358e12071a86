// POST /v0/sandbox/information-requests/{id}/advance

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const user = await world.business.user('approved')
const { id } = await world.business.informationRequest({ externalUserId: user })
const advance = (to: string, options = {}) =>
  call('POST', `/v0/sandbox/information-requests/${id}/advance`, { to }, options)

test('200 any state follows any other, and a request that is open again has no end', async () => {
  for (const to of ['in_review', 'closed', 'action_required', 'closed', 'in_review'] as const) {
    assert.deepEqual((await advance(to)).body, { data: { advanced: true } })
    const { closedAt } = await world.business.informationRequestReached(id, to)
    assert.equal(closedAt !== null, to === 'closed', to)
  }
})

test('400 a state that is none', async () => {
  assertError(await advance('on_bridge'), 400, 'invalid_value', { param: 'to' })
})

test('404 a request of another business', async () => {
  const { apiKey } = await world.otherBusiness()
  assertError(await advance('closed', { key: apiKey }), 404, 'information_request_not_found')
})

test('409 and 504 a repeat whose Idempotency-Key is still running, and an emulator that never answers', async () => {
  world.provider.freeze()
  try {
    const headers = { 'idempotency-key': 'one-advance' }
    const [first, second] = [advance('closed', { headers }), advance('closed', { headers })]
    const answers = await Promise.all([first, second])
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [409, 504])
  } finally {
    world.provider.thaw()
  }
})

test('422 an emulator that was reset has no such request', async () => {
  await world.provider.control('POST', '/reset')
  assertError(await advance('closed'), 422, 'sandbox_out_of_step')
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await advance('closed'), 503, 'provider_unavailable')
})
