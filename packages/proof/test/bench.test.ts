// The bench proved: rows that do not match what was acknowledged are found, and figures are read as they are written.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import type { Database } from '../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../server/src/platform/postgres/db.ts'
import { type TestDatabase, testDatabase } from '../../server/test/test-database.ts'
import { clearWaiting } from '../src/bench/database-server.ts'
import { makeEvents, type ProviderEvent } from '../src/bench/events.ts'
import { takeInBacklog } from '../src/bench/figures/backlog.ts'
import { checkDelivered, checkTakenIn, type Mark, markOf } from '../src/bench/ledger.ts'
import { seedTenants, type Tenant } from '../src/bench/product.ts'
import { figuresOf, isReached, type Ratio, Rounds } from '../src/bench/ratio.ts'
import { jsonOf } from '../src/bench/report.ts'
import { ticksOfTree, ticksPerSecond } from '../src/processor-time.ts'

let database: TestDatabase
let db: Database
let tenants: Tenant[]

before(async () => {
  database = await testDatabase()
  db = openDatabase(database.connection, { poolMax: 3 })
  tenants = await seedTenants(db, ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/b'])
})

after(async () => {
  await db.close()
  await database.drop()
})

const allAcknowledged = (count: number, status = 200) => ({
  ms: 1,
  statuses: new Uint16Array(count).fill(status),
  latenciesMs: new Float64Array(count),
})

async function takeInTwenty(prefix: string): Promise<{ mark: Mark; events: ProviderEvent[] }> {
  await clearWaiting(db)
  const mark = await markOf(db)
  const events = makeEvents(prefix, 20, tenants)
  await takeInBacklog(db, events)
  return { mark, events }
}

test('an event of the bench has about a kilobyte and is unlike every other', () => {
  const events = makeEvents('size', 500, tenants)
  assert.equal(new Set(events.map(({ body }) => body.toString())).size, 500)
  for (const { body } of events) assert.ok(body.length > 900 && body.length < 1_200, `${body.length} bytes`)
})

test('a round whose rows match is passed', async () => {
  const { mark, events } = await takeInTwenty('fine')
  await checkTakenIn(db, mark, events, allAcknowledged(20))
})

const faults: readonly (readonly [what: string, spoil: string, complaint: RegExp])[] = [
  ['an event is lost', 'delete from events where id in (select max(id) from events)', /^events: not as many/],
  [
    'a delivery is lost',
    'delete from deliveries where sequence in (select max(sequence) from deliveries)',
    /^deliveries: /,
  ],
  ['a number is jumped over', 'update deliveries set sequence = sequence + 1 where sequence % 10 = 0', /have a gap/],
]
for (const [at, [what, spoil, complaint]] of faults.entries()) {
  test(`a round is refused when ${what}`, async () => {
    const { mark, events } = await takeInTwenty(`fault-${at}`)
    await db.statement((query) => query.unsafe(spoil))
    await assert.rejects(checkTakenIn(db, mark, events, allAcknowledged(20)), { message: complaint })
  })
}

test('a round is refused when an event was not acknowledged', async () => {
  const { mark, events } = await takeInTwenty('refused')
  await assert.rejects(checkTakenIn(db, mark, events, allAcknowledged(20, 503)), { message: /not every event/ })
})

test('a drain is refused while something waits, and when what arrived is not what was settled', async () => {
  const { mark } = await takeInTwenty('drain')
  await assert.rejects(checkDelivered(db, mark, 20, null), { message: /delivered, attempts, waiting/ })
  await db.statement(
    (query) => query`
      with gone as (delete from deliveries returning *)
      insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, status, attempts, last_outcome,
        duration_ms, started_at, created_at)
      select id, endpoint_id, sequence, business_id, event_id, 'delivered', 1, 'http_200', 1, now(), created_at from gone`,
  )
  const rows = await db.read(
    (query) => query<{ id: string }[]>`
      select event_id || '_' || endpoint_id as id from finished_deliveries order by id desc limit 20`,
  )
  const ids = rows.map(({ id }) => id)
  const arrived = (list: string[]) => ({ ids: list, atMs: list.map(() => 0) })
  await checkDelivered(db, mark, 20, arrived(ids))
  await assert.rejects(checkDelivered(db, mark, 20, arrived([...ids.slice(1), 'evt_other'])), { message: /missing/ })
  await assert.rejects(checkDelivered(db, mark, 20, arrived([...ids, ids[0] ?? ''])), { message: /twice/ })
})

test('the median stands between the middle two, and a quotient is taken round by round', () => {
  assert.deepEqual(figuresOf([4, 1, 3, 2]), { median: 2.5, min: 1, max: 4, pairs: 4 })
  const rounds = new Rounds()
  for (const [ours, theirs] of [
    [10, 20],
    [30, 30],
    [80, 40],
  ] as const) {
    rounds.note('ours', ours)
    rounds.note('theirs', theirs)
  }
  assert.deepEqual(rounds.quotient('ours', 'theirs'), { median: 1, min: 0.5, max: 2, pairs: 3 })
})

test('a goal that is not reached is said so, and the last line is JSON by id', () => {
  const figures = figuresOf([0.4])
  const first: Ratio = { id: 'R1', part: null, what: '', goal: { atLeast: 0.5 }, figures }
  const signed: Ratio = { ...first, part: 'signed', goal: { atLeast: 0.4 } }
  const wait: Ratio = { ...first, id: 'R8', goal: { atMost: 0.3, unit: 'ms' } }
  const beside: Ratio = { ...wait, part: 'p99', goal: { atMost: null, unit: 'ms' } }
  assert.deepEqual([first, signed, wait, beside].map(isReached), [false, true, false, null])
  const written = { median: 0.4, min: 0.4, max: 0.4, pairs: 1 }
  assert.deepEqual(JSON.parse(jsonOf({ ratios: [first, signed, wait], speeds: [] }, [{ others: 0.123, stolen: 0 }])), {
    R1: { ...written, signed: written },
    R8: written,
    besides: { others: 0.12, stolen: 0 },
  })
})

test('the time of a process that has ended is with its parent, and is none of other processes', (t) => {
  if (process.platform !== 'linux') return t.skip('processor times are read from /proc')
  const before = ticksOfTree(process.pid)
  const burning = 'const from = process.cpuUsage(); while (process.cpuUsage(from).user < 300_000);'
  spawnSync(process.execPath, ['--eval', burning])
  assert.ok(ticksOfTree(process.pid) - before >= 0.3 * ticksPerSecond)
})
