// GET /v0/stats: what it says is what the rows say, whatever died while they were written.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { only } from '../../src/platform/postgres/database.ts'
import type { Query } from '../../src/platform/postgres/query.ts'
import { stepSql } from '../../src/stats/attempts.sql.ts'
import { addChanges, countAttempts, countDeposits } from '../../src/stats/store.ts'
import { type Answer, assertError, request, until } from '../caller.ts'
import { freshUserId } from '../people.ts'
import { startServe } from '../serve-process.ts'
import { openWorld } from '../world.ts'

const retries = { WEBHOOK_RETRY_SECONDS: '0.1,0.1' }
const world = await openWorld({ alone: true, env: retries })
after(() => world.stop())
const { call } = world.business
const path = '/v0/stats'
const { db } = world.inside
const rowsOf = async <T extends object>(work: (query: Query) => Promise<T[]>): Promise<T[]> => [
  ...(await db.read(work)),
]

type Stats = {
  from: string
  to: string
  interval: string
  endUsers: { total: number; byStatus: Record<string, number> }
  virtualAccounts: { total: number; byStatus: Record<string, number> }
  deposits: { at: string; status: string; currency: string; count: number; volume: { value: string } }[]
  endpoints: (AttemptStats & {
    webhookEndpointId: string
    backlog: number
    history: (AttemptStats & { at: string })[]
  })[]
}
type AttemptStats = { attempts: number; successRate: number; p50Ms: number; p95Ms: number }

const statsOf = async (key: string, query = ''): Promise<Stats> =>
  (await call('GET', `${path}${query}`, undefined, { key })).body.data

/** The same from the rows themselves, for the days of now. */
async function recount(businessId: string, span: 'hour' | 'day') {
  const byStatus = async (rows: Promise<{ state: string; count: number }[]>) =>
    Object.fromEntries((await rows).map(({ state, count }) => [state, count]))
  const deposits = await rowsOf(
    (query) => query`
      select to_char(date_trunc(${span}, created_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, status, source_currency as currency,
        count(*)::int as count, coalesce(sum((state->'activities'->0->>'amount')::numeric), 0)::float8 as volume
      from deposits where business_id = ${businessId} group by 1, 2, 3 order by 1, 2, 3`,
  )
  const attempts = await rowsOf(
    (query) => query`
      with attempts as (
        select endpoint_id, started_at, status = 'delivered' as ok, duration_ms from finished_deliveries
          where business_id = ${businessId} and started_at is not null
        union all
        select coalesce(d.endpoint_id, f.endpoint_id), a.started_at, coalesce(a.http_status between 200 and 299, false), a.duration_ms
        from delivery_attempts a left join deliveries d on d.id = a.delivery_id left join finished_deliveries f on f.id = a.delivery_id
        where a.business_id = ${businessId}
      ), timed as (
        select endpoint_id, to_char(date_trunc(${span}, started_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, ok,
          (${stepSql(query)})::int as ms from attempts
      )
      select endpoint_id as webhook_endpoint_id, at, count(*)::int as attempts, round(avg(ok::int), 4)::float8 as success_rate,
        percentile_disc(0.5) within group (order by ms) as p50_ms, percentile_disc(0.95) within group (order by ms) as p95_ms
      from timed group by grouping sets ((endpoint_id, at), (endpoint_id)) order by endpoint_id, at nulls first`,
  )
  return {
    endUsers: await byStatus(
      rowsOf(
        (query) => query`
          select kyc_status as state, count(*)::int as count from end_users where business_id = ${businessId} group by 1`,
      ),
    ),
    virtualAccounts: await byStatus(
      rowsOf(
        (query) => query`
          select status as state, count(*)::int as count from virtual_accounts where business_id = ${businessId} group by 1`,
      ),
    ),
    deposits,
    attempts,
  }
}

