// The owner of an event: every way in which an event may name it, and the handling while the owner is unknown.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeEventDue } from '../src/events/work.store.ts'
import { until } from './caller.ts'
import { freshUserId, solanaWallet } from './people.ts'
import { accountPath, activityEvent, freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

type Stored = {
  businessId: string | null
  externalUserId: string | null
  virtualAccountId: string | null
  dueIn: number
  applyState: string
  applyError: string | null
}

async function stored(eventId: string): Promise<Stored> {
  const [row] = await world.rows<Stored>`
      select business_id, external_user_id, virtual_account_id, coalesce(w.state, 'done') as apply_state, w.error as apply_error,
        extract(epoch from w.due_at - now())::float8 as due_in
      from events e left join event_work w on w.event_id = e.id where provider_event_id = ${eventId}`
  assert.ok(row, 'the event is stored')
  return row
}

let externalUserId = ''
let account: Record<string, string> = {}
let known = { customer: '', account: '', endUser: '', kycLink: '', linkedUser: '' }

before(async () => {
  externalUserId = await world.business.user('approved')
  account = await world.business.account(externalUserId)
  const ids = await world.providerIdsOf(account['id'] ?? '')
  const linkedUser = await world.business.user()
  await world.business.call('GET', `/v0/end-users/${linkedUser}/kyc-links`)
  const [link] = await world.rows<{ id: string }>`
    select provider_kyc_link->>'id' as id from end_users where external_user_id = ${linkedUser}`
  const user = await world.business.call('GET', `/v0/end-users/${externalUserId}`)
  known = { ...ids, endUser: user.body.data.id, kycLink: link?.id ?? '', linkedUser }
})

const namings: Record<string, () => Record<string, unknown>> = {
  'the provider’s customer id in event_object': () => ({ event_object: { id: 'x', customer_id: known.customer } }),
  on_behalf_of: () => ({ event_object: { id: 'x', on_behalf_of: known.customer } }),
  'the customer itself as event_object': () => ({ event_object: { id: known.customer } }),
  event_object_id: () => ({ event_object_id: known.customer }),
  'our end-user id as client_reference_id': () => ({ event_object: { client_reference_id: known.endUser } }),
  'the provider’s customer id at the top level': () => ({ customer_id: known.customer }),
  'the provider’s customer id under data': () => ({ data: { customer_id: known.customer } }),
  'external_user_id at the top level': () => ({ external_user_id: externalUserId }),
  'external_user_id under data': () => ({ data: { external_user_id: externalUserId } }),
  'customer_id of the business with external_user_id': () => ({
    customer_id: world.business.id,
    external_user_id: externalUserId,
  }),
  'the same two under data': () => ({
    data: { customer_id: world.business.id, external_user_id: externalUserId },
  }),
}

for (const [naming, fields] of Object.entries(namings)) {
  test(`an event finds its owner by ${naming}`, async () => {
    const event = { event_id: freshEventId(), event_type: 'test.named', ...fields() }
    const answer = await world.post(event)
    assert.match(answer.body.data.message, /queued/)
    const row = await stored(event.event_id)
    assert.equal(row.businessId, world.business.id)
    assert.equal(row.externalUserId, externalUserId)
  })
}

for (const place of ['event_object', 'data', 'top level'] as const) {
  test(`an event finds its account by virtual_account_id (${place})`, async () => {
    const id = { virtual_account_id: known.account }
    const event = {
      event_id: freshEventId(),
      event_type: 'test.named',
      ...(place === 'top level' ? id : { [place]: id }),
    }
    await world.post(event)
    const row = await stored(event.event_id)
    assert.equal(row.virtualAccountId, account['id'])
    assert.equal(row.externalUserId, externalUserId)
  })
}

test('an event finds its owner by the id of a KYC link', async () => {
  const event = { event_id: freshEventId(), event_type: 'kyc_link.updated', event_object: { id: known.kycLink } }
  await world.post(event)
  assert.equal((await stored(event.event_id)).externalUserId, known.linkedUser)
})

test('an external id that two businesses use is not guessed, and is told apart when the business is named', async () => {
  await using one = await world.subscriber()
  await using other = await world.subscriber()
  const shared = freshUserId()
  for (const { call } of [one, other]) await call('POST', '/v0/end-users', { externalUserId: shared })
  const event = { event_id: freshEventId(), event_type: 'test.shared', external_user_id: shared }
  assert.match((await world.post(event)).body.data.message, /owner is not known yet/)
  assert.equal((await stored(event.event_id)).businessId, null)
  const named = { ...event, event_id: freshEventId(), customer_id: other.id }
  assert.match((await world.post(named)).body.data.message, /queued/)
  assert.equal((await stored(named.event_id)).businessId, other.id)
  const wrong = { ...event, event_id: freshEventId(), external_user_id: externalUserId, customer_id: other.id }
  await world.post(wrong)
  assert.equal((await stored(wrong.event_id)).businessId, null, 'the named business has no such end-user')
})

/** An account that the provider has created, while its response is lost and every retry fails. */
async function lostCreation(feePercent: string): Promise<string> {
  const before = new Set(await world.provider.accountIds())
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'cut_after' })
  await world.provider.fails({ method: 'POST', path: accountPath, mode: 'status', status: 503, times: 1_000 })
  const route = { source: { currency: 'eur' }, destination: solanaWallet, developer_fee_percent: feePercent }
  const answer = await world.business.call('POST', '/v0/virtual-accounts', { externalUserId, ...route })
  assert.equal(answer.status, 504, answer.text)
  const made = (await world.provider.accountIds()).filter((id) => !before.has(id))
  assert.equal(made.length, 1)
  return made[0] ?? ''
}

