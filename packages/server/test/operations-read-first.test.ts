// Changes of an account at a provider without keys: a lost change is read before it is sent again.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { adapted } from './adapted.ts'
import { assertError, until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
await world.server.stop()

let sent = 0
let reads = 0
const replica = await world.replica({
  config: { port: Number(new URL(world.url).port) },
  adapt: adapted(({ accounts, traits }) => ({
    traits: {
      ...traits,
      repeats: {
        ...traits.repeats,
        'virtual_account.deactivate': 'read_first',
        'virtual_account.reactivate': 'read_first',
      },
      keyLifeMs: null,
    },
    accounts: {
      ...accounts,
      switch(customerId, id, to) {
        sent += 1
        return accounts.switch(customerId, id, to, { key: randomUUID() })
      },
      read(...given) {
        reads += 1
        return accounts.read(...given)
      },
    },
  })),
})
after(() => replica.stop())
beforeEach(() => {
  sent = 0
  reads = 0
})

/** Switches an open account off, and loses the response in this way. @returns the account */
async function loseSwitch(mode: 'cut_before' | 'cut_after') {
  const person = await world.business.user('approved')
  const { id } = await world.business.account(person)
  await world.provider.fails({ method: 'POST', path: '/deactivate$', mode })
  assertError(await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`), 504, 'provider_timeout')
  return String(id)
}

/** Lets the operation be taken over now. */
async function resume(id: string): Promise<void> {
  await world.rows`update operations set lease_until = now() where subject_id = ${id} and state = 'unknown'`
  replica.inside.wake('resume')
}

async function readAgain(id: string): Promise<void> {
  const before = reads
  await until('a reading', async () => {
    await resume(id)
    return reads > before
  })
}

async function settled(id: string): Promise<void> {
  await until('the outcome', async () => {
    await resume(id)
    const rows = await world.rows`select 1 from operations where subject_id = ${id} and state in ('running', 'unknown')`
    return rows.length === 0
  })
}

test('504 a switch that was made is found, and nothing is sent again', async () => {
  const id = await loseSwitch('cut_after')
  await settled(id)
  await world.business.accountReached(id, 'deactivated')
  assert.equal(sent, 1)
})

test('504 a switch that was not made is sent again, once the first request can no longer arrive', async () => {
  const id = await loseSwitch('cut_before')
  await readAgain(id)
  await readAgain(id)
  assert.equal(sent, 1, 'the first request may still arrive')
  await until('an operation that waits', async () => {
    const aged = await world.rows`
      update operations set created_at = created_at - interval '4 seconds' where subject_id = ${id} and state = 'unknown' returning id`
    return aged.length > 0
  })
  await settled(id)
  await world.business.accountReached(id, 'deactivated')
  assert.equal(sent, 2)
})
