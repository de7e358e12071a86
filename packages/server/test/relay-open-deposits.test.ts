// Open deposits are read again: changes are found without the event, the event log and the history of all accounts. A
// provider that lacks these parts is not asked for them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, until } from './caller.ts'
import { openWorld, type ReplicaPlan } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

const accounts: string[] = []
before(async () => {
  const person = await world.business.user('approved')
  for (let made = 0; made < 5; made += 1) accounts.push((await world.business.account(person))['id'] ?? '')
  // The walk that reads everything again would find all of it as well, once a day.
  await world.rows`update reread_walk set due_at = now() + interval '1 day', began_at = null, ended_at = now() returning provider`
})

/** A deposit of each account that waits in review, of which no further event comes. */
async function openOnes(): Promise<string[]> {
  await world.provider.recovers()
  await deliver('active')
  const order = { amount: '30.00', outcome: 'in_review' }
  const ids: string[] = []
  for (const account of accounts) ids.push((await world.business.deposit(account, order, 'in_review')).id)
  await world.provider.fallSilent()
  return ids
}

async function deliver(status: string): Promise<void> {
  const [webhook] = (await world.provider.ask('GET', '/webhooks')).body.data
  if (webhook.status !== status) await world.provider.ask('PUT', `/webhooks/${webhook.id}`, { status })
}

const advance = async (id: string | undefined, to = 'completed') => {
  const answer = await world.business.call('POST', `/v0/sandbox/deposits/${id}/advance`, { to })
  assert.equal(answer.status, 200, answer.text)
}
const statusOf = async (id: string | undefined): Promise<string> =>
  (await world.business.call('GET', `/v0/deposits/${id}`)).body.data.status
const completed = (id: string | undefined) => until('the completion', async () => (await statusOf(id)) === 'completed')
const upstreamIds = () => Promise.all(accounts.map(async (account) => (await world.providerIdsOf(account)).account))

/** A provider without a record of events, a history of all accounts, and requests for information. */
function lacking(seen: string[], readsPerSecond = 10, atOnce: number[] = []): NonNullable<ReplicaPlan['adapt']> {
  return (made) => {
    let running = 0
    const ofAccount: typeof made.deposits.ofAccount = async (customer, account, page) => {
      seen.push(account)
      atOnce.push(++running)
      return await made.deposits.ofAccount(customer, account, page).finally(() => {
        running -= 1
      })
    }
    return {
      ...made,
      record: null,
      informationRequests: null,
      deposits: { ...made.deposits, ofAccount, ofAll: null },
      traits: { ...made.traits, readsPerSecond },
    }
  }
}

test('a lost completion is found, and a deposit that is completed is read no more', async () => {
  const [lost, waiting] = await openOnes()
  const seen: string[] = []
  await using _ = await world.replica({ config: { reconcilePeriodSeconds: 1 }, adapt: lacking(seen) })
  await advance(lost)
  await completed(lost)
  const [ofLost = '', ofWaiting = ''] = await upstreamIds()
  const timesOf = (account: string) => seen.filter((id) => id === account).length
  const [before, others] = [timesOf(ofLost), timesOf(ofWaiting)]
  await until('further readings', () => timesOf(ofWaiting) >= others + 3)
  assert.ok(timesOf(ofLost) <= before + 1, 'at most the one that was under way')
  assert.equal(await statusOf(waiting), 'in_review')
  const told = await world.business.call('GET', '/v0/events?eventType=virtual_account.payment.received')
  assert.equal(told.body.data.length, 1)
})

