// Events that name what two businesses have: the provider is asked which is meant, and nobody gets one by chance.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkWork } from '../../cli/src/doctor/receivers.ts'
import { servicesOf } from '../src/app/services.ts'
import { retryHeldEvent } from '../src/events/held/store.ts'
import { applyByReading } from '../src/events/ingest/apply.ts'
import { findOwner } from '../src/events/ingest/owners.store.ts'
import { routeEvent } from '../src/events/store.ts'
import { lockHeldEvent, type WorkRow } from '../src/events/work.store.ts'
import type { Tx } from '../src/platform/postgres/query.ts'
import type { Business } from './business.ts'
import { request, until } from './caller.ts'
import { freshUserId } from './people.ts'
import { customerPath, freshEventId, requestsTo } from './provider.ts'
import { scansOf } from './scans.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())

type Shared = { name: string; customer: string; account: string; accountId: string }

let other: Business
const shared: Shared[] = []
let linked = { name: '', link: '' }
before(async () => {
  other = await world.otherBusiness()
  for (let count = 0; count < 9; count++) shared.push(await makeShared())
  linked = await makeLinked()
  // From here on every event is the test's own.
  await world.provider.fallSilent()
})

function sharedUser(): Shared {
  return shared.pop() ?? assert.fail('too few end-users were made')
}

/** An approved end-user of the first business, with an account; the other business has one of the same name. */
async function makeShared(): Promise<Shared> {
  const name = await world.business.user('approved')
  const { id } = await world.business.account(name)
  const accountId = id ?? ''
  const taken = await world.business.call('POST', '/v0/end-users', { externalUserId: name }, { key: other.apiKey })
  assert.equal(taken.status, 200, taken.text)
  return { name, accountId, ...(await world.providerIdsOf(accountId)) }
}

/** An end-user identified on the provider's pages, whose link is no longer stored here. */
async function makeLinked(): Promise<{ name: string; link: string }> {
  const name = await world.business.user()
  const { kycLink, tosLink } = (await world.business.call('GET', `/v0/end-users/${name}/kyc-links`)).body.data
  const [row] = await world.rows<{ id: string }>`
    select provider_kyc_link->>'id' as id from end_users where external_user_id = ${name}`
  await request('POST', tosLink, {})
  await request('POST', kycLink, { outcome: 'approve' })
  await until(
    'the customer',
    async () => (await world.business.call('GET', `/v0/end-users/${name}`)).body.data.providerCustomerId !== null,
  )
  await world.rows`update end_users set provider_kyc_link = null where external_user_id = ${name} returning id`
  await world.business.call('POST', '/v0/end-users', { externalUserId: name }, { key: other.apiKey })
  return { name, link: row?.id ?? '' }
}

const forgetCustomer = (customer: string) =>
  world.rows`update end_users set provider_customer_id = null where provider_customer_id = ${customer}`

const forgetAccount = (account: string) =>
  world.rows`update virtual_accounts set provider_virtual_account_id = null where provider_virtual_account_id = ${account}`

type Held = { businessId: string | null; externalUserId: string | null; error: string | null; isWork: boolean }

async function heldAs(eventId: string): Promise<Held | undefined> {
  const [row] = await world.rows<Held>`
      select e.business_id, e.external_user_id, w.error, w.event_id is not null as is_work
      from events e left join event_work w on w.event_id = e.id where e.provider_event_id = ${eventId}`
  return row
}

async function send(fields: Record<string, unknown>, type = 'test.shared'): Promise<string> {
  const event = { event_id: freshEventId(), event_type: type, ...fields }
  const answer = await world.post(event)
  assert.match(answer.body.data.message, /owner is not known yet/)
  return event.event_id
}

const routed = (eventId: string) =>
  until('the owner', async () => {
    const row = await heldAs(eventId)
    return row !== undefined && row.businessId !== null && row
  })

const ambiguous = (eventId: string) =>
  until('the reason', async () => {
    const row = await heldAs(eventId)
    return row?.error === 'owner is ambiguous' && row
  })

