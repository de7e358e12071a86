// Locks are taken in one order (platform/postgres/lock-order.ts): concurrent requests on one object wait briefly or get
// 409, and PostgreSQL never has to end a transaction because of a deadlock.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isNightly } from '../../../scripts/test-needs.ts'
import { type Answer, operations, until } from './caller.ts'
import { kycBody, solanaWallet } from './people.ts'
import { staffOf } from './staff.ts'
import { openWorld } from './world.ts'
import {
  type Ask,
  channelWrites,
  elsewhere,
  endpointWrites,
  endUserWrites,
  keyWrites,
  type Objects,
  usesUp,
} from './write-pairs.ts'

const world = await openWorld({
  alone: true,
  env: {
    DATABASE_POOL_MAX: '20',
    KYC_SUBMISSIONS_PER_MINUTE: '10000',
    WEBHOOK_RETRY_SECONDS: '3600',
  },
})
after(() => world.stop())

/** Twice is enough to meet itself and every other; more meet in more orders. */
const requestsEach = isNightly ? 8 : 2
/** Operations of a block: two blocks meet at once, which is 16 requests. */
const blockSize = 4
const preparedAtOnce = 6
const operator = { key: world.operator.secret }

type Caller = { call(ask: Ask): Promise<Answer>; objects: Objects }
type Prepare = (writes: readonly string[]) => Promise<Caller>

async function openBusiness(): Promise<{ customer: string; key: string; must(ask: Ask): Promise<Answer['body']> }> {
  const { id: customer, apiKey: key } = await world.otherBusiness()
  const must = async ({ method, path, body }: Ask) => {
    const answer = await world.business.call(method, path, body, { key })
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body.data
  }
  return { customer, key, must }
}

function callerOf(key: string, objects: Partial<Objects>): Caller {
  const none = ''
  const filled = {
    ...{ externalUserId: none, providerCustomerId: none, account: none, endpoint: none, apiKey: none },
    ...{
      event: none,
      delivery: none,
      replay: none,
      consoleLink: none,
      staff: none,
      onboardingLink: none,
      customer: none,
    },
    alertChannel: none,
    ...objects,
  }
  const call = ({ method, path, body, as }: Ask) =>
    as === 'provider'
      ? world.post(body)
      : world.business.call(method, path, body, as === 'operator' ? operator : { key })
  return { call, objects: filled }
}

const prepareEndUser: Prepare = async (writes) => {
  const { customer, key, must } = await openBusiness()
  const externalUserId = customer
  const user = `/v0/end-users/${externalUserId}`
  await must({ method: 'PUT', path: '/v0/webhook-url', body: { webhookUrl: world.inboxUrl } })
  await must({ method: 'POST', path: '/v0/end-users', body: { externalUserId, email: `${customer}@example.com` } })
  const { tosLink } = await must({ method: 'POST', path: `${user}/tos-link`, body: {} })
  const { body: accepted } = await world.provider.control('POST', '/terms/accept', { link: tosLink })
  await must({ method: 'POST', path: `${user}/submit-kyc`, body: kycBody(accepted.signed_agreement_id, customer) })
  const { providerCustomerId } = await until('the approval', async () => {
    // Nobody tells this world: the emulator's events go elsewhere, so each look asks the provider.
    await must({ method: 'GET', path: `${user}/kyc-links` })
    const found = await must({ method: 'GET', path: user })
    return found.kycStatus === 'approved' && found.rails.usd === 'active' && found
  })
  const opened = { externalUserId, source: { currency: 'usd' }, destination: solanaWallet }
  const { id: account } = await must({ method: 'POST', path: '/v0/virtual-accounts', body: opened })
  const asked = { method: 'POST', path: `${user}/onboarding-links`, body: { rails: ['cop'] } }
  const { id: onboardingLink } = await must(asked)
  // An active account would refuse every erasure.
  if (writes.includes('deleteEndUser'))
    await must({ method: 'POST', path: `/v0/virtual-accounts/${account}/deactivate` })
  return callerOf(key, { externalUserId, providerCustomerId, account, onboardingLink, customer })
}

const prepareEndpoint: Prepare = async () => {
  const { customer, key, must } = await openBusiness()
  const externalUserId = customer
  await must({ method: 'PUT', path: '/v0/webhook-url', body: { webhookUrl: 'http://127.0.0.1:9/default' } })
  await must({ method: 'POST', path: '/v0/end-users', body: { externalUserId } })
  const webhookUrl = 'http://127.0.0.1:9/in'
  const { id: endpoint } = await must({ method: 'POST', path: '/v0/webhook-endpoints', body: { webhookUrl } })
  const tested = await must({ method: 'POST', path: `/v0/webhook-endpoints/${endpoint}/test` })
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() }
  const { id: replay } = await must({ method: 'POST', path: `/v0/webhook-endpoints/${endpoint}/replay`, body: range })
  const { eventId: event, deliveryId: delivery } = tested
  return callerOf(key, { customer, externalUserId, endpoint, event, delivery, replay })
}

