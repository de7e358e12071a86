// An event that the database refuses fails alone, whatever else is in its batch; and the database never refuses an
// event that validation accepts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createGroupCommit } from '../src/events/ingest/group-commit.ts'
import type { IncomingEvent } from '../src/events/ingest/ingest.store.ts'
import { LocalRelay } from '../src/events/local-relay.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { DatabaseError } from '../src/platform/postgres/database.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { anyCharacter } from './any-text.ts'
import { until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
before(() => world.provider.fallSilent())
const db = openDatabase(world.database, { poolMax: 3 })
after(async () => {
  await db.close()
  await world.stop()
})

let made = 0
function incoming(externalUserId: string, fields: Partial<IncomingEvent> = {}): IncomingEvent {
  made += 1
  const body = Buffer.from(JSON.stringify({ made }))
  return {
    id: `evt_${String(made).padStart(26, '0')}`,
    providerEventId: freshEventId(),
    trust: 'verified',
    type: 'test.happened',
    body,
    hints: { refs: [], externalUserId },
    hasEffects: false,
    ...fields,
  }
}

// A text that no column can hold, and a taken ID: validation accepts neither, but a bug could produce them.
const poisons: Record<string, (neighbour: IncomingEvent) => Partial<IncomingEvent>> = {
  'a text that no column holds': () => ({ type: 'poison\u0000' }),
  'an id that is taken': ({ id }) => ({ id }),
}

for (const [what, poison] of Object.entries(poisons)) {
  test(`${what}: that event fails alone, its neighbours in the batch are acknowledged, stored and numbered`, async () => {
    await using subscriber = await world.subscriber()
    const warnings: string[] = []
    const groupCommit = createGroupCommit(
      'bridge',
      db,
      createLog('warn', (line) => warnings.push(line)),
      new LocalRelay('nobody'),
    )
    const earlier = incoming(subscriber.externalUserId)
    await groupCommit.commit(earlier)
    const good = Array.from({ length: 20 }, () => incoming(subscriber.externalUserId))
    const bad = incoming(subscriber.externalUserId, poison(earlier))
    const outcomes = await Promise.allSettled(good.toSpliced(7, 0, bad).map((event) => groupCommit.commit(event)))
    const [refused] = outcomes.splice(7, 1)
    assert.ok(refused?.status === 'rejected' && refused.reason instanceof DatabaseError)
    assert.ok(outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value === 'queued'))
    assert.equal(warnings.length, 1, 'the batch is refused as a whole once')

    world.inside.wake('send')
    const { seen } = subscriber.receiver
    await until('every good one', () => seen.length >= good.length + 1)
    assert.deepEqual(
      seen.map(({ headers }) => Number(headers['svc-sequence'])).toSorted((a, b) => a - b),
      Array.from({ length: good.length + 1 }, (_, index) => index + 1),
    )
    const stored = await db.read(
      (query) =>
        query`select 1 from received_events where event_id = ${bad.id} and key like ${`%${bad.providerEventId}`}`,
    )
    assert.equal(stored.length, 0, 'what failed left nothing behind that would make its repeat a duplicate')
  })
}

/** Valid JSON that a database may refuse: U+0000, lone surrogates, long and unusual texts, huge numbers. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\uffff',
    "'; drop table events; --",
    '{',
    '}',
    '{"a"',
    'NULL',
    '\\',
    '"',
  ),
  fc.nat(2_000).map((length) => 'é'.repeat(length)),
)
const value = fc.oneof(text, fc.double(), fc.bigInt().map(String), fc.boolean(), fc.constant(null), fc.array(text))
const names = [
  'customer_id',
  'virtual_account_id',
  'on_behalf_of',
  'id',
  'kyc_link_id',
  'external_user_id',
  'deposit_id',
  'amount',
  'type',
  'created_at',
  'status',
]
const object = fc.dictionary(fc.oneof(fc.constantFrom(...names), text), value, { maxKeys: 8 })
const event = fc.record(
  {
    event_id: fc.oneof({ weight: 5, arbitrary: fc.uuid() }, { weight: 1, arbitrary: value }),
    event_type: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('customer.updated', 'virtual_account.activity.created', 'x') },
      { weight: 1, arbitrary: value },
    ),
    event_category: value,
    event_sequence: value,
    event_object: fc.oneof(object, value),
    data: fc.oneof(object, value),
    external_user_id: value,
    customer_id: value,
  },
  { requiredKeys: ['event_id', 'event_type'] },
)

test('whatever an event holds, the database takes what the edge lets through, many at once', async () => {
  await using subscriber = await world.subscriber()
  const linesBefore = world.log.length
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), fc.boolean(), async (events, signed) => {
      const owned = events.map((fields, index) =>
        index % 2 ? { ...fields, external_user_id: subscriber.externalUserId } : fields,
      )
      const statuses = await Promise.all(owned.map(async (fields) => (await world.post(fields, { signed })).status))
      for (const status of statuses) assert.ok(status === 200 || status === 400, String(status))
    }),
    { numRuns: 40 },
  )
  // The loop that applies events is not stopped by any of them either.
  const last = subscriber.event({
    event_category: 'virtual_account.activity',
    event_object: { id: 'act', virtual_account_id: 'nobody' },
  })
  await world.post(last)
  await until('the last one to be tried', async () => {
    const rows = await world.rows<{ error: string | null }>`
        select w.error from event_work w join events e on e.id = w.event_id where e.provider_event_id = ${last.event_id}`
    return rows[0]?.error === 'account not known yet' || rows.length === 0
  })
  const refusals = world.log.slice(linesBefore).filter((line) => /was refused|loop iteration failed/.test(line))
  assert.deepEqual(refusals, [])
})
