// Looking through the provider's record for what its webhooks did not bring: also when the provider is away in the middle of
// it, or forgot what we had read.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { until } from './caller.ts'
import { withoutDates } from './provider.ts'
import { heldIds, ordinaryPull, pullState } from './provider-record.ts'
import { openWorld, type World } from './world.ts'

describe('looking through the provider’s record', () => {
  let world: World
  let ids = { customer: '', account: '' }
  before(async () => {
    // With a period of a second an event is left to its webhook for 0.2 s.
    world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '1' } })
    const account = await world.business.account(await world.business.user('approved'))
    ids = await world.providerIdsOf(account['id'] ?? '')
    await world.provider.fallSilent()
  })
  beforeEach(() => world.provider.recovers())
  after(() => world.stop())

  const allHeld = () =>
    until('all events', async () => {
      const held = new Set(await heldIds(world))
      return (await world.provider.eventIds()).every((id) => held.has(id))
    })

  test('events that no webhook brought are taken in within the period, in the provider’s bytes', async () => {
    await world.provider.deposits(ids.account, 2)
    await allHeld()
    const rows = await world.rows<{ body: Buffer }>`
      select body from events where trust = 'verified' and type like 'virtual_account%' order by position`
    const steps = (await world.provider.events()).filter(({ event_type: type }) => type.startsWith('virtual_account'))
    assert.deepEqual(
      rows.map(({ body }) => body.toString()),
      steps.map((event) => JSON.stringify(event)),
    )
  })

  for (const mode of ['status', 'cut_before', 'garbage'] as const)
    test(`a provider that is away for some looks (${mode}) delays them and loses nothing`, async () => {
      await world.provider.fails({ path: '^/v0/webhook_events$', mode, times: 2, status: 503 })
      await world.provider.deposits(ids.account, 1)
      await until('a look that failed', async () => (await pullState(world)).failures > 0)
      await allHeld()
      await until('a look that did not', async () => (await pullState(world)).failures === 0)
    })

  test('a provider that forgot what we had read is read from its oldest event', async () => {
    await allHeld()
    // Between two pulls: one that runs would save its own cursor over this.
    await until('the forgotten event', async () => {
      const changed =
        await world.rows`update event_pull set cursor_event_id = 'wh_forgotten' where began_at is null returning provider`
      return changed.length === 1
    })
    await world.provider.deposits(ids.account, 1)
    await allHeld()
    const last = (await world.provider.eventIds()).at(-1)
    await until('the end of the record', async () => (await pullState(world)).cursorEventId === last)
    assert.ok(world.log.some((line) => line.includes('reading from the oldest')))
  })

  test('an event made just now is taken in where a look is urgent, and read again: an older one may still show up', async () => {
    await allHeld()
    const restarts = () => world.log.filter((line) => line.includes('reading from the oldest')).length
    const before = restarts()
    const young = { event_id: 'wh_young', event_type: 'test.young', event_created_at: new Date(Date.now() + 3_600_000) }
    await world.provider.fails({
      path: '^/v0/webhook_events$',
      mode: 'status',
      status: 200,
      body: { data: [young] },
      times: 100,
    })
    await until('the young event', async () => {
      await world.rows`update event_pull set eager = true returning provider`
      return (await heldIds(world)).includes('wh_young')
    })
    await world.provider.recovers()
    await world.provider.deposits(ids.account, 1)
    await allHeld()
    // The provider does not know this event, so a cursor at it would read as forgotten.
    assert.equal(restarts(), before)
  })

  test('where its responses carry no Date, the clock of the database tells which events are left to their webhooks', async () => {
    await allHeld()
    const deps = world.inside
    const { now } = deps
    deps.now = () => now() - 3_600_000
    try {
      using _ = withoutDates(/^\/v0\/webhook_events/)
      await ordinaryPull(world)
      await world.provider.deposits(ids.account, 1)
      await allHeld()
    } finally {
      deps.now = now
    }
  })

  test('an item of the record that is no event is passed over', async () => {
    const body = { data: [{ event_id: 'wh_none' }, { event_id: 'wh_odd', event_type: 7 }] }
    await world.provider.fails({ path: '^/v0/webhook_events$', mode: 'status', status: 200, body })
    await until(
      'the odd look',
      async () => (await world.provider.control('GET', '/faults')).body.data[0]?.times_left === 0,
    )
    await world.provider.deposits(ids.account, 1)
    await allHeld()
  })

  test('what was made before our first business is nobody’s, and is not taken in', async () => {
    const [oldest] = await world.provider.events()
    const id = oldest?.event_id ?? ''
    const beginsAt = new Date(Date.parse(String(oldest?.['event_created_at'])) + 1)
    await world.rows`delete from events where provider_event_id = ${id} returning id`
    await world.rows`delete from received_events where key = ${`bridge/verified:${id}`} returning key`
    await world.rows`update event_pull set begins_at = ${beginsAt}, cursor_event_id = null returning provider`
    const last = (await world.provider.eventIds()).at(-1)
    await until('the end of the record', async () => (await pullState(world)).cursorEventId === last)
    assert.ok(!(await heldIds(world)).includes(id))
  })
})