const prepareKey: Prepare = async () => {
  const { customer, key, must } = await openBusiness()
  const { id: apiKey } = await must({ method: 'POST', path: '/v0/api-keys', body: {} })
  const body = { scopes: ['events:read'] }
  const { id: consoleLink } = await must({ method: 'POST', path: '/v0/console-links', body })
  const { id: staff } = await staffOf(world, { businessId: customer })
  return callerOf(key, { customer, apiKey, consoleLink, staff })
}

const prepareChannel: Prepare = async () => {
  const { customer, key, must } = await openBusiness()
  const body = { type: 'slack', url: 'http://127.0.0.1:9/' }
  const { id: alertChannel } = await must({ method: 'POST', path: '/v0/alert-channels', body })
  return callerOf(key, { customer, alertChannel })
}

const deadlocks = async (): Promise<number> =>
  (
    await world.rows<{ count: number }>`
      select deadlocks::int as count from pg_stat_database where datname = current_database()`
  )[0]?.count ?? -1

/** Operations that are asked for at once, on the same objects. */
type Meeting = readonly string[]

/** Every pair alone, together with those that can use the objects it leaves. */
function pairsOf(names: readonly string[]): Meeting[][] {
  return names.flatMap((one, index) => {
    const pairs = names.slice(index).map((other): Meeting => [one, other])
    const apart = pairs.filter((pair) => pair.some((name) => usesUp.has(name)))
    const together = pairs.filter((pair) => !apart.includes(pair))
    return [...apart.map((pair) => [pair]), ...(together.length > 0 ? [together] : [])]
  })
}

/**
 * Every pair in a few meetings, on separate objects: each two blocks, and each block with the writes that use its
 * objects up.
 */
function blocksOf(names: readonly string[]): Meeting[][] {
  const ending = names.filter((name) => usesUp.has(name))
  const lasting = names.filter((name) => !usesUp.has(name))
  const blocks = Array.from({ length: Math.ceil(lasting.length / blockSize) }, (_, at) =>
    lasting.slice(at * blockSize, (at + 1) * blockSize),
  )
  const together = blocks.flatMap((block, at) => blocks.slice(at + 1).map((other) => [...block, ...other]))
  return [...together, ...blocks.map((block) => [...block, ...ending])].map((meeting) => [meeting])
}

test('every write operation is in the table of those that meet, or is said to meet nothing', () => {
  const named = [endUserWrites, endpointWrites, keyWrites, channelWrites, elsewhere]
    .flatMap(Object.keys)
    .map((name) => name.split(' ')[0])
  const writes = operations.filter(({ method }) => method !== 'GET').map(({ id }) => id)
  assert.deepEqual(
    writes.filter((id) => !named.includes(id)),
    [],
  )
})

describe('every pair of write operations meets on one object: no 5xx, no deadlock', () => {
  for (const [what, writes, prepare] of [
    ['an end-user and its account', endUserWrites, prepareEndUser],
    ['an endpoint', endpointWrites, prepareEndpoint],
    ['a key and its business', keyWrites, prepareKey],
    ['an alert channel', channelWrites, prepareChannel],
  ] as const) {
    test(what, async () => {
      const before = await deadlocks()
      const rounds = isNightly ? pairsOf(Object.keys(writes)) : blocksOf(Object.keys(writes))
      const failed: string[] = []
      for (let from = 0; from < rounds.length; from += preparedAtOnce) {
        const some = rounds.slice(from, from + preparedAtOnce)
        const callers = await Promise.all(some.map((round) => prepare(round.flat())))
        for (const [index, round] of some.entries()) {
          const caller = callers[index]
          assert.ok(caller)
          for (const meeting of round) failed.push(...(await meet(caller, meeting, writes)))
        }
      }
      assert.deepEqual([...new Set(failed)], [])
      assert.equal(await deadlocks(), before)
    })
  }
})

test('a row that another transaction holds is waited for briefly: 409, and no connection that stays away', async () => {
  const { call, objects } = await prepareEndUser([])
  const { externalUserId, account } = objects
  await world.inside.db.transaction(async (tx) => {
    await tx`select 1 from end_users where external_user_id = ${externalUserId} for update`
    await tx`select 1 from virtual_accounts where id = ${account} for update`
    for (const name of ['updateVirtualAccount fee', 'deactivateVirtualAccount', 'createVirtualAccount', 'submitKyc']) {
      const { status, headers, body } = await call(endUserWrites[name]?.(objects, 1) ?? assert.fail(name))
      assert.deepEqual([name, status, body.error?.retryable], [name, 409, true])
      assert.notEqual(headers.get('retry-after'), null)
    }
  })
})

/** @returns the unexpected responses */
async function meet({ call, objects }: Caller, meeting: Meeting, writes: typeof endUserWrites): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: requestsEach * meeting.length }, async (_, at) => {
      const name = meeting[at % meeting.length] ?? ''
      const write = writes[name]
      assert.ok(write)
      return { name, answer: await call(write(objects, Math.floor(at / meeting.length))) }
    }),
  )
  return answers.flatMap(({ name, answer: { status, text } }) =>
    status >= 500 || status === 400 ? [`${meeting.join(' × ')}: ${name} ${status} ${text.slice(0, 120)}`] : [],
  )
}
