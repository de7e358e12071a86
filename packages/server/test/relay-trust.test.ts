// Effects of an event: a verified one by its body, an unverified one by making Causeway read. And what a bad event, a
// forged one, or an unavailable provider must not cause.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { until } from './caller.ts'
import { kycBody } from './people.ts'
import { activityEvent, customerPath, freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())

let account: Record<string, string> = {}
let ids = { customer: '', account: '' }

before(async () => {
  const externalUserId = await world.business.user('approved')
  account = await world.business.account(externalUserId)
  ids = await world.providerIdsOf(account['id'] ?? '')
  await world.provider.fallSilent()
})

type Applied = { applyState: string; applyAttempts: number; applyError: string | null }

async function stateOf(eventId: string): Promise<Applied | undefined> {
  const rows = await world.rows<Applied>`
      select coalesce(w.state, 'done') as apply_state, coalesce(w.attempts, 0) as apply_attempts, w.error as apply_error
      from events e left join event_work w on w.event_id = e.id where e.provider_event_id = ${eventId}`
  return rows[0]
}

const applied = (eventId: string) =>
  until('the event to be dealt with', async () => {
    const row = await stateOf(eventId)
    return row !== undefined && row.applyState !== 'pending' && row
  })

const hurry = async (eventId: string) => {
  await world.rows`
      update event_work w set due_at = now() from events e
      where e.id = w.event_id and e.provider_event_id = ${eventId} and w.state = 'pending'`
  world.inside.wake('apply')
}

async function deposits(): Promise<Record<string, unknown>[]> {
  return (await world.business.call('GET', `/v0/virtual-accounts/${account['id']}/deposits?limit=100`)).body.data
}

async function depositStatus(providerDepositId: string): Promise<string | undefined> {
  const rows = await world.rows<{ status: string }>`
    select status from deposits where provider_deposit_id = ${providerDepositId}`
  return rows[0]?.status
}

for (const forgedFirst of [true, false]) {
  test(`a forged event with the id of a real one suppresses nothing when it comes ${forgedFirst ? 'before' : 'after'} it`, async () => {
    await using subscriber = await world.subscriber()
    const real = { ...subscriber.event(), real: true }
    const forged = { ...real, real: false }
    const order = forgedFirst ? [forged, real] : [real, forged]
    for (const event of [...order, ...order]) {
      assert.equal((await world.post(event, { signed: event.real })).status, 200)
    }
    const last = subscriber.event()
    await world.post(last)
    const { seen } = subscriber.receiver
    await until('the last event', () => seen.some(({ body }) => body.includes(last.event_id)))
    const told = seen
      .filter(({ body }) => body.includes(real.event_id))
      .map(({ headers, body }) => `${headers['svc-verified']} ${JSON.parse(body.toString()).real}`)
    assert.deepEqual(told.toSorted(), ['false false', 'true true'])
  })
}

test('a forged deposit changes no deposit by its body', async () => {
  const event = activityEvent(ids, { deposit: 'forged-deposit', type: 'payment_processed', amount: '1000000.0' })
  await world.post(event, { signed: false })
  assert.equal((await applied(event.event_id)).applyState, 'done')
  assert.deepEqual(await deposits(), [])
})

test('an unsigned event makes us look: the deposit then reads as the provider tells it', async () => {
  const made = await world.provider.control('POST', `/virtual_accounts/${ids.account}/deposits`, { amount: '250.00' })
  const depositId: string = made.body.deposit_id
  await until('the provider’s payout', async () =>
    (await world.provider.events()).some(
      ({ event_object: step }) => step['deposit_id'] === depositId && step['type'] === 'payment_processed',
    ),
  )
  assert.equal(await depositStatus(depositId), undefined)
  const event = activityEvent(ids, { deposit: depositId, type: 'refunded', amount: '1.0' })
  await world.post(event, { signed: false })
  await applied(event.event_id)
  assert.equal(await depositStatus(depositId), 'completed')
  const [deposit] = await deposits()
  assert.deepEqual(deposit?.['grossAmount'], { value: '250.00', currency: 'usd' })
})