async function assertAgrees(businessId: string, key: string): Promise<Stats> {
  for (const interval of ['hour', 'day'] as const) {
    const stats = await statsOf(key, `?interval=${interval}`)
    const { attempts, ...rows } = await recount(businessId, interval)
    assert.deepEqual(
      {
        endUsers: stats.endUsers.byStatus,
        virtualAccounts: stats.virtualAccounts.byStatus,
        deposits: stats.deposits.map(({ volume, ...deposit }) => ({ ...deposit, volume: Number(volume.value) })),
      },
      rows,
    )
    const shown = stats.endpoints.flatMap(({ webhookEndpointId, backlog: _, history, ...whole }) =>
      whole.attempts === 0
        ? []
        : [{ webhookEndpointId, at: null, ...whole }, ...history.map((one) => ({ webhookEndpointId, ...one }))],
    )
    assert.deepEqual(shown, attempts)
  }
  return await statsOf(key)
}

const changesLeft = async () =>
  (await rowsOf((query) => query`select 1 from count_changes where business_id = ${world.business.id} limit 1`)).length

test('200 end-users, accounts, deposits and deliveries are counted by state, before and after the loop has added them', async () => {
  const { id: customerId, apiKey } = world.business
  const users = await Promise.all([world.business.user('approved'), world.business.user(), world.business.user()])
  const account = await world.business.account(users[0] ?? '')
  await world.business.deposit(account['id'] ?? '', { amount: '10.25' }, 'completed')
  await world.business.deposit(account['id'] ?? '', { amount: '2.50' }, 'completed')
  await world.business.deposit(account['id'] ?? '', { amount: '7.00', outcome: 'in_review' }, 'in_review')
  await until('the deliveries', async () => {
    const [row] = await rowsOf<{ waiting: number }>(
      (query) => query`select count(*)::int as waiting from deliveries where business_id = ${customerId}`,
    )
    return row?.waiting === 0
  })
  const stats = await assertAgrees(customerId, apiKey)
  assert.deepEqual(stats.endUsers, { total: 3, byStatus: { approved: 1, not_started: 2 } })
  assert.deepEqual(stats.virtualAccounts, { total: 1, byStatus: { active: 1 } })
  const { at, ...completed } = stats.deposits.find(({ status }) => status === 'completed') ?? { at: '' }
  assert.match(at, /T00:00:00\.000Z$/)
  assert.deepEqual(completed, {
    status: 'completed',
    currency: 'usd',
    count: 2,
    volume: { value: '12.75', currency: 'usd' },
  })
  assert.equal(stats.endpoints[0]?.successRate, 1)
  assert.equal(stats.endpoints[0]?.backlog, 0)
  while ((await db.read((query) => addChanges(query, 100))) > 0);
  assert.equal(await changesLeft(), 0)
  assert.deepEqual(await statsOf(apiKey), stats)
  await call('DELETE', `/v0/end-users/${users[2]}`)
  await assertAgrees(customerId, apiKey)
})

test('200 after a storm of writes and kill -9 in between, the counts are those of the rows', async () => {
  await using subscriber = await world.subscriber()
  subscriber.receiver.reply = () => (subscriber.receiver.seen.length % 3 === 0 ? 500 : 200)
  const headers = { authorization: `Bearer ${subscriber.apiKey}` }
  const answered: string[] = []
  for (let round = 0; round < 2; round++) {
    await using server = await startServe(world, retries)
    let isKilled = false
    const adding = (async () => {
      while (!isKilled) await db.read((query) => addChanges(query, 7))
    })()
    const write = async (): Promise<void> => {
      while (!isKilled) {
        const body = { externalUserId: freshUserId() }
        const made = await request('POST', `${server.url}/v0/end-users`, body, { headers }).catch(() => null)
        if (made?.status !== 200) continue
        answered.push(body.externalUserId)
        if (answered.length % 4 === 0)
          await request('DELETE', `${server.url}/v0/end-users/${body.externalUserId}`, undefined, { headers }).catch(
            () => null,
          )
        await request('POST', `${server.url}/v0/webhooks/provider`, subscriber.event()).catch(() => null)
      }
    }
    const writers = Array.from({ length: 4 }, write)
    const goal = answered.length + 20
    await until('writes', () => answered.length >= goal)
    await server.kill()
    isKilled = true
    await Promise.all([...writers, adding])
  }
  assert.ok(answered.length >= 40)
  await until(
    'the deliveries',
    async () => {
      const rows = await rowsOf((query) => query`select 1 from deliveries where business_id = ${subscriber.id}`)
      return rows.length === 0
    },
    60_000,
  )
  const before = await assertAgrees(subscriber.id, subscriber.apiKey)
  assert.ok((before.endpoints[0]?.successRate ?? 1) < 1)
  while ((await db.read((query) => addChanges(query, 5_000))) > 0);
  await assertAgrees(subscriber.id, subscriber.apiKey)
})

