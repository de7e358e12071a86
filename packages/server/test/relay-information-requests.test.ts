// Information requests of the provider: by events in any order, by polling if the events are lost, and by neither if
// the provider refuses. Personal data in a request is stored nowhere.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { requestInformationRequestPull } from '../src/reconcile/information-requests.store.ts'
import type { Deposit, InformationRequest } from './business.ts'
import { until } from './caller.ts'
import { searchDatabaseFiles } from './canary-search.ts'
import { freshEventId } from './provider.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { openWorld } from './world.ts'

const canary = 'ZqRfiCanary'
const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '3600' } })
let receiver: Receiver
after(async () => {
  await receiver[Symbol.asyncDispose]()
  await world.stop()
})

let externalUserId = ''
let customer = ''
/** Approved before the provider falls silent. */
let [lateUser, erasedUser] = ['', '']
let lateAccount = ''
let deposit: Deposit
before(async () => {
  receiver = await openReceiver()
  const set = await world.business.call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  assert.equal(set.status, 200, set.text)
  externalUserId = await world.business.user('approved')
  customer = await customerOf(externalUserId)
  lateUser = await world.business.user('approved')
  erasedUser = await world.business.user('approved')
  lateAccount = (await world.business.account(lateUser))['id'] ?? ''
  const { id: account = '' } = await world.business.account(externalUserId)
  deposit = await world.business.deposit(account, { amount: '40.00' }, 'completed')
})

async function customerOf(user: string): Promise<string> {
  return (await world.business.call('GET', `/v0/end-users/${user}`)).body.data.providerCustomerId
}

type Rfi = Record<string, unknown> & { id: string }