test('an event on an end-user’s KYC changes nothing by its body, signed or not: the provider’s answer counts', async () => {
  const externalUserId = await world.business.user()
  const agreement = await world.business.acceptTerms(externalUserId)
  const submitted = await world.business.call(
    'POST',
    `/v0/end-users/${externalUserId}/submit-kyc`,
    kycBody(agreement, externalUserId),
  )
  const customer: string = submitted.body.data.providerCustomerId
  const kycStatus = async () =>
    (await world.business.call('GET', `/v0/end-users/${externalUserId}`)).body.data.kycStatus
  assert.equal(await kycStatus(), 'under_review')
  await until('the provider’s verdict', async () =>
    (await world.provider.events()).some(
      ({ event_object: object }) => object['id'] === customer && object['status'] === 'active',
    ),
  )
  for (const signed of [false, true]) {
    const event = {
      event_id: freshEventId(),
      event_category: 'customer',
      event_type: 'customer.updated.status_transitioned',
      event_object: { id: customer, status: 'rejected' },
    }
    await world.post(event, { signed })
    assert.equal((await applied(event.event_id)).applyState, 'done')
    assert.equal(await kycStatus(), 'approved')
  }
})

test('an event type unknown to us is stored and forwarded, and changes nothing', async () => {
  await using subscriber = await world.subscriber()
  const before = await deposits()
  const event = subscriber.event({ event_type: 'moon.phase.changed', virtual_account_id: undefined })
  await world.post(event)
  await until('the event', () => subscriber.receiver.seen.length === 1)
  assert.equal((await applied(event.event_id)).applyState, 'done')
  const step = activityEvent(ids, { deposit: 'unknown-step', type: 'gone_to_lunch' })
  await world.post(step)
  await applied(step.event_id)
  assert.deepEqual(await deposits(), before)
})

const steps = ['funds_scheduled', 'funds_received', 'in_review', 'payment_submitted', 'payment_processed']

/** The deposit that these steps, sent in this order, end in; without what differs from deposit to deposit. */
async function depositAfter(order: readonly number[]): Promise<unknown> {
  const deposit = `dep-${freshEventId()}`
  const events = steps.map((type, index) =>
    activityEvent(ids, { deposit, type, at: `2026-03-01T10:0${index}:00.000Z`, amount: `${index + 1}00.0` }),
  )
  for (const index of order) await world.post(events[index])
  for (const index of order) await applied(events[index]?.event_id ?? '')
  const [row] = await world.rows<{ id: string }>`select id from deposits where provider_deposit_id = ${deposit}`
  const { data } = (await world.business.call('GET', `/v0/deposits/${row?.id}`)).body
  const timeline = data.timeline.map(({ activityId: _, ...entry }: { activityId: string }) => entry)
  return { ...data, id: '', providerDepositId: '', createdAt: '', updatedAt: '', timeline }
}

test('events of a deposit that come permuted, repeated and late end in the same deposit', async () => {
  const inOrder = await depositAfter([...steps.keys()])
  assert.equal((inOrder as { status: string }).status, 'completed')
  const all = fc.shuffledSubarray([0, 1, 2, 3, 4, 0, 2, 4], { minLength: 8 })
  await fc.assert(
    fc.asyncProperty(all, async (order) => assert.deepEqual(await depositAfter(order), inOrder)),
    { numRuns: 8 },
  )
})

/** The types of the events about a deposit that the business got. */
async function toldOf(providerDepositId: string): Promise<string[]> {
  const rows = await world.rows<{ type: string }>`
      select e.type from events e, deposits d where d.provider_deposit_id = ${providerDepositId} and e.trust = 'own'
        and case when e.trust = 'own' then convert_from(e.body, 'UTF8')::jsonb->'data'->>'id' end = d.id order by e.type`
  return rows.map(({ type }) => type)
}

test('a repeated event tells the business nothing a second time', async () => {
  const event = activityEvent(ids, { deposit: 'told-once', type: 'payment_processed' })
  for (let times = 0; times < 3; times++) await world.post(event)
  await applied(event.event_id)
  const again = { ...event, event_id: freshEventId() }
  await world.post(again)
  await applied(again.event_id)
  assert.deepEqual(await toldOf('told-once'), ['virtual_account.deposit.updated', 'virtual_account.payment.received'])
})