const depositOf = (providerDepositId: string) =>
  until(
    'the deposit',
    async () => {
      const rows = await world.rows<{ id: string; status: string }>`
        select id, status from deposits where provider_deposit_id = ${providerDepositId}`
      return rows[0]
    },
    40_000,
  )

test('an event that overtakes the answer which creates its account is kept, then forwarded and applied', async () => {
  const lost = await lostCreation('1')
  const { customer_id: _, ...object } = activityEvent(
    { customer: '', account: lost },
    { deposit: `dep-${lost}`, type: 'payment_processed' },
  ).event_object
  const event = { event_id: freshEventId(), event_type: 'virtual_account.activity.created', event_object: object }
  assert.match((await world.post(event)).body.data.message, /owner is not known yet/)
  await until('the first look', async () => (await stored(event.event_id)).applyError === 'owner not known yet')
  // From here on only learning the id may make it due.
  await world.rows`update event_work set due_at = now() + interval '1 hour' where event_id = (select id from events where provider_event_id = ${event.event_id})`
  await world.provider.recovers()
  assert.equal((await depositOf(`dep-${lost}`)).status, 'completed')
  const row = await stored(event.event_id)
  assert.equal(row.businessId, world.business.id)
  assert.ok(row.virtualAccountId)
  const listed = await world.business.call(
    'GET',
    `/v0/events?externalUserId=${externalUserId}&eventType=${event.event_type}&limit=100`,
  )
  assert.ok(listed.body.data.some((item: { providerEventId: string }) => item.providerEventId === event.event_id))
})

test('an event whose end-user is known but whose account is not is forwarded at once, and applied once it is', async () => {
  const lost = await lostCreation('2')
  const event = activityEvent(
    { customer: known.customer, account: lost },
    { deposit: `dep-${lost}`, type: 'payment_processed' },
  )
  assert.match((await world.post(event)).body.data.message, /queued/)
  await until('the first look', async () => (await stored(event.event_id)).applyError === 'account not known yet')
  assert.equal((await stored(event.event_id)).applyState, 'pending')
  await world.rows`update event_work set due_at = now() + interval '1 hour' where event_id = (select id from events where provider_event_id = ${event.event_id})`
  await world.provider.recovers()
  assert.equal((await depositOf(`dep-${lost}`)).status, 'completed')
})