async function open(order: object = {}): Promise<Rfi> {
  const marked = { questions: [`${canary} question`], custom_body: `${canary} context`, customer_id: customer }
  const answer = await world.provider.control('POST', '/rfis', { ...marked, ...order })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function move(rfi: Rfi, change: object): Promise<Rfi> {
  return (await world.provider.control('POST', `/rfis/${rfi.id}`, change)).body
}

async function shownOf(rfi: Rfi): Promise<InformationRequest | undefined> {
  const id = await ourId(rfi)
  return id === undefined ? undefined : (await world.business.call('GET', `/v0/information-requests/${id}`)).body.data
}

async function ourId({ id }: Rfi): Promise<string | undefined> {
  const [row] = await world.rows<{ id: string }>`select id from information_requests where provider_id = ${id}`
  return row?.id
}

async function inState(rfi: Rfi, state: string): Promise<InformationRequest> {
  const id = await until('the request', () => ourId(rfi))
  return await world.business.informationRequestReached(id, state)
}

/** Has the second channel read now, to its end. */
async function pull(): Promise<void> {
  const { db, wake } = world.inside
  const stateOf = async () =>
    (
      await world.rows<{ fence: number; began: Date | null }>`
        select fence, began_at as began from information_request_pull`
    )[0]
  const before = (await stateOf())?.fence ?? 0
  await db.transaction(requestInformationRequestPull)
  wake('reconcile')
  await until('the end of the pull', async () => {
    const now = await stateOf()
    return now !== undefined && now.fence > before && now.began === null
  })
}

const event = (rfi: Rfi, fields: object = {}) => ({
  event_id: freshEventId(),
  event_category: 'rfi',
  event_type: 'rfi.updated',
  event_object_id: rfi.id,
  event_object: rfi,
  event_created_at: new Date().toISOString(),
  ...fields,
})

test('an event brings a request, and each further event its state, whatever the type of the event is called', async () => {
  const rfi = await open()
  const { id } = await inState(rfi, 'action_required')
  await move(rfi, { state: 'on_bridge' })
  await world.business.informationRequestReached(id, 'in_review')
  await move(rfi, { state: 'closed' })
  await world.business.informationRequestReached(id, 'closed')
  await world.provider.fallSilent()
  for (const event_type of ['rfi.reopened_by_reviewer', 'RFI.Created']) {
    const moved = await move(rfi, { state: event_type === 'RFI.Created' ? 'closed' : 'on_developer' })
    const answer = await world.post({ ...event(moved), event_category: undefined, event_type })
    assert.equal(answer.status, 200, answer.text)
    await world.business.informationRequestReached(id, event_type === 'RFI.Created' ? 'closed' : 'action_required')
  }
})

test('events that come late and in the wrong order leave the state that the provider has', async () => {
  const opened = await open()
  const answered = await move(opened, { state: 'on_bridge' })
  const closed = await move(opened, { state: 'closed' })
  for (const rfi of [closed, opened, answered]) assert.equal((await world.post(event(rfi))).status, 200)
  await inState(opened, 'closed')
  await until('the events to be dealt with', async () => (await world.rows`select 1 from event_work`).length === 0)
  assert.equal((await shownOf(opened))?.state, 'closed')
})

test('where the provider refuses to show requests, a signed event is believed, an older one and an unsigned one are not', async () => {
  const opened = await open()
  await delay(10) // of two states with one time, neither is the older one
  const answered = await move(opened, { state: 'on_bridge' })
  await world.provider.fails({
    path: '^/v0/rfis',
    mode: 'status',
    status: 403,
    body: { code: 'not_allowed' },
    times: 1_000,
  })
  try {
    await world.post(event(opened), { signed: false })
    await world.post(event(answered))
    await inState(opened, 'in_review')
    await world.post(event(opened))
    await world.post(event({ ...answered, state: 'closed' }), { signed: false })
    await until('the events to be dealt with', async () => (await world.rows`select 1 from event_work`).length === 0)
    assert.equal((await shownOf(opened))?.state, 'in_review')
    await pull()
    const operator = { key: world.operator.secret }
    const status = await world.business.call('GET', '/v0/operator/provider', undefined, operator)
    assert.notEqual(status.body.data.reconciliation.informationRequestsRefusedSince, null)
    const lines = () => world.log.filter((line) => line.includes('refuses to list information requests'))
    assert.equal(lines().length, 1)
    await pull()
    assert.equal(lines().length, 1, 'once, and not at each look')
  } finally {
    await world.provider.recovers()
  }
  await pull()
  const operator = { key: world.operator.secret }
  const { reconciliation } = (await world.business.call('GET', '/v0/operator/provider', undefined, operator)).body.data
  assert.equal(reconciliation.informationRequestsRefusedSince, null)
  assert.notEqual(reconciliation.informationRequestsCoveredTo, null)
})

test('a request whose events were lost is found by the second channel, and so are its answer and its end', async () => {
  const rfis: Rfi[] = []
  for (let count = 0; count < 12; count++) rfis.push(await open({ deadline_ms: 3_600_000 }))
  await pull()
  for (const rfi of rfis) assert.equal((await shownOf(rfi))?.state, 'action_required')
  const first = rfis[0] as Rfi
  await move(first, { state: 'on_bridge' })
  for (const rfi of rfis.slice(1)) await move(rfi, { state: 'closed' })
  await pull()
  assert.equal((await shownOf(first))?.state, 'in_review')
  for (const rfi of rfis.slice(1)) assert.equal((await shownOf(rfi))?.state, 'closed')
  await move(first, { deadline_ms: 7_200_000 })
  await pull()
  const deadline = Date.parse((await shownOf(first))?.deadline ?? '')
  assert.ok(deadline > Date.parse(String(first['deadline'])))
})

test('a reading that changes nothing sends nothing, and a pull continues where the provider failed', async () => {
  const count = async () => (await world.rows`select 1 from events where type = 'information_request.updated'`).length
  const rfi = await open()
  await pull()
  const before = await count()
  await pull()
  assert.equal(await count(), before)
  await move(rfi, { state: 'closed' })
  await world.provider.fails({ path: '^/v0/rfis/', mode: 'status', status: 503, times: 1 })
  const { db, wake } = world.inside
  await db.transaction(requestInformationRequestPull)
  wake('reconcile')
  await until('a failure', async () => {
    const rows = await world.rows`select 1 from information_request_pull where failures > 0`
    return rows.length > 0
  })
  await world.rows`update information_request_pull set due_at = now() returning 1`
  wake('reconcile')
  await inState(rfi, 'closed')
})

test('a request that the provider refuses to show holds up no other, and is no refusal of the list', async () => {
  const pair = [await open(), await open()].sort((one, other) => (one.id < other.id ? -1 : 1)) as [Rfi, Rfi]
  await pull()
  for (const rfi of pair) await move(rfi, { state: 'closed' })
  const [refused, other] = pair
  const isRefusalShown = async () => {
    const operator = { key: world.operator.secret }
    const { reconciliation } = (await world.business.call('GET', '/v0/operator/provider', undefined, operator)).body
      .data
    return reconciliation.informationRequestsRefusedSince !== null
  }
  try {
    for (const [status, body] of [
      [403, { code: 'not_allowed' }],
      [401, { code: 'invalid_credentials' }],
      [400, { code: 'invalid_parameters' }],
      [404, {}],
    ] as const) {
      await world.provider.recovers()
      await world.provider.fails({ path: `^/v0/rfis/${refused.id}$`, mode: 'status', status, body, times: 1_000 })
      await pull()
      assert.equal((await shownOf(other))?.state, 'closed', `${status}`)
      assert.equal((await shownOf(refused))?.state, 'action_required', `${status}`)
      assert.equal(await isRefusalShown(), false, `${status}`)
      await move(other, { state: 'on_bridge' })
      await world.post(event(await move(other, { state: 'on_developer' })))
      await inState(other, 'action_required')
      await move(other, { state: 'closed' })
    }
    await world.provider.recovers()
    const body = { code: 'not_allowed' }
    await world.provider.fails({ path: '^/v0/rfis/', mode: 'status', status: 403, body, times: 1_000 })
    await pull()
    assert.equal(await isRefusalShown(), true, 'all of them')
  } finally {
    await world.provider.recovers()
  }
  await pull()
  for (const rfi of pair) assert.equal((await shownOf(rfi))?.state, 'closed')
  assert.equal(await isRefusalShown(), false)
})

test('a request that the provider no longer has is closed, at the time of the database', async () => {
  const rfi = { ...(await open()), id: 'rfi_gone' }
  await world.post(event(rfi))
  const { openedAt } = await inState(rfi, 'action_required')
  const deps = world.inside
  const { now } = deps
  deps.now = () => now() - 3_600_000
  try {
    await pull()
  } finally {
    deps.now = now
  }
  const { closedAt } = await inState(rfi, 'closed')
  assert.ok(Date.parse(String(closedAt)) >= Date.parse(String(openedAt)), `opened ${openedAt}, closed ${closedAt}`)
})

test('a request of a customer whom an end-user gets later moves to that business, and is told to it', async () => {
  const user = lateUser
  const late = await customerOf(user)
  await world.rows`update end_users set provider_customer_id = null where provider_customer_id = ${late} returning 1`
  const rfi = await open({ customer_id: late })
  await pull()
  assert.equal(await shownOf(rfi), undefined)
  const operator = { key: world.operator.secret }
  const seen = async () =>
    (
      await world.business.call('GET', '/v0/operator/information-requests?limit=100', undefined, operator)
    ).body.data.find(({ providerRequestId }: { providerRequestId: string }) => providerRequestId === rfi.id)
  assert.equal((await seen()).customerId, null)
  await world.rows`
      update end_users set provider_customer_id = ${late} where external_user_id = ${user} returning 1`
  await pull()
  assert.equal((await shownOf(rfi))?.externalUserId, user)
  assert.equal((await seen()).customerId, world.business.id)
  const { data } = (await world.business.call('GET', `/v0/end-users/${user}`)).body
  assert.equal(data.informationRequests.length, 1)
})

test('a request about a deposit that names no customer belongs to the end-user who alone has that deposit', async () => {
  const rfi: Rfi = { ...(await open({ deposit_id: deposit['providerDepositId'] })), customer_id: null }
  assert.equal(rfi['referent_id'], deposit['providerDepositId'])
  const told = { count: 1, data: [rfi] }
  await world.provider.fails({ path: '^/v0/rfis$', mode: 'status', status: 200, body: told, times: 1_000 })
  await world.provider.fails({ path: `^/v0/rfis/${rfi.id}$`, mode: 'status', status: 200, body: rfi, times: 1_000 })
  try {
    await world.rows`
        insert into deposits
        select (jsonb_populate_record(d, jsonb_build_object('id', 'dep_other', 'virtual_account_id', ${lateAccount}::text,
          'end_user_id', (select id from end_users where external_user_id = ${lateUser})))).*
        from deposits d where id = ${deposit.id} returning id`
    await pull()
    assert.notEqual(await ourId(rfi), undefined)
    assert.equal(await shownOf(rfi), undefined, 'two end-users have a deposit of this ID')
    await world.rows`delete from deposits where id = 'dep_other' returning id`
    await pull()
    const shown = await shownOf(rfi)
    assert.deepEqual([shown?.externalUserId, shown?.depositId], [externalUserId, deposit.id])
  } finally {
    await world.provider.recovers()
  }
})

test('an erased end-user takes its requests along, and what is still open is the operator’s', async () => {
  const user = erasedUser
  const rfi = await open({ customer_id: await customerOf(user) })
  await pull()
  assert.equal((await shownOf(rfi))?.externalUserId, user)
  assert.equal((await world.business.call('DELETE', `/v0/end-users/${user}`)).status, 200)
  assert.equal(await ourId(rfi), undefined)
  await pull()
  const [row] = await world.rows<{ businessId: string; endUserId: string | null }>`
    select business_id, end_user_id from information_requests where provider_id = ${rfi.id}`
  assert.deepEqual({ ...row }, { businessId: 'deployment', endUserId: null })
  assert.equal(await shownOf(rfi), undefined)
})

test('what a request quotes and asks, and its link, are in no event, no delivery, no log line and no file of the database', async () => {
  const recorded = (await world.provider.events()).filter(({ event_type }) => event_type.startsWith('rfi.'))
  assert.match(JSON.stringify(recorded), new RegExp(`${canary} question.*${canary} context`), 'the provider tells them')
  for (const rfi of recorded) await world.post(rfi)
  const forwarded = await until('a forwarded event', () =>
    receiver.seen.filter(({ headers }) => String(headers['svc-event-type']).startsWith('rfi.')).at(-1),
  )
  const { event_object: object } = JSON.parse(forwarded.body.toString())
  assert.ok(object.id.startsWith('rfi_') && object.deadline.endsWith('Z'))
  for (const gone of ['context', 'requested_items', 'dashboard_url']) assert.ok(!(gone in object), gone)
  const told = receiver.seen.map(({ body }) => body.toString()).join()
  const pages = await everyPage('/v0/events?limit=100')
  for (const text of [told, pages, world.log.join()])
    for (const secret of [canary, '/rfis/']) assert.ok(!text.includes(secret), secret)
  const { hits, files } = await searchDatabaseFiles(world.database, new RegExp(canary, 'g'))
  assert.ok(files > 100)
  assert.deepEqual(hits, [])
})

async function everyPage(path: string): Promise<string> {
  const answer = await world.business.call('GET', path)
  const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  if (next === undefined) return answer.text
  const { pathname, search } = new URL(next)
  return answer.text + (await everyPage(pathname + search))
}
