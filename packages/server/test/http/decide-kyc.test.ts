// POST /v0/sandbox/kyc-decisions

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, request, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({
  alone: true,
  provider: 'process',
  sandbox: { kycDecisionMs: 600_000 },
  env: { PROVIDER_TIMEOUT_MS: '1500' },
})
after(() => world.stop())
const { call } = world.business
const path = '/v0/sandbox/kyc-decisions'
const user = await world.business.user('submitted')

test('200 each decision moves the end-user as the provider would', async () => {
  for (const [decision, kycStatus] of [
    ['reject', 'rejected'],
    ['review', 'under_review'],
    ['request_document', 'action_required'],
    ['approve', 'approved'],
    ['pause', 'paused'],
    ['request_questionnaire', 'action_required'],
    ['restrict_deposits', 'paused'],
    ['offboard', 'offboarded'],
  ]) {
    const answer = await call('POST', path, { externalUserId: user, decision })
    assert.deepEqual(answer.body, { data: { decided: true } })
    await world.business.reached(user, kycStatus ?? '')
  }
})

test('200 at the provider’s own sandbox an approval can be decided, and nothing else', async () => {
  await using staging = await world.replica({ config: { providerKind: 'bridge' } })
  const person = await world.business.user('submitted')
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const decide = (decision: string) =>
    request('POST', `${staging.url}${path}`, { externalUserId: person, decision }, { headers })
  const refused = await decide('reject')
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.body.error.param],
    [400, 'invalid_value', 'decision'],
  )
  const approved = await decide('approve')
  assert.deepEqual(approved.body, { data: { decided: true } })
  await world.business.reached(person, 'approved')
  const reset = await request('POST', `${staging.url}/v0/sandbox/reset`, {}, { headers })
  assert.equal(reset.status, 404, reset.text)
})

test('422 a provider without a test environment decides nothing, and is not asked', async () => {
  const lacking = { testing: null }
  await using staging = await world.replica({
    config: { providerKind: 'bridge' },
    adapt: (made) => ({ ...made, ...lacking, during: (turn) => ({ ...made.during(turn), ...lacking }) }),
  })
  const person = await world.business.user('submitted')
  await world.provider.fails({ path: '/simulate_kyc_approval$', mode: 'delay', delay_ms: 0, times: 9 })
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const body = { externalUserId: person, decision: 'approve' }
  assertError(await request('POST', `${staging.url}${path}`, body, { headers }), 422, 'not_offered')
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 0)
  await world.provider.recovers()
})

test('200 one endorsement alone can be revoked', async () => {
  const person = await world.business.user('submitted')
  await call('POST', path, { externalUserId: person, decision: 'approve' })
  await world.business.reached(person, 'approved')
  const body = { externalUserId: person, decision: 'revoke_endorsement', endorsement: 'sepa' }
  assert.equal((await call('POST', path, body)).status, 200)
  await until('eur', async () => {
    const { rails } = (await call('GET', `/v0/end-users/${person}`)).body.data
    return rails.eur === 'revoked' && rails.usd === 'active'
  })
})

test('400 an unknown decision, a missing end-user', async () => {
  assertError(await call('POST', path, { externalUserId: user, decision: 'bribe' }), 400, 'invalid_value', {
    param: 'decision',
    message: /approve, reject/,
  })
  assertError(await call('POST', path, { decision: 'approve' }), 400, 'missing_field', { param: 'externalUserId' })
})

test('409 a repeat whose Idempotency-Key is still running is told to wait, and then gets the one answer', async () => {
  const person = await world.business.user('submitted')
  const decide = () =>
    call(
      'POST',
      path,
      { externalUserId: person, decision: 'approve' },
      { headers: { 'idempotency-key': 'one-decision' } },
    )
  world.provider.freeze()
  const first = decide()
  try {
    await world.keyHeld('one-decision')
    assertError(await decide(), 409, 'idempotency_in_progress')
  } finally {
    world.provider.thaw()
  }
  const answered = await first
  assert.equal(answered.status, 200)
  assert.equal((await decide()).text, answered.text)
})

test('422 an end-user who has submitted nothing cannot be decided upon', async () => {
  const answer = await call('POST', path, { externalUserId: await world.business.user(), decision: 'approve' })
  assertError(answer, 422, 'kyc_not_resubmittable')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await call('POST', path, { externalUserId: user, decision: 'approve' }), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await call('POST', path, { externalUserId: user, decision: 'approve' }), 503, 'provider_unavailable')
})

test('404 live, nothing can be decided by hand', async () => {
  const live = { providerKind: 'bridge', mode: 'live' } as const
  await using server = await world.replica({ config: live })
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const ruling = { externalUserId: 'nobody', decision: 'approve' }
  const answer = await request('POST', `${server.url}/v0/sandbox/kyc-decisions`, ruling, { headers })
  assert.equal(answer.status, 404, answer.text)
})