/** An event of two hours waits for an hour after each try. */
const putOff = (eventId: string) =>
  until('the end of the try', async () => {
    const rows = await world.rows`
      select 1 from event_work w join events e on e.id = w.event_id
      where e.provider_event_id = ${eventId} and due_at > now() + interval '10 minutes'`
    return rows.length > 0
  })

const hurry = async (eventId: string) => {
  await world.rows`
      update event_work w set due_at = now() from events e where e.id = w.event_id and e.provider_event_id = ${eventId}`
  world.inside.wake('apply')
}

test('a shared name is told apart by the customer that carries the id of our end-user', async () => {
  const { name, customer } = sharedUser()
  await forgetCustomer(customer)
  const namings = [
    { customer_id: customer },
    { event_object: { on_behalf_of: customer } },
    { data: { customer_id: customer } },
  ]
  for (const naming of namings) {
    const eventId = await send({ external_user_id: name, ...naming })
    const { businessId, externalUserId } = await routed(eventId)
    assert.deepEqual([businessId, externalUserId], [world.business.id, name])
    await until('the end of its work', async () => (await heldAs(eventId))?.isWork === false)
  }
})

test('a shared name is told apart by the end-user whose customer has the account at the provider', async () => {
  const { name, account } = sharedUser()
  await forgetAccount(account)
  const eventId = await send({ external_user_id: name, virtual_account_id: account })
  assert.equal((await routed(eventId)).businessId, world.business.id)
})

test('a shared name is told apart by the customer that came out of the KYC link', async () => {
  for (const naming of [{ kyc_link_id: linked.link }, { event_object: { id: linked.link } }]) {
    const eventId = await send({ external_user_id: linked.name, ...naming }, 'kyc_link.updated')
    assert.equal((await routed(eventId)).businessId, world.business.id)
  }
})

test('a shared name is told apart by the deposit that is in the provider’s history', async () => {
  const { name, account, accountId } = sharedUser()
  const paid = await world.business.call('POST', '/v0/sandbox/deposits', {
    virtualAccountId: accountId,
    amount: '25.00',
  })
  assert.equal(paid.status, 200, paid.text)
  type Step = { virtual_account_id: string; deposit_id?: string }
  const step = await until('the deposit', async () => {
    const history = await world.provider.ask('GET', '/virtual_accounts/history')
    return history.body.data.find((one: Step) => one.virtual_account_id === account && one.deposit_id) as Step
  })
  const eventId = await send({ external_user_id: name, data: { deposit_id: step.deposit_id } })
  assert.equal((await routed(eventId)).businessId, world.business.id)
})

test('what the provider does not know stays with nobody: the log, the metrics and the doctor tell the operator', async () => {
  const { name, customer } = sharedUser()
  const eventId = await send({ external_user_id: name, customer_id: 'nobodys-customer' })
  assert.equal((await ambiguous(eventId)).businessId, null)
  await world.rows`update events set created_at = now() - interval '2 hours' where provider_event_id = ${eventId} returning id`
  assert.equal(world.log.filter((line) => line.includes('event owner is ambiguous')).length, 1)
  await using replica = await world.replica()
  const figures = (await request('GET', `${replica.url}/metrics`)).text
  assert.match(figures, /^causeway_events_ambiguous 1$/m)
  const told = (await checkWork(world.inside.db)).find(({ check }) => check === 'event owners')
  assert.equal(told?.state, 'warning')
  assert.match(told.message, /^1 match several businesses and are held, the oldest for 2 h\.$/)
  assert.match(told.remedy ?? '', /Events without an owner/)

  // An address proves nothing: each business writes its own.
  const read = await world.provider.ask('GET', `/customers/${customer}`)
  const email = await world.business.call(
    'PATCH',
    `/v0/end-users/${name}`,
    { email: read.body.email },
    { key: other.apiKey },
  )
  assert.equal(email.status, 200, email.text)
  await hurry(eventId)
  await putOff(eventId)
  assert.equal((await ambiguous(eventId)).businessId, null)
  const erased = await world.business.call('DELETE', `/v0/end-users/${name}`, undefined, { key: other.apiKey })
  assert.ok(erased.status < 300, erased.text)
  await hurry(eventId)
  assert.equal((await routed(eventId)).businessId, world.business.id)
  await until('no warning', async () =>
    (await checkWork(world.inside.db)).every(({ check, state }) => check !== 'event owners' || state === 'ok'),
  )
})

