// POST /v0/virtual-accounts at a provider without keys that stores our reference: a lost creation is read before it is sent again.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { adapted } from '../adapted.ts'
import { accountRequest } from '../business.ts'
import { assertError, request, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
await world.server.stop()

let sent = 0
/** Whether a search does not find the account yet, because the request is still in transit. */
let isHidden = false
let searches = 0
const lines: string[] = []
// Each end-user here has one account: all accounts of its customer have the reference.
const replica = await world.replica({
  config: { port: Number(new URL(world.url).port) },
  log: (line) => lines.push(line),
  adapt: adapted(({ accounts, traits }) => ({
    traits: { ...traits, repeats: { ...traits.repeats, 'virtual_account.create': 'read_first' }, keyLifeMs: null },
    accounts: {
      ...accounts,
      open(customerId, terms) {
        sent += 1
        return accounts.open(customerId, terms, { key: randomUUID() })
      },
      async findOpened(...given) {
        const found = await accounts.findOpened(...given)
        searches += 1
        return { ...found, accounts: isHidden ? [] : found.accounts, byReference: true }
      },
    },
  })),
})
after(() => replica.stop())
beforeEach(() => {
  sent = 0
  isHidden = false
})

/** Asks for an account, and loses the response in this way. @returns the end-user, and the pending account */
async function lose(mode: 'cut_before' | 'cut_after', times = 1) {
  const person = await world.business.user('approved')
  await world.provider.fails({ about: person, method: 'POST', mode, times })
  assertError(
    await world.business.call('POST', '/v0/virtual-accounts', accountRequest(person)),
    504,
    'provider_timeout',
  )
  const [begun] = await world.business.accounts(person)
  return { person, id: begun?.['id'] ?? '' }
}

/** Lets the operation be taken over now. */
async function resume(id: string): Promise<void> {
  await world.rows`update operations set lease_until = now() where subject_id = ${id} and state = 'unknown'`
  replica.inside.wake('resume')
}

/** As if the last request had been sent so long ago that it can no longer arrive. */
async function outlast(id: string): Promise<void> {
  const isLater = async () =>
    (
      await world.rows`
        update operations set created_at = created_at - interval '4 seconds', repeated_at = repeated_at - interval '4 seconds'
        where subject_id = ${id} and state = 'unknown' returning id`
    ).length > 0
  await until('an operation that waits', isLater)
}

async function searched(id: string): Promise<void> {
  const before = searches
  await until('a search', async () => {
    await resume(id)
    return searches > before
  })
}

async function writtenAgain(id: string, count: number): Promise<void> {
  await outlast(id)
  await until(`write ${count}`, async () => {
    await resume(id)
    return sent === count
  })
}

test('504 an account that was opened is found, and nothing is sent again', async () => {
  const { person, id } = await lose('cut_after')
  const account = await world.business.accountReached(id, 'active')
  assert.notEqual(account['bankAccountNumber'], '')
  assert.deepEqual([sent, (await world.provider.accountsOf(person)).length], [1, 1])
})

test('504 an account that was not opened is sent again once no request can arrive any more, and each repeat waits as long', async () => {
  const { person, id } = await lose('cut_before', 2)
  await searched(id)
  assert.equal(sent, 1, 'the first request may still arrive')
  await writtenAgain(id, 2)
  await searched(id)
  assert.equal(sent, 2, 'the second request may still arrive')
  await writtenAgain(id, 3)
  await world.business.accountReached(id, 'active')
  assert.deepEqual([sent, (await world.provider.accountsOf(person)).length], [3, 1])
})

test('504 of two accounts with one reference the older is ours, and the younger is switched off before it is shown', async () => {
  const { person, id } = await lose('cut_after', 2)
  isHidden = true
  await writtenAgain(id, 2)
  isHidden = false
  await until('the account', async () => {
    await resume(id)
    const { data } = (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body
    return data.status === 'active'
  })
  const [older, younger] = (await world.provider.accountsOf(person)).toSorted((one, other) =>
    one.created_at.localeCompare(other.created_at),
  )
  assert.deepEqual([older?.status, younger?.status], ['activated', 'deactivated'])
  assert.equal((await world.providerIdsOf(id)).account, older?.id)
  const told = lines.filter((line) => line.includes(String(younger?.id)) && JSON.parse(line).level === 50)
  assert.equal(told.length, 1, told.join('\n'))
  assert.match(
    (await request('GET', `${world.url}/metrics`)).text,
    /causeway_provider_duplicates_total\{kind="virtual_account.create"\} 1/,
  )
  assert.equal((await world.business.events('virtual_account.created', id)).length, 1)
})
