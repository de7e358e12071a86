// A provider without an event log: the history of all accounts contains the deposits that no webhook has reported.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { withoutDates } from './provider.ts'
import { heldIds, ordinaryPull, pullState } from './provider-record.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '1' } })
after(() => world.stop())
let account: Record<string, string> = {}
let ids = { customer: '', account: '' }
const behave = (order: object) => world.provider.control('POST', '/behaviour', order)

before(async () => {
  account = await world.business.account(await world.business.user('approved'))
  ids = await world.providerIdsOf(account['id'] ?? '')
  await until('a quiet record', async () => (await heldIds(world)).length === (await world.provider.eventIds()).length)
  await world.provider.fallSilent()
  // The walk that reads everything again would find the deposits as well, once a day.
  await world.rows`update reread_walk set due_at = now() + interval '1 day', began_at = null, ended_at = now() returning provider`
  await behave({ webhook_events_absent: true })
})

/** By the provider's id of the deposit. */
async function statuses(): Promise<Map<string, string>> {
  const rows = await world.rows<{ id: string; status: string }>`select provider_deposit_id as id, status from deposits`
  return new Map(rows.map(({ id, status }) => [id, status]))
}

async function allCompleted(): Promise<string[]> {
  const steps = (await world.provider.events()).map(({ event_object: step }) => step)
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
  await world.provider.deposits(ids.account, 45)
  const made = await allCompleted()
  assert.equal(made.length, 45)
  assert.equal((await heldIds(world)).length, before, 'nothing came as an event')
  await until('the log line', () => world.log.some((line) => line.includes('missed events read from the provider log')))
})

test('each is told to the business once, however often the history is read', async () => {
  await world.provider.deposits(ids.account, 1)
  const made = await allCompleted()
  const { fence } = await pullState(world)
  await until('three more looks', async () => (await pullState(world)).fence > fence + 3)
  const told = await world.rows<{ deposit: string }>`
    select virtual_account_id as deposit from events where type = 'virtual_account.payment.received'`
  assert.equal(told.length, made.length)
})

test('where its responses carry no Date, the deposits are found as well', async () => {
  using _ = withoutDates(/^\/v0\/virtual_accounts\/history/)
  await ordinaryPull(world)
  await world.provider.deposits(ids.account, 1)
  await allCompleted()
})

test('a history that cannot be read for some looks delays them and loses nothing', async () => {
  await world.provider.fails({ path: '^/v0/virtual_accounts/history$', mode: 'status', times: 2, status: 503 })
  await world.provider.deposits(ids.account, 1)
  await until('a look that failed', async () => (await pullState(world)).failures > 0)
  await allCompleted()
})

test('once the provider has a record of events, it is read', async () => {
  await behave({ webhook_events_absent: false })
  await until('the record', async () => (await heldIds(world)).length === (await world.provider.eventIds()).length)
})
