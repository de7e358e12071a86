// POST /v0/sandbox/deposits/{id}/advance

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, provider: 'process', env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const user = await world.business.user('approved')
const { id: account = '' } = await world.business.account(user)
const advance = (id: string, to = 'next', key?: string) =>
  call('POST', `/v0/sandbox/deposits/${id}/advance`, { to }, key === undefined ? {} : { key })
const ends = (id: string, status: string) =>
  until(status, async () => (await call('GET', `/v0/deposits/${id}`)).body.data.status === status)
const inReview = async () =>
  (await world.business.deposit(account, { amount: '30.00', outcome: 'in_review' }, 'in_review')).id
let waiting = ''

test('200 a deposit in review ends as it is told to', async () => {
  for (const [to, status] of [
    ['completed', 'completed'],
    ['refunded', 'refunded'],
    ['refund_failed', 'failed'],
  ] as const) {
    const id = await inReview()
    assert.deepEqual((await advance(id, to)).body, { data: { advanced: true } })
    await ends(id, status)
  }
})

test('200 a scheduled transfer arrives', async () => {
  const [upstream] = await world.provider.accountsOf(user)
  const order = { amount: '50.41', step_ms: 3_600_000 } // automatically, it would arrive within 30 ms
  assert.equal((await world.provider.control('POST', `/virtual_accounts/${upstream?.id}/deposits`, order)).status, 200)
  const { id } = await until('the announced one', async () =>
    (await call('GET', `/v0/virtual-accounts/${account}/deposits`)).body.data.find(
      (deposit: { status: string }) => deposit.status === 'scheduled',
    ),
  )
  assert.equal((await advance(id)).status, 200)
  await until('the arrival', async () => (await call('GET', `/v0/deposits/${id}`)).body.data.status !== 'scheduled')
})

test('400 a step that is none', async () => {
  waiting = await inReview()
  assertError(await advance(waiting, 'back'), 400, 'invalid_value', { param: 'to' })
})

test('422 a deposit that is over', async () => {
  const { id } = await world.business.deposit(account, { amount: '25.00' }, 'completed')
  assertError(await advance(id, 'refunded'), 422, 'provider_rejected')
})

test('504 an emulator that accepts and never answers is a time-out', async () => {
  world.provider.freeze()
  try {
    assertError(await advance(waiting), 504, 'provider_timeout')
  } finally {
    world.provider.thaw()
  }
})

test('503 an emulator that is gone is unavailable', async () => {
  await world.provider.stop()
  assertError(await advance(waiting), 503, 'provider_unavailable')
})
