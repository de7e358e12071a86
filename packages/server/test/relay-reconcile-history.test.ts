// A provider without a record of events: the history of all accounts brings the deposits that no webhook told.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { heldIds, makeDeposits, ordinaryPull, pullState, recordedIds, withoutDates } from './reconcile-world.ts'
import { fault, providerEvents, providerIdsOf, silenceProvider } from './relay-provider.ts'
import { relayWorld } from './relay-world.ts'
import { approvedUser, openAccount, until } from './test-world.ts'

const world = await relayWorld({ RECONCILE_PERIOD_SECONDS: '1' })
after(() => world.stop())
let account: Record<string, string> = {}
let ids = { customer: '', account: '' }
const behave = (order: object) => world.control('POST', '/behaviour', order)

before(async () => {
  account = await openAccount(world, await approvedUser(world))
  ids = await providerIdsOf(world, account['id'] ?? '')
  await until('a quiet record', async () => (await heldIds(world)).length === (await recordedIds(world)).length)
  await silenceProvider(world)
  // The walk that reads everything again would find the deposits as well, once a day.
  await world.rows(
    (query) =>
      query`update reread_walk set due_at = now() + interval '1 day', began_at = null, ended_at = now() returning id`,
  )
  await behave({ webhook_events_absent: true })
})

/** By the provider's id of the deposit. */
async function statuses(): Promise<Map<string, string>> {
  const rows = await world.rows<{ id: string; status: string }>(
    (query) => query`select provider_deposit_id as id, status from deposits`,
  )
  return new Map(rows.map(({ id, status }) => [id, status]))
}

async function allCompleted(): Promise<string[]> {
  const steps = (await providerEvents(world)).map(({ event_object: step }) => step)
  const made = new Set(steps.flatMap((step) => (typeof step['deposit_id'] === 'string' ? [step['deposit_id']] : [])))
  await until('all deposits', async () => {
    const known = await statuses()
    return [...made].every((id) => known.get(id) === 'completed')
  })
  return [...made]
}

test('deposits of which no webhook told, more than a page of them, are found within the period', async () => {
  // An eager pull applies young steps too, and does not count them as missed: their webhooks may still arrive. So the
  // deposits are made when the next pull is an ordinary one.
  await ordinaryPull(world)
  const before = (await heldIds(world)).length
  await makeDeposits(world, ids.account, 45)
  const made = await allCompleted()
  assert.equal(made.length, 45)
  assert.equal((await heldIds(world)).length, before, 'nothing came as an event')
  await until('the log line', () => world.logLines.some((line) => line.includes('events missed by webhooks')))
})

test('each is told to the business once, however often the history is read', async () => {
  await makeDeposits(world, ids.account, 1)
  const made = await allCompleted()
  const { fence } = await pullState(world)
  await until('three more looks', async () => (await pullState(world)).fence > fence + 3)
  const told = await world.rows<{ deposit: string }>(
    (query) => query`select virtual_account_id as deposit from events where type = 'virtual_account.payment.received'`,
  )
  assert.equal(told.length, made.length)
})

test('where its responses carry no Date, the deposits are found as well', async () => {
  using _ = withoutDates(/^\/v0\/virtual_accounts\/history/)
  await ordinaryPull(world)
  await makeDeposits(world, ids.account, 1)
  await allCompleted()
})

test('a history that cannot be read for some looks delays them and loses nothing', async () => {
  await fault(world, { path: '^/v0/virtual_accounts/history$', mode: 'status', times: 2, status: 503 })
  await makeDeposits(world, ids.account, 1)
  await until('a look that failed', async () => (await pullState(world)).failures > 0)
  await allCompleted()
})

test('once the provider has a record of events, it is read', async () => {
  await behave({ webhook_events_absent: false })
  await until('the record', async () => (await heldIds(world)).length === (await recordedIds(world)).length)
})