test('two replicas read each account once, as many at once as the provider takes', async () => {
  await openOnes()
  const [seen, atOnce] = [[] as string[], [] as number[]]
  // The period is an hour: who is read now is not due for the rest of this test.
  const plan = { config: { reconcilePeriodSeconds: 3_600 }, adapt: lacking(seen, 2, atOnce) }
  await using one = await world.replica(plan)
  await using other = await world.replica(plan)
  await world.rows`update deposits set read_at = now() - interval '2 hours' where status = 'in_review' returning id`
  for (const { inside } of [one, other]) inside.wake('reconcile')
  await until('all of them', async () => {
    const [row] = await world.rows<{ unread: number }>`
      select count(*)::int as unread from deposits where status = 'in_review' and read_at < now() - interval '1 hour'`
    return row?.unread === 0
  })
  assert.deepEqual(seen.toSorted(), (await upstreamIds()).toSorted())
  assert.ok(Math.max(...atOnce) <= 2)
})

test('an account that cannot be read does not hold up the others, and is read once it can be', async () => {
  const [failing, lost] = await openOnes()
  const [ofFailing = ''] = await upstreamIds()
  await world.provider.fails({ path: `${ofFailing}/history$`, mode: 'status', status: 503, times: 1_000 })
  await using _ = await world.replica({ config: { reconcilePeriodSeconds: 1 }, adapt: lacking([]) })
  await advance(failing)
  await advance(lost)
  await completed(lost)
  assert.equal(await statusOf(failing), 'in_review')
  await world.provider.recovers()
  await completed(failing)
})

test('a provider that is away postpones the reading, and nothing is lost', async () => {
  const [lost] = await openOnes()
  await world.provider.fails({ path: '/history$', mode: 'status', status: 503, times: 1_000 })
  await using _ = await world.replica({ config: { reconcilePeriodSeconds: 1 }, adapt: lacking([]) })
  await advance(lost)
  await until('a failure', async () => {
    const [walk] = await world.rows<{ failures: number }>`select failures from open_deposit_walk`
    return (walk?.failures ?? 0) > 0
  })
  await world.provider.recovers()
  await completed(lost)
})

test('where no deposit is open, or a refund failed a week ago, the provider is not asked', async () => {
  const [failed, ...others] = await openOnes()
  const plan = { config: { reconcilePeriodSeconds: 1 }, adapt: lacking([]) }
  {
    await using _ = await world.replica(plan)
    await advance(failed, 'refund_failed')
    for (const id of others) await advance(id)
    for (const id of others) await completed(id)
    await until('the failure', async () => (await statusOf(failed)) === 'failed')
  }
  await world.rows`
    update deposits set updated_at = now() - interval '8 days', read_at = now() - interval '1 day' where id = ${failed} returning id`
  await world.rows`update deposits set status = 'completed' where status = 'in_review' returning id` // of earlier tests
  await world.provider.fails({ path: '.', mode: 'delay', delay_ms: 0, times: 1_000 })
  const pulls = async () => (await world.rows<{ fence: number }>`select fence::int from event_pull`)[0]?.fence ?? 0
  const began = await pulls()
  await using _ = await world.replica(plan)
  await until('some periods', async () => (await pulls()) >= began + 4)
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 0)
})

test('without a record the history of all accounts is read, and nobody lists requests for information', async () => {
  await world.provider.recovers()
  const adapt: ReplicaPlan['adapt'] = (made) => ({ ...made, record: null, informationRequests: null })
  await using replica = await world.replica({ config: { reconcilePeriodSeconds: 1 }, adapt })
  await world.provider.fails({ path: '^/v0/(rfis|webhook_events)', mode: 'delay', delay_ms: 0, times: 1_000 })
  const before = await world.rows`select 1 from deposits`
  const [account = ''] = await upstreamIds()
  await world.provider.control('POST', `/virtual_accounts/${account}/deposits`, { amount: '100.00', step_ms: 1 })
  await until('the deposit', async () => (await world.rows`select 1 from deposits`).length === before.length + 1)
  const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
  assert.equal(hits, 0)
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const requests = await request('GET', `${replica.url}/v0/information-requests`, undefined, { headers })
  assert.deepEqual([requests.status, requests.body.data], [200, []])
})