test('while the provider is away the event is ambiguous, costs no try, and finds its owner afterwards', async () => {
  const { name, customer } = sharedUser()
  await forgetCustomer(customer)
  await world.provider.fails({ method: 'GET', path: customerPath, mode: 'status', status: 503, times: 1_000 })
  const eventId = await send({ external_user_id: name, customer_id: customer })
  await ambiguous(eventId)
  await world.provider.recovers()
  await hurry(eventId)
  assert.equal((await routed(eventId)).businessId, world.business.id)
})

test('an answer from before an event was made due does not put it off', async () => {
  const { name } = sharedUser()
  const eventId = await send({ external_user_id: name, customer_id: 'an-unknown-customer' })
  await ambiguous(eventId)
  const deps = world.inside
  const ways = [
    async (tx: Tx) => void (await tx`select hurry_waiting_events(array['an-unknown-customer'])`),
    async (tx: Tx, id: string) => void (await retryHeldEvent(tx, id)),
  ]
  for (const makeDue of ways) {
    const asked = await leasedWhileAsked(eventId)
    const held = await deps.db.transaction(async (tx) => {
      await makeDue(tx, asked.id)
      return await lockHeldEvent(tx, asked)
    })
    assert.equal(held, undefined, 'the try holds it no more')
    await applyByReading(servicesOf(deps).applies(deps), asked)
    const [row] = await world.rows<{ ms: number }>`
      select (extract(epoch from due_at - now()) * 1000)::float8 as ms from event_work where event_id = ${asked.id}`
    assert.ok(row && row.ms < 61_000, `it is due in ${row?.ms} ms`)
  }
  await world.business.call('DELETE', `/v0/end-users/${name}`, undefined, { key: other.apiKey })
  await hurry(eventId)
  assert.equal((await routed(eventId)).businessId, world.business.id)
})

test('an event that failed once is applied, though it makes itself due with the customer that it brings', async () => {
  const { name, customer } = sharedUser()
  await forgetCustomer(customer)
  const [user] = await world.rows<{ id: string }>`
    select id from end_users where external_user_id = ${name} and business_id = ${world.business.id}`
  await world.provider.fails({ method: 'GET', path: customerPath, mode: 'status', status: 503, times: 1_000 })
  const event_object = { id: customer, client_reference_id: user?.id }
  const event = { event_id: freshEventId(), event_type: 'customer.updated', event_category: 'customer', event_object }
  assert.equal((await world.post(event)).status, 200)
  await until('the failure', async () => (await heldAs(event.event_id))?.error)
  assert.equal((await heldAs(event.event_id))?.businessId, world.business.id)
  await world.provider.recovers()
  await hurry(event.event_id)
  await until('its end', async () => (await heldAs(event.event_id))?.isWork === false)
  const [found] =
    await world.rows`select 1 from end_users where id = ${user?.id} and provider_customer_id = ${customer}`
  assert.ok(found, 'the end-user has the customer')
})

/** As a try holds an event of two hours while it asks the provider. */
async function leasedWhileAsked(eventId: string): Promise<WorkRow> {
  const [asked] = await world.rows<WorkRow>`
    update event_work w set due_at = now() + interval '5 minutes', fence = fence + 1 from events e
    where e.id = w.event_id and e.provider_event_id = ${eventId}
    returning e.*, w.provider_refs, w.attempts, w.fence, w.error, 7200 as age_seconds, w.due_at as queue_from`
  return asked ?? assert.fail('no work')
}

