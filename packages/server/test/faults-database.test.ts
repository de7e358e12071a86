// The connection to the database fails while an account is opened, at each of the three transactions: at COMMIT, lost
// or unanswered, and in every way a network can fail. The caller gets a correct error or the result, and retries lead
// to one account upstream, one here, and one event.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Fault } from '../../proof/src/rig/network/faults.ts'
import { until } from './caller.ts'
import { faultyLines, isHonest, shortWaits } from './faulty-lines.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: shortWaits })
const lines = await faultyLines(world)
after(async () => {
  await lines[Symbol.asyncDispose]()
  await world.stop()
})
const path = '/v0/virtual-accounts'

/** Each transaction by a statement that only it has. */
const transactions = {
  'that takes the key': 'insert into idempotency_keys',
  'that begins the account': 'insert into operations',
  'that opens it and keeps the answer': 'update idempotency_keys set status',
}

async function expectOneAccount(order: Fault, answers: (status: number) => boolean): Promise<void> {
  const before = (await world.provider.accountIds()).length
  const { key, body } = lines.account()
  await lines.toDatabase.set(order)
  const answer = await lines.ask('POST', path, key, body)
  const struck = lines.toDatabase.struck()
  await lines.toDatabase.heal()
  assert.ok(struck > 0, 'the fault did not strike')
  assert.ok(isHonest(answer) || answer.status === 200, `${answer.status} ${answer.text}`)
  assert.ok(answers(answer.status), `${answer.status} ${answer.text}`)
  const final = await lines.askUntilFinal('POST', path, key, body)
  assert.equal(final.status, 200, final.text)
  if (answer.status === 200) assert.equal(final.body.data.id, answer.body.data.id)
  const opened = await until('the account to be open', async () => {
    const account = await world.business.call('GET', `${path}/${final.body.data.id}`)
    return account.body.data.status === 'active' && account
  })
  assert.deepEqual(await lines.countsOf(opened.body.data.id), { upstream: before + 1, events: 1 })
}

for (const [which, statement] of Object.entries(transactions)) {
  for (const arrives of [true, false]) {
    test(`reset at the COMMIT of the transaction ${which}, which ${arrives ? 'arrived' : 'was lost'}`, async () => {
      await expectOneAccount({ kind: 'commit', arrives, of: statement }, (status) => status !== 200)
    })
  }
}

const faults: Record<string, Fault> = {
  'is cut before a statement': { kind: 'cut', direction: 'toServer', afterBytes: 5 },
  'is cut later, between statements': { kind: 'cut', direction: 'toServer', afterBytes: 1_500 },
  'is cut before an answer': { kind: 'cut', direction: 'toClient', afterBytes: 0 },
  'is cut within an answer': { kind: 'cut', direction: 'toClient', afterBytes: 300 },
  'is half-open, the database’s side closed': { kind: 'halfOpen', closed: 'server' },
  'swallows everything': { kind: 'blackHole' },
}

for (const [how, order] of Object.entries(faults)) {
  test(`a line to the database that ${how}`, async () => {
    await expectOneAccount(order, () => true)
  })
}

test('the key of a request that died is free again soon after that request would have been over', async () => {
  const { key, body } = lines.account()
  await lines.toDatabase.set({ kind: 'commit', arrives: true, of: 'insert into idempotency_keys' })
  assert.ok(isHonest(await lines.ask('POST', path, key, body)))
  await lines.toDatabase.heal()
  const [held] = await world.rows<{ seconds: number }>`
    select extract(epoch from lease_until - now())::float8 as seconds from idempotency_keys where key = ${key}`
  assert.ok(held, 'nothing holds the key')
  // Four calls of the provider at a second each, and 20 s for the database.
  assert.ok(held.seconds <= 24, `a repeat has to wait for ${held.seconds} s`)
  assert.equal((await lines.askUntilFinal('POST', path, key, body)).status, 200)
})

test('reads are told honestly too, and go on as soon as the line is sound', async () => {
  await lines.toDatabase.set({ kind: 'reset' })
  await lines.toDatabase.set({ kind: 'refuse' })
  const away = await lines.ask('GET', path, 'unused')
  assert.ok(isHonest(away), `${away.status} ${away.text}`)
  await lines.toDatabase.heal()
  await until('the first answer', async () => (await lines.ask('GET', path, 'unused')).status === 200)
})
