// Storing an event notifies the stream only while someone waits for it, in any process; and nobody who begins to wait at
// that moment misses the event.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { insertBusiness } from '../src/businesses/store.ts'
import { type IncomingEvent, ingestEvents } from '../src/events/ingest/ingest.store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { Audience } from '../src/platform/postgres/listening/audience.ts'
import { streamChannel } from '../src/platform/postgres/notify.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { until } from './caller.ts'
import { testDatabase } from './test-database.ts'

const database = await testDatabase()
const db = openDatabase(database.connection, { poolMax: 6 })
after(async () => {
  await db.close()
  await database.drop()
})
before(() =>
  db.transaction(async (tx) => {
    await insertBusiness(tx, { id: 'biz_1', name: 'Audience' })
    await tx`
      insert into end_users (business_id, id, external_user_id, provider, search_name, type)
      values ('biz_1', 'eu_1', 'ada', 'bridge', 'ada', 'individual')`
  }),
)

let stored = 0
function nextEvent(): IncomingEvent {
  stored += 1
  return {
    id: `evt_${String(stored).padStart(26, '0')}`,
    providerEventId: `wh_${stored}`,
    trust: 'verified',
    type: 'test.happened',
    body: Buffer.from('{}'),
    hints: { refs: [], externalUserId: 'ada' },
    hasEffects: false,
  }
}

const ingest = (query: Query) => ingestEvents(query, 'bridge', [nextEvent()], null)

const lastPosition = async (): Promise<number> => {
  const [row] = await db.read((query) => query<{ last: number }[]>`select max(position) as last from event_streams`)
  return row?.last ?? 0
}

/** Another process: its own connections, and a reader that waits from `enter` on. */
async function openReader() {
  const db = openDatabase(database.connection, { poolMax: 3, applicationName: 'reader' })
  const audience = new Audience()
  const woken = { held: 0, notified: 0, marks: 0 }
  audience.whenHeld(() => (woken.held += 1))
  await db.listen({ [streamChannel]: () => (woken.notified += 1), mark: () => (woken.marks += 1) }, audience)
  return {
    audience,
    woken,
    /** Everything that was notified before has been heard. */
    async settle() {
      const marks = woken.marks
      await db.read((query) => query`select pg_notify('mark', '')`)
      await until('the mark', () => woken.marks > marks)
    },
    [Symbol.asyncDispose]: () => db.close(),
  }
}

test('without anyone who waits nothing is notified, and a while after the last one nothing again', async () => {
  await using reader = await openReader()
  await db.statement(ingest)
  await reader.settle()
  assert.equal(reader.woken.notified, 0)

  reader.audience.enter()
  await until('the lock', () => reader.woken.held === 1)
  await db.statement(ingest)
  await reader.settle()
  assert.equal(reader.woken.notified, 1)

  reader.audience.leave()
  const holders = () =>
    db.read(
      (query) => query`select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
          and database = (select oid from pg_database where datname = current_database())`,
    )
  await until('the end of the lock', async () => (await holders()).length === 0)
  await db.statement(ingest)
  await reader.settle()
  assert.equal(reader.woken.notified, 1)
})

test('two processes can wait at once, and one that leaves does not silence the other', async () => {
  await using reader = await openReader()
  reader.audience.enter()
  await until('the lock', () => reader.woken.held === 1)
  {
    await using other = await openReader()
    other.audience.enter()
    await until('the lock of the other', () => other.woken.held === 1)
  }
  await db.statement(ingest)
  await reader.settle()
  assert.equal(reader.woken.notified, 1)
})

test('a reader that begins to wait while an event is stored is woken once the event can be read', async () => {
  for (let round = 0; round < 20; round++) {
    await using reader = await openReader()
    const before = await lastPosition()
    let isFound = false
    const storing = db.transaction(async (tx) => {
      await ingest(tx)
      await delay(round % 5)
    })
    await delay(round % 4)
    reader.audience.enter()
    await until('the event, found by a read after a wake-up', async () => {
      const { held, notified } = reader.woken
      if (held + notified === 0) return false
      isFound ||= (await lastPosition()) > before
      // A reader reads once after each wake-up, not until it finds something.
      if (!isFound && held + notified === reader.woken.held + reader.woken.notified)
        await until('a further wake-up', () => held + notified < reader.woken.held + reader.woken.notified)
      return isFound
    })
    await storing
  }
})

test('a reader whose process loses its connection waits again on the next one', async () => {
  await using reader = await openReader()
  reader.audience.enter()
  await until('the lock', () => reader.woken.held === 1)
  await db.read(
    (query) => query`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reader' and query like '%advisory%'`,
  )
  await until('the lock again', () => reader.woken.held === 2)
  const { notified } = reader.woken
  await db.statement(ingest)
  await until('the notification', () => reader.woken.notified > notified)
})
