// Each cause of a business is one alert and one recovery, and all that wait for a channel are one message.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { messagesTo, minutePasses, watchNow } from './alerts.ts'
import type { Business } from './business.ts'
import { dataOf, until } from './caller.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

type Watched = AsyncDisposable & {
  business: Business
  receiver: Receiver
  channelId: string
  kinds(): Promise<string[]>
}

/** A business with one channel to a receiver. `kinds`: all that was sent so far, as `kind phase`, sorted. */
async function watched(settings: object = {}): Promise<Watched> {
  const business = await world.otherBusiness('Acme')
  const receiver = await openReceiver()
  const body = { type: 'webhook', url: receiver.url, ...settings }
  const { id: channelId } = dataOf(await business.call('POST', '/v0/alert-channels', body))
  const kinds = async () =>
    (await messagesTo(business, channelId))
      .flatMap(({ alerts }) => alerts.map(({ kind, phase }) => `${kind} ${phase}`))
      .sort()
  return { business, receiver, channelId, kinds, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}

const open = async ({ business }: Watched, state = 'open') =>
  dataOf(await business.call('GET', `/v0/alerts?state=${state}`))
    .map(({ kind }: { kind: string }) => kind)
    .sort()

/** Rounds until the alerts in this state are of these kinds. */
async function untilAlerts(one: Watched, kinds: readonly string[], state = 'open'): Promise<void> {
  await until(`${kinds} ${state}`, async () => {
    await watchNow(world)
    return JSON.stringify(await open(one, state)) === JSON.stringify(kinds)
  })
}

/** Minutes until the channel was sent exactly these, each as `kind phase`, and one more in which nothing follows. */
async function untilSent(one: Watched, sent: readonly string[]): Promise<void> {
  const expected = JSON.stringify([...sent].sort())
  await until(expected, async () => {
    await minutePasses(world, one.channelId)
    return JSON.stringify(await one.kinds()) === expected
  })
  await minutePasses(world, one.channelId)
  await until('the outcomes', async () =>
    (await messagesTo(one.business, one.channelId)).every(({ state }) => state === 'sent'),
  )
  assert.equal(JSON.stringify(await one.kinds()), expected)
}

const bothPhases = (kinds: readonly string[]) => kinds.flatMap((kind) => [`${kind} opened`, `${kind} recovered`])

test('a deposit in review, its information request and a suspended account: each opens once and recovers once', async () => {
  const kinds = ['deposit.in_review', 'information_request.open', 'virtual_account.suspended']
  await using one = await watched({ kinds })
  const { business } = one
  const user = await business.user('approved')
  const { id: account } = await business.account(user)
  const deposit = await business.deposit(account, { amount: '40.42' }, 'in_review')
  const request = await business.informationRequest({ externalUserId: user, depositId: deposit.id })
  const paused = await business.user('approved')
  const { id: suspended } = await business.account(paused)
  dataOf(await business.call('POST', '/v0/sandbox/kyc-decisions', { externalUserId: paused, decision: 'pause' }))
  await business.accountReached(suspended, 'suspended')
  await untilAlerts(one, kinds)
  await untilSent(
    one,
    kinds.map((kind) => `${kind} opened`),
  )
  dataOf(await business.call('POST', `/v0/sandbox/deposits/${deposit.id}/advance`, { to: 'completed' }))
  dataOf(await business.call('POST', `/v0/sandbox/information-requests/${request.id}/advance`, { to: 'closed' }))
  dataOf(await business.call('POST', '/v0/sandbox/kyc-decisions', { externalUserId: paused, decision: 'approve' }))
  await untilAlerts(one, kinds, 'recovered')
  await untilSent(one, bothPhases(kinds))
  const text = one.receiver.seen.map(({ body }) => body.toString()).join()
  assert.ok(!text.includes(user) && !text.includes('Ada'), 'no identity data')
})

test('a deposit with a failed refund is on hold until the refund ends', async () => {
  await using one = await watched({ kinds: ['deposit.on_hold'] })
  const user = await one.business.user('approved')
  const { id: account } = await one.business.account(user)
  const { id } = await one.business.deposit(account, { amount: '41.42' }, 'in_review')
  await world.rows`update deposits set status = 'failed' where id = ${id}`
  await untilAlerts(one, ['deposit.on_hold'])
  await world.rows`update deposits set status = 'refunded' where id = ${id}`
  await untilAlerts(one, ['deposit.on_hold'], 'recovered')
})

test('an endpoint that responds with 410 is disabled, and no longer when it is resumed', async () => {
  await using one = await watched({ kinds: ['endpoint.disabled'] })
  await using endpoint = await one.business.endpoint({}, () => 410)
  dataOf(await one.business.call('POST', `/v0/webhook-endpoints/${endpoint.id}/test`))
  await untilAlerts(one, ['endpoint.disabled'])
  endpoint.receiver.reply = () => 200
  await endpoint.change({ status: 'enabled' })
  await untilAlerts(one, ['endpoint.disabled'], 'recovered')
  await untilSent(one, bothPhases(['endpoint.disabled']))
})

test('a new key and changed bank details are one alert each, without a recovery', async () => {
  await using one = await watched()
  const { call, user } = one.business
  const externalUserId = await user('approved')
  const { id: account } = await one.business.account(externalUserId)
  const { id } = dataOf(await call('POST', '/v0/api-keys', { name: 'Reports' }))
  const { id: rolled } = dataOf(await call('POST', `/v0/api-keys/${id}/roll`, {}))
  dataOf(await call('DELETE', `/v0/api-keys/${rolled}`))
  const ids = await world.providerIdsOf(account)
  await world.provider.control('POST', `/virtual_accounts/${ids.account}/move`)
  const kinds = ['api_key.created', 'api_key.revoked', 'api_key.rolled', 'virtual_account.bank_details_changed']
  await untilAlerts(one, kinds, 'occurred')
  await untilSent(
    one,
    kinds.map((kind) => `${kind} opened`),
  )
})

test('each channel gets a failing endpoint after its own minutes, and the recovery only after the alert', async () => {
  await using early = await watched({ kinds: ['endpoint.failing'], endpointFailingMinutes: 1 })
  const late = dataOf(
    await early.business.call('POST', '/v0/alert-channels', {
      ...{ type: 'slack', url: early.receiver.url, endpointFailingMinutes: 30, kinds: ['endpoint.failing'] },
    }),
  )
  await using endpoint = await early.business.endpoint()
  const failing = (minutes: number | null) =>
    world.rows`
      update endpoint_lanes set failing_since = now() - make_interval(mins => ${minutes}::int) where endpoint_id = ${endpoint.id}`
  await failing(5)
  await untilAlerts(early, ['endpoint.failing'])
  await untilSent(early, ['endpoint.failing opened'])
  assert.deepEqual(await messagesTo(early.business, late.id), [])
  await failing(null)
  await untilAlerts(early, ['endpoint.failing'], 'recovered')
  await untilSent(early, bothPhases(['endpoint.failing']))
  assert.deepEqual(await messagesTo(early.business, late.id), [], 'no recovery of an alert that it did not get')
  await failing(45)
  await until('the alert to both', async () => {
    await minutePasses(world, early.channelId)
    return (await messagesTo(early.business, late.id)).length === 1
  })
})

test('500 deposits in review are one message a minute to each channel, with the first ten and a number', async () => {
  await using one = await watched({ type: 'slack', kinds: ['deposit.in_review'] })
  const user = await one.business.user('approved')
  const { id: account } = await one.business.account(user)
  const { id } = await one.business.deposit(account, { amount: '42.42' }, 'in_review')
  await world.rows`
    insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, state, source_currency,
      destination_currency)
    select business_id, 'dep_' || lpad(n::text, 26, '0'), virtual_account_id, end_user_id, 'storm_' || n, status, state,
      source_currency, destination_currency
    from deposits, generate_series(1, 499) n where id = ${id}`
  await watchNow(world)
  await until('the message', () => one.receiver.seen[0])
  for (let round = 0; round < 3; round++) {
    await watchNow(world)
    await world.rows`update deposits set updated_at = now() where business_id = ${one.business.id}`
  }
  const [message, ...others] = await messagesTo(one.business, one.channelId)
  assert.deepEqual([message?.alertCount, message?.alerts.length, others], [500, 10, []])
  assert.match(message?.subject ?? '', /^\[Causeway\] Deposit in review: dep_\w+ and 499 more alerts$/)
  const { text } = JSON.parse(one.receiver.seen[0]?.body.toString() ?? '')
  assert.equal(text.match(/Deposit in review: /g).length, 10)
  assert.match(text, /… and 490 more/)
  assert.equal(one.receiver.seen.length, 1)
})

test('a channel that is created later gets the alerts that are open, and a paused one gets nothing', async () => {
  await using one = await watched({ kinds: ['deposit.in_review'] })
  const user = await one.business.user('approved')
  const { id: account } = await one.business.account(user)
  await one.business.deposit(account, { amount: '43.42' }, 'in_review')
  await untilSent(one, ['deposit.in_review opened'])
  await using receiver = await openReceiver()
  const body = { type: 'slack', url: receiver.url, kinds: ['deposit.in_review'] }
  const { id } = dataOf(await one.business.call('POST', '/v0/alert-channels', body))
  await watchNow(world)
  await until('the open alert', () => receiver.seen[0])
  dataOf(await one.business.call('PATCH', `/v0/alert-channels/${id}`, { status: 'paused' }))
  await one.business.deposit(account, { amount: '44.42' }, 'in_review')
  await untilSent(one, ['deposit.in_review opened', 'deposit.in_review opened'])
  assert.equal(receiver.seen.length, 1)
})
