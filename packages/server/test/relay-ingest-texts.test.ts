// An event that arrives alone is stored by another text than events that arrive together: random events in two equal
// databases, one of which always takes the text for many, end in equal rows, results and notifications.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { insertBusiness } from '../src/businesses/store.ts'
import { type IncomingEvent, ingestEvents } from '../src/events/ingest/ingest.store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { Audience } from '../src/platform/postgres/listening/audience.ts'
import { channelOf, deliveriesChannel, deliveriesChannelOf, streamChannel } from '../src/platform/postgres/notify.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import { insertEndpoint } from '../src/webhooks/endpoints/store.ts'
import { until } from './caller.ts'
import { testDatabase } from './test-database.ts'

const runs = 60
const [relay, otherRelay] = ['relay1', 'relay2']
const provider = 'bridge'

// `biz_c` is suspended: only its API is closed. `biz_d` has no endpoint.
const businesses = ['biz_a', 'biz_b', 'biz_c', 'biz_d']
const users = [
  { business: 'biz_a', name: 'ada' },
  { business: 'biz_a', name: 'shared' },
  { business: 'biz_b', name: 'shared' },
  { business: 'biz_b', name: 'bob' },
  { business: 'biz_c', name: 'cyd' },
  { business: 'biz_d', name: 'dan' },
]
type Endpoint = {
  business: string
  id: string
  types?: string[]
  sources?: ('provider' | 'causeway')[]
  ordering?: 'per_end_user'
  status?: 'paused' | 'disabled'
  owner?: string
}
const endpoints: Endpoint[] = [
  { business: 'biz_a', id: 'whe_a1_000001', owner: relay },
  { business: 'biz_a', id: 'whe_a2_000002', owner: relay, ordering: 'per_end_user', types: ['customer.*'] },
  { business: 'biz_a', id: 'whe_a3_000003', owner: otherRelay, types: ['transfer.updated', 'customer.created'] },
  { business: 'biz_a', id: 'whe_a4_000004', sources: ['causeway'] },
  { business: 'biz_b', id: 'whe_b1_000005' },
  { business: 'biz_b', id: 'whe_b2_000006', status: 'paused' },
  { business: 'biz_b', id: 'whe_b3_000007', status: 'disabled', owner: relay, ordering: 'per_end_user' },
  { business: 'biz_c', id: 'whe_c1_000008', owner: relay, ordering: 'per_end_user' },
]

async function fill(tx: Tx): Promise<void> {
  for (const id of businesses) await insertBusiness(tx, { id, name: id })
  await tx`update businesses set status = 'suspended' where id = 'biz_c'`
  for (const { business: businessId, name } of users) {
    const [own, customer, link, account] = ['eu', 'cust', 'link', 'va'].map((kind) => idOf(kind, businessId, name))
    await tx`
      insert into end_users (business_id, id, external_user_id, provider, search_name, type, provider_customer_id,
        provider_kyc_link)
      values (${businessId}, ${own}, ${name}, ${provider}, ${name}, 'individual', ${customer}, ${tx.json({ id: link })})`
    await tx`
      insert into virtual_accounts (business_id, id, end_user_id, provider, provider_virtual_account_id, source_currency,
        destination_payment_rail, destination_currency, destination_address)
      values (${businessId}, ${`own_${account}`}, ${own}, ${provider}, ${account}, 'usd', 'base', 'usdc', '0x1')`
  }
  for (const { business: businessId, id, types, sources, ordering, status = 'enabled', owner = null } of endpoints) {
    await insertEndpoint(tx, {
      businessId,
      id,
      url: 'https://example.com/',
      description: null,
      isDefault: false,
      eventTypes: types ?? ['*'],
      sources: sources ?? ['provider', 'causeway'],
      ordering: ordering ?? 'best_effort',
      secretSealed: Buffer.from('sealed'),
    })
    await tx`update webhook_endpoints set status = ${status} where id = ${id}`
    await tx`
      update endpoint_lanes set owner = ${owner}, fence = 3, wants_at = null, open = ${status === 'enabled'}
      where endpoint_id = ${id}`
  }
}

