// An outage of Causeway that lasts longer than the provider's retries: nothing is lost, nothing comes twice, and the
// provider resumes its deliveries.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { heldIds, pullState } from './provider-record.ts'
import { providerIdsIn } from './receiver.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

// With a period of five seconds an event is left to its webhook for one. The provider waits longer for a response than a busy
// machine may hang.
const world = await openWorld({
  alone: true,
  env: { RECONCILE_PERIOD_SECONDS: '5' },
  sandbox: { webhookRetryMs: [20, 20], webhookTimeoutMs: 10_000 },
})
after(() => world.stop())
const port = Number(new URL(world.url).port)

let account: Record<string, string> = {}
let ids = { customer: '', account: '' }
before(async () => {
  const externalUserId = await world.business.user('approved')
  account = await world.business.account(externalUserId)
  ids = await world.providerIdsOf(account['id'] ?? '')
})

const everyDepositSettled = async () => {
  const deposits = await world.rows<{ status: string }>`select status from deposits`
  return deposits.length % 6 === 5 && deposits.every(({ status }) => status === 'completed')
}

/** The provider has given our endpoint up: all its attempts failed, and no further one is to come. */
const givenUp = async () => {
  const attempts: { status: number }[] = (await world.provider.control('GET', '/webhooks/deliveries')).body.data
  return attempts.slice(0, 3).every(({ status }) => status !== 200)
}

test('every event of an outage that outlasts the provider’s retries arrives once, and its own delivery goes on, each time', async () => {
  await using receiver = await world.business.receive()
  await until('a quiet record', async () => (await heldIds(world)).length === (await world.provider.eventIds()).length)
  const before = await world.provider.eventIds()
  const sent = async () => (await world.provider.eventIds()).filter((id) => !before.includes(id))
  let server: { stop(): Promise<unknown> } = world.server
  await using ending = new AsyncDisposableStack()
  ending.defer(async () => void (await server.stop()))
  // A late event has the provider asked to resume as well, so the second outage may follow such a request closely.
  for (const name of ['Augusta', 'Byron']) {
    const known = await sent()
    await server.stop()
    await world.provider.deposits(ids.account, 5)
    await world.provider.ask('PUT', `/customers/${ids.customer}`, { type: 'individual', first_name: name })
    await until('the provider to give up', givenUp)
    const endedAt = Date.now()
    // The provider tells its clock in whole seconds, so one is added.
    await until('the webhook to have had its time', () => Date.now() > endedAt + 2_100)
    server = await world.replica({ config: { port } })
    await until('the missed events', async () => new Set(providerIdsIn(receiver)).size === (await sent()).length)
    assert.ok((await sent()).length >= known.length + 15)
    // All of one end-user, so in the provider's order; `deepEqual` says that none came twice, too.
    assert.deepEqual(providerIdsIn(receiver), await sent())
    await until('the deposits', everyDepositSettled)

    await world.provider.deposits(ids.account, 1)
    await until('the next events', async () => providerIdsIn(receiver).length === (await sent()).length)
    // The receiver may have them before the provider has our response, which on a busy machine may take a second try.
    await until('the next events by webhook', async () => {
      const [latest] = (await world.provider.control('GET', '/webhooks/deliveries')).body.data
      return latest.status === 200
    })
    assert.deepEqual(providerIdsIn(receiver), await sent())
  }
})

test('after an outage of our database the provider’s record is read at once, not when the period is over', async () => {
  await using link = await databaseLink(world.database)
  await using server = await world.replica({ config: { port, reconcilePeriodSeconds: 300 }, database: link.connection })
  await until('the first look', async () => {
    const rows = await world.rows<{ far: boolean }>`
      select due_at > now() + interval '40 seconds' as far from event_pull`
    return rows[0]?.far === true
  })
  const before = (await world.provider.eventIds()).length
  link.cut()
  server.inside.wake('reconcile') // its own interval is 30 s, and this provider gives up sooner than that
  await world.provider.deposits(ids.account, 1)
  await until('the provider to give up', givenUp)
  link.restore()
  await until(
    'the missed events',
    async () => (await heldIds(world)).length === (await world.provider.eventIds()).length,
  )
  assert.ok((await heldIds(world)).length >= before + 3)
})

test('an outage that begins after a look, before the loop knows when the next is due, is noticed as well', async () => {
  await using link = await databaseLink(world.database)
  const cut = link.cutAt('greatest(lease_until')
  await using _ = await world.replica({ config: { port, reconcilePeriodSeconds: 300 }, database: link.connection })
  await cut
  const before = (await world.provider.eventIds()).length
  await world.provider.deposits(ids.account, 1)
  await until('the provider to give up', givenUp)
  link.restore()
  await until(
    'the missed events',
    async () => (await heldIds(world)).length === (await world.provider.eventIds()).length,
  )
  assert.ok((await heldIds(world)).length >= before + 3)
})

test('a pull whose server is killed is gone on with by another, and nothing is lost or doubled', async () => {
  await world.provider.fallSilent()
  await world.provider.deposits(ids.account, 110)
  const recorded = await world.provider.eventIds()
  await world.provider.fails({ path: '^/v0/webhook_events$', mode: 'delay', delay_ms: 400, times: 20 })
  {
    await using server = await startServe(world, { RECONCILE_PERIOD_SECONDS: '5', PROVIDER_TIMEOUT_MS: '1000' })
    await until('a page to be taken in', async () => (await pullState(world)).readEventId !== null)
    await server.kill()
  }
  const held = (await heldIds(world)).length
  assert.ok(held < recorded.length, `killed in the middle: ${held} of ${recorded.length}`)
  const { readEventId } = await pullState(world)
  assert.ok(readEventId !== null)
  await using _ = await world.replica()
  await until('the rest', async () => (await heldIds(world)).length === recorded.length)
  assert.deepEqual((await heldIds(world)).toSorted(), recorded.toSorted())
  await until('the end of the pull', async () => (await pullState(world)).beganAt === null)
})

test('of two replicas that start at once, one reads the record', async () => {
  await world.rows`update event_pull set cursor_event_id = null, eager = true returning provider`
  await world.provider.recovers()
  await world.provider.fails({ path: '^/v0/webhook_events$', mode: 'delay', delay_ms: 50, times: 1_000 })
  const pages = Math.ceil((await world.provider.eventIds()).length / 200) + 1
  const replicas = await Promise.all([world.replica(), world.replica()])
  const last = (await world.provider.eventIds()).at(-1)
  await until('the end of the record', async () => (await pullState(world)).cursorEventId === last)
  for (const replica of replicas) await replica.stop()
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  // Each start requests a pull: the second may find nothing, in one look.
  assert.ok(hits >= pages - 1 && hits <= pages + 1, `${hits} looks for ${pages} pages`)
})