test('200 two replicas add the same changes once', async () => {
  const { apiKey: key, id: customerId, user: newUser } = await world.otherBusiness()
  for (let number = 0; number < 20; number++) await newUser()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while ((await db.read((query) => addChanges(query, 3))) > 0);
    }),
  )
  assert.deepEqual((await assertAgrees(customerId, key)).endUsers, { total: 20, byStatus: { not_started: 20 } })
})

test('200 a range is widened to whole hours or days, and only what lies in it is counted', async () => {
  const key = world.business.apiKey
  const old = await statsOf(key, '?from=2026-01-01T05:06:07Z&to=2026-01-03T00:00:00.001Z')
  assert.deepEqual([old.from, old.to], ['2026-01-01T00:00:00.000Z', '2026-01-04T00:00:00.000Z'])
  assert.deepEqual([old.deposits, old.endpoints[0]?.attempts, old.endpoints[0]?.successRate], [[], 0, null])
  const hours = await statsOf(key, '?interval=hour')
  assert.equal(Date.parse(hours.to) - Date.parse(hours.from), 24 * 3_600_000)
})

test('200 another business sees nothing of it', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { endUsers, virtualAccounts, deposits, endpoints } = await statsOf(key)
  const none = { total: 0, byStatus: {} }
  assert.deepEqual([endUsers, virtualAccounts, deposits, endpoints], [none, none, [], []])
})

test('400 a bad interval, time or range is refused by name', async () => {
  for (const [query, param] of [
    ['interval=week', 'interval'],
    ['from=now', 'from'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['to=2026-06-30T23:59:60Z', 'to'],
  ]) {
    const answer: Answer = await call('GET', `${path}?${query}`)
    assertError(answer, 400, 'invalid_query')
    assert.equal(answer.body.error.details[0].param, param)
  }
})

test('a long history is read by the key of the counts alone', async () => {
  const { id: customerId } = await world.otherBusiness()
  await rowsOf(
    (query) => query`
      insert into counts (business_id, subject, span, begins_at, object_id, state, unit, count, volume)
      select ${customerId}, subject, 'hour', now() - make_interval(hours => n), '', 'completed', '10', 1, 1
      from generate_series(1, 20000) n, (values ('deposit'), ('attempt')) s (subject)`,
  )
  await rowsOf((query) => query.unsafe('analyze counts'))
  const read = async (query: Query) =>
    only(
      await query<{ bySequence: number; byIndex: number }[]>`
        select sum(seq_tup_read)::int as by_sequence, sum(idx_tup_fetch)::int as by_index
        from pg_stat_xact_user_tables where relname in ('counts', 'count_changes')`,
    )
  await db.transaction(async (tx) => {
    const before = await read(tx)
    const to = new Date()
    const range = { span: 'hour', from: new Date(to.getTime() - 24 * 3_600_000), to } as const
    await countDeposits(tx, customerId, range)
    await countAttempts(tx, customerId, range)
    const now = await read(tx)
    assert.equal(now.bySequence - before.bySequence, 0)
    assert.ok(now.byIndex - before.byIndex < 200, `${now.byIndex - before.byIndex} rows`)
  })
})
