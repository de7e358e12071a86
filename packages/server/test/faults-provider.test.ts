// The line to the provider fails in every way a network can while an account is opened: the caller is told so honestly, and
// its repeats, with us or without, come to one account upstream, one here, and one event.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Fault } from '../../proof/src/fault-proxy/faults.ts'
import { accountOf, countsOf, faultsWorld, isHonest } from './faults-world.ts'
import { accountPath, fault, providerAccountIds } from './relay-provider.ts'
import { until } from './test-world.ts'

const world = await faultsWorld()
after(() => world.stop())
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
    const before = (await providerAccountIds(world)).length
    const { key, body } = accountOf(world)
    if (order.kind === 'refuse') await world.toProvider.set({ kind: 'reset' })
    await world.toProvider.set(order)
    const answer = await world.ask('POST', path, key, body)
    assert.ok(isHonest(answer), `${answer.status} ${answer.text}`)
    const again = await world.ask('POST', path, key, body)
    assert.ok(isHonest(again) || again.status === 409, `${again.status} ${again.text}`)
    await world.toProvider.heal()
    const final = await world.askUntilFinal('POST', path, key, body)
    assert.equal(final.status, 200, final.text)
    assert.equal(final.body.data.status, 'active')
    assert.deepEqual(await countsOf(world, final.body.data.id), { upstream: before + 1, events: 1 })
    const repeated = await world.ask('POST', path, key, body)
    assert.equal(repeated.text, final.text)
  })
}

test('slow, and in time: the caller gets its account', async () => {
  await world.toProvider.set({ kind: 'latency', ms: 60, jitterMs: 60 })
  const { key, body } = accountOf(world)
  const answer = await world.ask('POST', path, key, body)
  await world.toProvider.heal()
  assert.equal(answer.status, 200, answer.text)
})

test('the answer was cut and nobody asks again: the account is opened by itself, once', async () => {
  const before = (await providerAccountIds(world)).length
  const { key, body } = accountOf(world)
  await world.toProvider.set({ kind: 'cut', direction: 'toClient', afterBytes: 0 })
  assert.ok(isHonest(await world.ask('POST', path, key, body)))
  const healedMs = performance.now()
  await world.toProvider.heal()
  const opened = await until(
    'the account',
    async () => {
      const { data } = (await world.call('GET', `${path}?externalUserId=${world.externalUserId}`)).body
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
  assert.deepEqual(await countsOf(world, opened.id), { upstream: before + 1, events: 1 })
})

test('a repeat that comes while an unknown outcome is being looked into is told to wait, and makes no second account', async () => {
  const before = (await providerAccountIds(world)).length
  const { key, body } = accountOf(world)
  await fault(world, { method: 'POST', path: accountPath, mode: 'cut_after' })
  await fault(world, { method: 'POST', path: accountPath, mode: 'delay', delay_ms: 800 })
  assert.ok(isHonest(await world.ask('POST', path, key, body)))
  await until('the second try', async () =>
    (await world.control('GET', '/faults')).body.data.every((one: { hits: number }) => one.hits === 1),
  )
  const repeats = await Promise.all([world.ask('POST', path, key, body), world.ask('POST', path, `${key}-other`, body)])
  for (const repeat of repeats) assert.equal(repeat.body.error?.code, 'account_change_in_progress', repeat.text)
  const final = await world.askUntilFinal('POST', path, key, body)
  assert.deepEqual(await countsOf(world, final.body.data.id), { upstream: before + 1, events: 1 })
})

for (const racers of [2, 8, 64]) {
  test(`${racers} racers with one key, on two replicas and a line that fails once: one account, and one answer or 409`, async () => {
    const before = (await providerAccountIds(world)).length
    const { key, body } = accountOf(world)
    await world.toProvider.set({ kind: 'cut', direction: 'toClient', afterBytes: 10 }, 'standing')
    const headers = { 'idempotency-key': key }
    const answers = await Promise.all(
      Array.from({ length: racers }, (_, at) =>
        at % 2 === 0 ? world.ask('POST', path, key, body) : world.call('POST', path, body, { headers }),
      ),
    )
    await world.toProvider.heal()
    const final = await world.askUntilFinal('POST', path, key, body)
    assert.equal(final.status, 200, final.text)
    for (const answer of answers) {
      const isSame = answer.status === 200 && answer.body.data.id === final.body.data.id
      assert.ok(isSame || answer.status === 409 || isHonest(answer), `${answer.status} ${answer.text}`)
    }
    assert.deepEqual(await countsOf(world, final.body.data.id), { upstream: before + 1, events: 1 })
  })
}