const idOf = (kind: string, business: string, name: string): string => `${kind}_${business}_${name}`

const refs = [
  ...users.flatMap(({ business, name }) => ['eu', 'cust', 'link', 'va'].map((kind) => idOf(kind, business, name))),
  ...businesses,
  'transfer_1',
]
const someEvent = fc.record({
  refs: fc.uniqueArray(fc.constantFrom(...refs), { maxLength: 3 }),
  externalUserId: fc.constantFrom(null, 'ada', 'shared', 'shared', 'bob', 'cyd', 'dan', 'nobody'),
  type: fc.constantFrom('customer.created', 'customer.updated', 'transfer.updated', 'odd'),
  trust: fc.constantFrom('verified' as const, 'unverified' as const),
  hasEffects: fc.boolean(),
  isRepeat: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
  /** A delivery fails before the event comes: later ones of its end-user are behind it. */
  failsBefore: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
})

type Coming = typeof someEvent extends fc.Arbitrary<infer T> ? T : never

type Side = Awaited<ReturnType<typeof openSide>>

async function openSide() {
  const database = await testDatabase()
  const db = openDatabase(database.connection, { poolMax: 12 })
  await db.transaction(fill)
  const heard: string[] = []
  const channels = [
    channelOf('apply'),
    streamChannel,
    deliveriesChannel,
    ...[relay, otherRelay].map(deliveriesChannelOf),
  ]
  const hear = (channel: string) => [channel, (names: string) => heard.push(`${channel} ${names.split(',').sort()}`)]
  const audience = new Audience()
  let isHeld = false
  audience.whenHeld(() => (isHeld = true))
  audience.enter()
  const marks: string[] = []
  await db.listen({ ...Object.fromEntries(channels.map(hear)), mark: (name: string) => marks.push(name) }, audience)
  await until('the lock of those who wait', () => isHeld)
  return {
    db,
    /** The notifications since the last call. */
    async notifications(mark: string) {
      await db.read((query) => query`select pg_notify('mark', ${mark})`)
      await until('the last notification', () => marks.includes(mark))
      return heard.splice(0).sort()
    },
    async close() {
      audience.leave()
      await db.close()
      await database.drop()
    },
  }
}

async function rowsOf({ db }: Side) {
  return await db.read(async (query) => ({
    events: await query`
      select id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id, trust, type, body
      from events order by id`,
    received: await query`select * from received_events order by key`,
    work: await query`
      select event_id, (select array_agg(ref order by ref) from unnest(provider_refs) ref) as refs, state, attempts
      from event_work order by event_id`,
    deliveries: await query`
      select endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered from deliveries order by endpoint_id, sequence`,
    lanes: await query`
      select endpoint_id, open, owner, fence, wants_at is null as sleeps from endpoint_lanes order by endpoint_id`,
    sequences: await query`select * from endpoint_sequences order by 1, 2`,
    streams: await query`select * from event_streams order by 1, 2`,
  }))
}

const failOldest = ({ db }: Side) =>
  db.statement(
    (query) => query`
      update deliveries set next_attempt_at = now() where (endpoint_id, sequence) in (
        select endpoint_id, min(sequence) from deliveries where ordered and next_attempt_at is null group by endpoint_id)`,
  )

let made = 0
let alone: Side
let together: Side
const known: IncomingEvent = {
  id: `evt_${'0'.repeat(26)}`,
  providerEventId: 'wh_known',
  trust: 'verified',
  type: 'known',
  body: Buffer.from('{}'),
  hints: { refs: [], externalUserId: null },
  hasEffects: false,
}

before(async () => {
  alone = await openSide()
  together = await openSide()
  for (const { db } of [alone, together]) await db.statement((query) => ingestEvents(query, provider, [known], relay))
})
after(async () => {
  await alone?.close()
  await together?.close()
})