test('a late step that brings facts is told, and the payment is not told again', async () => {
  for (const type of ['payment_processed', 'funds_received']) {
    const event = activityEvent(ids, { deposit: 'paid-once', type })
    await world.post(event)
    await applied(event.event_id)
  }
  const updated = 'virtual_account.deposit.updated'
  assert.deepEqual(await toldOf('paid-once'), [updated, updated, 'virtual_account.payment.received'])
})

test('an event that fails to apply five times is quarantined with its reason, and blocks nobody meanwhile', async () => {
  // A NUL is valid JSON that no column can hold.
  const poison = activityEvent(ids, { deposit: 'poisoned', type: 'funds_received', sender: 'Ada\u0000' })
  const answer = await world.post(poison)
  assert.match(answer.body.data.message, /queued/)
  for (let tries = 1; tries < 5; tries++) {
    await until(`try ${tries}`, async () => (await stateOf(poison.event_id))?.applyAttempts === tries)
    const good = activityEvent(ids, { deposit: `beside-${tries}`, type: 'funds_received' })
    await world.post(good)
    assert.equal((await applied(good.event_id)).applyState, 'done')
    await hurry(poison.event_id)
  }
  const { applyState, applyError } = await applied(poison.event_id)
  assert.equal(applyState, 'quarantined')
  assert.equal(applyError, 'DatabaseError')
  assert.equal(await depositStatus('poisoned'), undefined)
})

function customerEvent(customer: string) {
  return {
    event_id: freshEventId(),
    event_category: 'customer',
    event_type: 'customer.updated',
    event_object: { id: customer },
  }
}

test('a provider that is away while an event is applied costs no try', async () => {
  await world.provider.fails({ method: 'GET', path: customerPath, mode: 'status', status: 503, times: 1_000 })
  const event = customerEvent(ids.customer)
  await world.post(event)
  for (let round = 0; round < 6; round++) {
    await until('a failure', async () => (await stateOf(event.event_id))?.applyError === 'ApiError')
    await world.rows`update event_work set error = 'again' where event_id = (select id from events where provider_event_id = ${event.event_id})`
    await hurry(event.event_id)
  }
  assert.equal((await stateOf(event.event_id))?.applyAttempts, 0)
  await world.provider.recovers()
  await until('the provider’s return', async () => {
    await hurry(event.event_id)
    return (await stateOf(event.event_id))?.applyState === 'done'
  })
})

test('a customer the provider does not know is no outage: the end-user is offboarded, and the event is done', async () => {
  const externalUserId = await world.business.user()
  await world.rows`update end_users set provider_customer_id = 'cust-unknown' where external_user_id = ${externalUserId}`
  const event = customerEvent('cust-unknown')
  await world.post(event)
  await applied(event.event_id)
  const shown = (await world.business.call('GET', `/v0/end-users/${externalUserId}`)).body.data
  assert.deepEqual([shown.kycStatus, shown.providerStatus], ['offboarded', 'deleted'])
})

test('a provider that hangs holds up only events that it must be asked about', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => world.business.user()))
  await world.rows`update end_users set provider_customer_id = 'hang-' || external_user_id where external_user_id = any(${users}::text[])`
  await world.provider.fails({ method: 'GET', path: customerPath, mode: 'hang', times: 1_000 })
  const hanging = users.map((user) => customerEvent(`hang-${user}`))
  for (const event of hanging) await world.post(event)
  const good = activityEvent(ids, { deposit: 'while-it-hangs', type: 'funds_received' })
  const startedAt = performance.now()
  await world.post(good)
  await applied(good.event_id)
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs < 1_000, `it took ${tookMs} ms`)
  const states = await Promise.all(hanging.map((event) => stateOf(event.event_id)))
  assert.ok(states.every((state) => state?.applyState === 'pending' && state.applyAttempts === 0))
  await world.provider.recovers()
})