test('an event that a slow transaction makes due is looked at when that transaction commits', async () => {
  const event = { event_id: freshEventId(), event_type: 'test.happened', external_user_id: freshUserId() }
  await world.post(event)
  await until('the first look', async () => (await stored(event.event_id)).applyError === 'owner not known yet')
  const [row] = await world.rows<{ id: string }>`
      update event_work set due_at = now() + interval '1 hour'
      where event_id = (select id from events where provider_event_id = ${event.event_id}) returning event_id as id`
  await world.inside.db.transaction(async (tx) => {
    await tx`select now()`
    await delay(2_200) // longer than the queue is read back
    const quick = activityEvent(known, { deposit: 'dep-quick', type: 'funds_received' })
    await world.post(quick)
    await until('another event', async () => (await stored(quick.event_id)).applyState === 'done')
    await makeEventDue(tx, row?.id ?? '')
  })
  await until('the second look', async () => {
    const { applyError, dueIn } = await stored(event.event_id)
    return applyError === 'owner not known yet' && dueIn < 3_000
  })
})

test('an event whose only name two businesses use goes to neither, and the operator reads why', async () => {
  const shared = await world.business.user()
  const { apiKey } = await world.otherBusiness()
  await world.business.call('POST', '/v0/end-users', { externalUserId: shared }, { key: apiKey })
  const event = { event_id: freshEventId(), event_type: 'test.happened', external_user_id: shared }
  assert.match((await world.post(event)).body.data.message, /owner is not known yet/)
  const row = await until('the first look', async () => {
    const row = await stored(event.event_id)
    return row.applyError !== null && row
  })
  assert.deepEqual([row.businessId, row.applyError], [null, 'owner is ambiguous'])
  assert.ok(world.log.some((line) => line.includes('event owner is ambiguous')))
})

test('an event that nobody owns is looked at again at growing intervals, an hour at most', async () => {
  const event = { event_id: freshEventId(), event_type: 'x', external_user_id: 'nobody' }
  await world.post(event)
  for (const [ageSeconds, least, most] of [
    [0, 0.5, 2],
    [100, 98, 102],
    [100_000, 3_590, 3_600],
  ] as const) {
    await world.rows`
        with aged as (
          update events set created_at = now() - make_interval(secs => ${ageSeconds})
          where provider_event_id = ${event.event_id} returning id
        )
        update event_work w set due_at = now(), error = null from aged where w.event_id = aged.id`
    world.inside.wake('apply')
    await until('a look', async () => (await stored(event.event_id)).applyError !== null)
    const { dueIn } = await stored(event.event_id)
    assert.ok(dueIn > least - 1 && dueIn <= most, `at ${ageSeconds} s it is due in ${dueIn} s`)
  }
})

test('an event that another replica held for long, and then died, is dealt with at once', async () => {
  const early = { event_id: freshEventId(), event_type: 'test.early', external_user_id: freshUserId() }
  const next = { event_id: freshEventId(), event_type: 'test.early', external_user_id: freshUserId() }
  const due = (eventId: string, seconds: number) =>
    world.rows`
        update event_work set due_at = clock_timestamp() + make_interval(secs => ${seconds}), error = null
        where event_id = (select id from events where provider_event_id = ${eventId}) returning 1`
  for (const event of [early, next]) {
    await world.post(event)
    await due(event.event_id, 3_600)
  }
  await world.business.call('POST', '/v0/end-users', { externalUserId: early.external_user_id })
  await due(early.event_id, 0.3)
  const { db, wake } = world.inside
  await db.transaction(async (tx) => {
    await tx`
      select 1 from event_work where event_id = (select id from events where provider_event_id = ${early.event_id}) for update`
    await delay(3_000)
    await due(next.event_id, 0)
    wake('apply')
    await until('the next one', async () => (await stored(next.event_id)).applyError === 'owner not known yet')
  })
  wake('apply')
  await until('the one that was held', async () => (await stored(early.event_id)).applyState === 'done', 10_000)
})

test('an event that names an end-user who is created later finds its way by itself', async () => {
  await using subscriber = await world.subscriber()
  const later = freshUserId()
  const event = { event_id: freshEventId(), event_type: 'test.early', external_user_id: later }
  assert.match((await world.post(event)).body.data.message, /owner is not known yet/)
  await subscriber.call('POST', '/v0/end-users', { externalUserId: later })
  const received = await until('the event', () =>
    subscriber.receiver.seen.find(({ body }) => body.includes(event.event_id)),
  )
  subscriber.verify(received)
})
