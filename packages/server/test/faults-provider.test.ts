// The connection to the provider fails in every way a network can while an account is opened. The caller gets a correct
// error, and retries, by the caller or by Causeway, lead to one account upstream, one here, and one event.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Fault } from '../../proof/src/rig/network/faults.ts'
import { until } from './caller.ts'
import { faultyLines, isHonest, shortWaits } from './faulty-lines.ts'
import { accountPath } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: shortWaits })
const lines = await faultyLines(world)
after(async () => {
  await lines[Symbol.asyncDispose]()
  await world.stop()
})
const path = '/v0/virtual-accounts'

const faults: Record<string, Fault> = {
  'is cut before the request is out': { kind: 'cut', direction: 'toServer', afterBytes: 40 },
  'is cut before the answer: the provider has done it': { kind: 'cut', direction: 'toClient', afterBytes: 0 },
  'is cut within the answer': { kind: 'cut', direction: 'toClient', afterBytes: 120 },
  'swallows the request': { kind: 'blackHole', direction: 'toServer' },
  'swallows the answer': { kind: 'blackHole', direction: 'toClient' },
  stalls: { kind: 'stall' },
  'is half-open, the provider’s side closed': { kind: 'halfOpen', closed: 'server' },
  'refuses, and what stood is reset': { kind: 'refuse' },
  'crawls with 300 bytes a second': { kind: 'bandwidth', bytesPerSecond: 300 },
}

for (const [how, order] of Object.entries(faults)) {
  test(`a line to the provider that ${how}`, async () => {
    const before = (await world.provider.accountIds()).length
    const { key, body } = lines.account()
    if (order.kind === 'refuse') await lines.toProvider.set({ kind: 'reset' })
    await lines.toProvider.set(order)
    const answer = await lines.ask('POST', path, key, body)
    assert.ok(isHonest(answer), `${answer.status} ${answer.text}`)
    const again = await lines.ask('POST', path, key, body)
    assert.ok(isHonest(again) || again.status === 409, `${again.status} ${again.text}`)
    await lines.toProvider.heal()
    const final = await lines.askUntilFinal('POST', path, key, body)
    assert.equal(final.status, 200, final.text)
    assert.equal(final.body.data.status, 'active')
    assert.deepEqual(await lines.countsOf(final.body.data.id), { upstream: before + 1, events: 1 })
    const repeated = await lines.ask('POST', path, key, body)
    assert.equal(repeated.text, final.text)
  })
}

test('slow, and in time: the caller gets its account', async () => {
  await lines.toProvider.set({ kind: 'latency', ms: 60, jitterMs: 60 })
  const { key, body } = lines.account()
  const answer = await lines.ask('POST', path, key, body)
  await lines.toProvider.heal()
  assert.equal(answer.status, 200, answer.text)
})

test('the answer was cut and nobody asks again: the account is opened by itself, once', async () => {
  const before = (await world.provider.accountIds()).length
  const { key, body } = lines.account()
  await lines.toProvider.set({ kind: 'cut', direction: 'toClient', afterBytes: 0 })
  assert.ok(isHonest(await lines.ask('POST', path, key, body)))
  const healedMs = performance.now()
  await lines.toProvider.heal()
  const opened = await until(
    'the account',
    async () => {
      const { data } = (await world.business.call('GET', `${path}?externalUserId=${lines.externalUserId}`)).body
      const [newest] = data
      return (
        newest.developerFeePercent === (body as Record<string, string>)['developer_fee_percent'] &&
        newest.status === 'active' &&
        newest
      )
    },
    60_000,
  )
  assert.ok(performance.now() - healedMs < 60_000)
  assert.deepEqual(await lines.countsOf(opened.id), { upstream: before + 1, events: 1 })
})

test('a repeat that comes while an unknown outcome is being looked into is told to wait, and makes no second account', async () => {
  const before = (await world.provider.accountIds()).length
  const { key, body } = lines.account()
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'cut_after' })
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'delay', delay_ms: 800 })
  assert.ok(isHonest(await lines.ask('POST', path, key, body)))
  await until('the second try', async () =>
    (await world.provider.control('GET', '/faults')).body.data.every((one: { hits: number }) => one.hits === 1),
  )
  const repeat = await lines.ask('POST', path, key, body)
  assert.equal(repeat.body.error?.code, 'account_change_in_progress', repeat.text)
  const final = await lines.askUntilFinal('POST', path, key, body)
  assert.deepEqual(await lines.countsOf(final.body.data.id), { upstream: before + 1, events: 1 })
})

for (const racers of [2, 8, 64]) {
  test(`${racers} racers with one key, on two replicas and a line that fails once: one account, and one answer or 409`, async () => {
    const before = (await world.provider.accountIds()).length
    const { key, body } = lines.account()
    await lines.toProvider.set({ kind: 'cut', direction: 'toClient', afterBytes: 10 }, 'standing')
    const headers = { 'idempotency-key': key }
    const answers = await Promise.all(
      Array.from({ length: racers }, (_, at) =>
        at % 2 === 0 ? lines.ask('POST', path, key, body) : world.business.call('POST', path, body, { headers }),
      ),
    )
    await lines.toProvider.heal()
    const final = await lines.askUntilFinal('POST', path, key, body)
    assert.equal(final.status, 200, final.text)
    for (const answer of answers) {
      const isSame = answer.status === 200 && answer.body.data.id === final.body.data.id
      assert.ok(isSame || answer.status === 409 || isHonest(answer), `${answer.status} ${answer.text}`)
    }
    assert.deepEqual(await lines.countsOf(final.body.data.id), { upstream: before + 1, events: 1 })
  })
}