test('an event stored alone ends in the same rows, result and notifications as one stored with others', async () => {
  const outcomes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(someEvent, { minLength: 1, maxLength: 6 }), async (story) => {
      let last: IncomingEvent = known
      for (const { refs, externalUserId, type, trust, hasEffects, isRepeat, failsBefore } of story) {
        made += 1
        const body = Buffer.from(JSON.stringify({ made }))
        const hints = { refs, externalUserId }
        const providerEventId = isRepeat ? last.providerEventId : `wh_${made}`
        last = { id: `evt_${String(made).padStart(26, '0')}`, providerEventId, trust, type, body, hints, hasEffects }
        if (failsBefore) await Promise.all([alone, together].map(failOldest))
        const one = await alone.db.statement((query) => ingestEvents(query, provider, [last], relay))
        // The known event is a duplicate that changes nothing, but makes two of one.
        const many = await together.db.statement((query) => ingestEvents(query, provider, [last, known], relay))
        assert.equal(one.outcomes.get(last.id), many.outcomes.get(last.id))
        outcomes.add(one.outcomes.get(last.id) ?? '')
        const byEndpoint = (rows: typeof one.stored) => rows.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1))
        assert.deepEqual(byEndpoint(one.stored), byEndpoint(many.stored))
        const mark = `m${made}`
        assert.deepEqual(await alone.notifications(mark), await together.notifications(mark))
      }
      assert.deepEqual(await rowsOf(alone), await rowsOf(together))
    }),
    { numRuns: runs, examples: everyNameAlone() },
  )
  assert.deepEqual([...outcomes].sort(), ['duplicate', 'noEndpoint', 'noOwner', 'queued'])
})

for (const [what, company] of Object.entries({ alone: [], together: [known] }))
  test(`an event that comes ${what} while its lane changes goes by the lane as it is afterwards`, async () => {
    const { db } = alone
    made += 1
    const id = `evt_${String(made).padStart(26, '0')}`
    const event = { ...known, id, providerEventId: `wh_${made}`, hints: { refs: [], externalUserId: 'cyd' } }
    const endpointId = 'whe_c1_000008'
    const changed = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const change = db.transaction(async (tx) => {
      await tx`
        update endpoint_lanes set owner = ${otherRelay}, fence = fence + 1, ordered = not ordered
        where endpoint_id = ${endpointId}`
      changed.resolve()
      await mayCommit.promise
    })
    await changed.promise
    const ingesting = db.statement((query) => ingestEvents(query, provider, [event, ...company], relay))
    await until('the wait for the lane', async () => {
      const waiting = await db.read(
        (query) => query`select 1 from pg_locks where not granted and pid <> pg_backend_pid()`,
      )
      return waiting.length > 0
    })
    mayCommit.resolve()
    await change
    assert.deepEqual((await ingesting).stored, [])
    const [row] = await db.read(
      (query) => query`
        select d.ordered = l.ordered as is_current from deliveries d join endpoint_lanes l using (endpoint_id)
        where d.event_id = ${id}`,
    )
    assert.deepEqual(row, { isCurrent: true })
    await db.read(
      (query) => query`
        update endpoint_lanes set owner = ${relay}, ordered = not ordered where endpoint_id = ${endpointId}`,
    )
  })

/** Each ID and each name once, without chance. */
function everyNameAlone(): [Coming[]][] {
  const plain = { type: 'customer.created', trust: 'verified', hasEffects: true, isRepeat: false, failsBefore: false }
  const coming = (refs: string[], externalUserId: string | null) => ({ ...plain, refs, externalUserId }) as Coming
  const byRef = refs.map((ref) => coming([ref], null))
  const byName = users.map(({ name }) => coming([], name))
  const inBusiness = users.map(({ business, name }) => coming([business], name))
  return [[byRef], [byName], [inBusiness]]
}