test('a provider without hosted pages and without a history of all accounts is asked for neither', async () => {
  const named = { kyc_link_id: 'a-page-of-nobody', deposit_id: 'a-deposit-of-nobody' }
  const event = { external_user_id: linked.name, data: named }
  const eventId = await send(event)
  await ambiguous(eventId)
  const asked = await leasedWhileAsked(eventId)
  await using replica = await world.replica({
    adapt: (made) => ({ ...made, hostedKyc: null, deposits: { ...made.deposits, ofAll: null } }),
  })
  using requests = requestsTo(/virtual_accounts\/history|a-page-of-nobody/)
  await applyByReading(servicesOf(replica.inside).applies(replica.inside), asked)
  assert.deepEqual([requests.seen, (await heldAs(eventId))?.businessId], [[], null])
  await applyByReading(servicesOf(world.inside).applies(world.inside), await leasedWhileAsked(eventId))
  assert.equal(requests.seen.length, 2, 'a provider with both is asked for both')
})

test('an answer that comes late does not put back an event that has found its owner meanwhile', async () => {
  const { name, customer } = sharedUser()
  const eventId = await send({ external_user_id: name, customer_id: 'a-customer-of-nobody' })
  await ambiguous(eventId)
  const asked = await leasedWhileAsked(eventId)
  const [user] = await world.rows<{ id: string }>`select id from end_users where provider_customer_id = ${customer}`
  assert.ok(user)
  const deps = world.inside
  const owner = { ...asked, endUserId: user.id, businessId: world.business.id, externalUserId: name }
  await deps.db.transaction(async (tx) => {
    await routeEvent(tx, asked.id, owner)
    await tx`update event_work set error = null where event_id = ${asked.id}`
  })
  await applyByReading(servicesOf(deps).applies(deps), asked)
  assert.equal((await heldAs(eventId))?.error, null)
  await hurry(eventId)
  await until('its end', async () => (await heldAs(eventId))?.isWork === false)
})

test('an event that names customers of two businesses goes to neither, in whichever order', async () => {
  const own = sharedUser()
  const [theirs, foreign] = [freshUserId(), `cust-${freshUserId()}`]
  await world.business.call('POST', '/v0/end-users', { externalUserId: theirs }, { key: other.apiKey })
  await world.rows`update end_users set provider_customer_id = ${foreign} where external_user_id = ${theirs}`
  for (const [one, two] of [
    [own.customer, foreign],
    [foreign, own.customer],
  ]) {
    const eventId = await send({ event_object: { id: 'x', customer_id: one, on_behalf_of: two } })
    assert.equal((await ambiguous(eventId)).businessId, null)
  }
  const exact = { event_object: { virtual_account_id: own.account, customer_id: foreign } }
  const event = { event_id: freshEventId(), event_type: 'test.exact', ...exact }
  assert.match((await world.post(event)).body.data.message, /queued/)
  assert.equal((await heldAs(event.event_id))?.businessId, world.business.id, 'an account says more than a customer')
})

test('an owner is looked for through indexes, however many end-users there are', async () => {
  const name = await world.business.user()
  await world.rows`
      insert into end_users (business_id, id, external_user_id, provider, search_name, type)
      select ${other.id}, 'eu_many_' || n, 'many-' || n, 'bridge', 'many-' || n, 'individual' from generate_series(1, 20000) n`
  await world.rows`analyze end_users`
  await world.inside.db.transaction(async (tx) => {
    const before = await scansOf(tx, 'end_users')
    const owner = await findOwner(tx, 'bridge', { refs: ['unknown'], externalUserId: name })
    assert.ok(typeof owner !== 'string' && owner.externalUserId === name)
    const { whole, byIndex } = await scansOf(tx, 'end_users')
    assert.equal(whole - before.whole, 0)
    assert.ok(byIndex > before.byIndex)
  })
})
