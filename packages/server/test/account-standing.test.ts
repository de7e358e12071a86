// An account is payable exactly if three facts at the provider allow it: the account is activated, its end-user may
// receive deposits, and its rail is active. Each fact may arrive by an event, a reconciliation run, a response or a
// refusal.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { servicesOf } from '../src/app/services.ts'
import { refreshEndUser } from '../src/end-users/kyc/apply-verdict.ts'
import { findEndUser } from '../src/end-users/store.ts'
import { accountRequest } from './business.ts'
import { until } from './caller.ts'
import { solanaWallet } from './people.ts'
import { walkEnded } from './provider-record.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
after(() => world.stop())
before(() => walkEnded(world))

const account = async (id: string) => (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data
const instructions = async (id: string) =>
  (await world.business.call('GET', `/v0/virtual-accounts/${id}/deposit-instructions`)).body.data
const told = (id: string, type: string) => world.business.events(`virtual_account.${type}`, id)

async function newAccount() {
  const person = await world.business.user('approved')
  const { id = '' } = await world.business.account(person)
  return { person, id, ...(await world.providerIdsOf(id)) }
}
type Opened = Awaited<ReturnType<typeof newAccount>>

/** Makes the provider send no events during the work. */
async function withoutEvents(work: () => Promise<void>): Promise<void> {
  const { data } = (await world.provider.ask('GET', '/webhooks')).body
  const set = async (status: string) => {
    for (const { id } of data)
      assert.equal((await world.provider.ask('PUT', `/webhooks/${id}`, { status })).status, 200)
  }
  await set('disabled')
  try {
    await work()
  } finally {
    await set('active')
  }
}

async function decide({ customer }: Pick<Opened, 'customer'>, decision: string): Promise<void> {
  const answer = await world.provider.control('POST', `/customers/${customer}/kyc`, { decision })
  assert.equal(answer.status, 200, answer.text)
}

const shown = ({ status, suspendedReason }: { status: string; suspendedReason?: string }) => [
  status,
  suspendedReason ?? null,
]
const becomes = (id: string, ...wanted: [status: string, reason: string | null]) =>
  until(wanted.join(' '), async () => {
    const read = await account(id)
    return JSON.stringify(shown(read)) === JSON.stringify(wanted) && read
  })

for (const [decision, reason] of [
  ['pause', 'end_user_paused'],
  ['offboard', 'end_user_offboarded'],
  ['reject', 'end_user_rejected'],
  ['restrict_deposits', 'deposits_restricted'],
  ['revoke_endorsement', 'rail_inactive'],
] as const) {
  test(`${decision}: the account is suspended as ${reason}, nobody is told to pay in, and it is resumed`, async () => {
    const opened = await newAccount()
    const { id } = opened
    const open = await account(id)
    await decide(opened, decision)
    const stopped = await becomes(id, 'suspended', reason)
    assert.deepEqual({ ...stopped, ...open }, { ...open, suspendedReason: reason }, 'nothing else has changed')
    const unpayable = await instructions(id)
    assert.deepEqual([unpayable.status, unpayable.suspendedReason, unpayable.instructions], ['suspended', reason, []])
    const [suspension, ...more] = await told(id, 'suspended')
    assert.deepEqual([suspension?.payload.data, more.length], [stopped, 0])
    assert.equal((await world.business.call('GET', '/v0/virtual-accounts?status=suspended')).body.data[0].id, id)

    await decide(opened, 'approve')
    const again = await becomes(id, 'active', null)
    assert.ok(!('suspendedReason' in again))
    assert.notDeepEqual((await instructions(id)).instructions, [])
    assert.deepEqual((await told(id, 'resumed'))[0]?.payload.data, again)
    assert.equal((await told(id, 'reactivated')).length, 0)
  })
}

test('changes of a suspended account are refused with one code; metadata and deactivation are allowed', async () => {
  const opened = await newAccount()
  const { id, person } = opened
  await decide(opened, 'pause')
  await becomes(id, 'suspended', 'end_user_paused')
  const path = `/v0/virtual-accounts/${id}`
  for (const [method, under, body] of [
    ['PATCH', '', { developer_fee_percent: '2' }],
    ['PATCH', '', { destination: solanaWallet }],
    ['PATCH', '', { developer_fee_percent: '2', metadata: { plan: 'none' } }],
    ['POST', '/reactivate', undefined],
  ] as const) {
    const { status, body: answer } = await world.business.call(method, `${path}${under}`, body)
    assert.deepEqual([status, answer.error?.code], [422, 'virtual_account_suspended'], `${method} ${under}`)
    assert.deepEqual(
      answer.error.details.map((detail: { code: string }) => detail.code),
      ['end_user_paused'],
    )
  }
  const labelled = await world.business.call('PATCH', path, { metadata: { plan: 'plus' } })
  assert.deepEqual([labelled.status, labelled.body.data.metadata], [200, { plan: 'plus' }])
  const erased = await world.business.call('DELETE', `/v0/end-users/${person}`)
  assert.deepEqual([erased.status, erased.body.error.code], [409, 'end_user_in_use'])

  const stopped = await world.business.call('POST', `${path}/deactivate`)
  assert.deepEqual([stopped.status, stopped.body.data.status], [200, 'deactivated'])
  assert.ok(!('suspendedReason' in stopped.body.data), 'deactivated wins over suspended')
  assert.equal((await world.business.call('POST', `${path}/reactivate`)).body.error.code, 'virtual_account_suspended')
  assert.equal(
    (await world.business.call('PATCH', path, { developer_fee_percent: '2' })).body.error.code,
    'virtual_account_suspended',
  )
  await decide(opened, 'approve')
  await until('the reactivation', async () => (await world.business.call('POST', `${path}/reactivate`)).status === 200)
  assert.deepEqual(shown(await account(id)), ['active', null])
})

test('a change while the provider has allowed deposits again without an event is allowed: it asks before it refuses', async () => {
  const opened = await newAccount()
  await decide(opened, 'pause')
  await becomes(opened.id, 'suspended', 'end_user_paused')
  await withoutEvents(async () => {
    await decide(opened, 'approve')
    const changed = await until('the change', async () => {
      const answer = await world.business.call('PATCH', `/v0/virtual-accounts/${opened.id}`, {
        developer_fee_percent: '2',
      })
      return answer.status === 200 && answer.body.data
    })
    assert.deepEqual([changed.status, changed.developerFeePercent], ['active', '2'])
  })
})

test('a reactivation that finds the account resumed sends nothing to the provider', async () => {
  const opened = await newAccount()
  await decide(opened, 'pause')
  await becomes(opened.id, 'suspended', 'end_user_paused')
  await withoutEvents(async () => {
    await decide(opened, 'approve')
    const path = `/virtual_accounts/${opened.account}/reactivate$`
    await world.provider.fails({ mode: 'delay', delay_ms: 1, method: 'POST', path, times: 1_000 })
    const answer = await until('the resumed account', async () => {
      const { status, body } = await world.business.call('POST', `/v0/virtual-accounts/${opened.id}/reactivate`)
      return status === 200 && body.data
    })
    assert.deepEqual(shown(answer), ['active', null])
    assert.equal((await world.provider.control('GET', '/faults')).body.data[0].hits, 0)
    await world.provider.control('DELETE', '/faults')
  })
})

test('a walk finds a suspended end-user and a resumed one, and a suspended account is read again', async () => {
  const opened = await newAccount()
  const walk = async () => {
    const last = (await world.provider.eventIds()).at(-1) ?? null
    await world.rows`update event_pull set cursor_event_id = ${last} returning provider`
    const began = new Date()
    await world.rows`update reread_walk set due_at = now() returning provider`
    world.inside.wake('reconcile')
    await walkEnded(world, began)
  }
  await withoutEvents(async () => {
    await decide(opened, 'restrict_deposits')
    await walk()
    assert.deepEqual(shown(await account(opened.id)), ['suspended', 'deposits_restricted'])
    const change = { developer_fee_percent: '1.75' }
    await world.provider.ask('PUT', `/customers/${opened.customer}/virtual_accounts/${opened.account}`, change)
    await walk()
    assert.equal((await account(opened.id)).developerFeePercent, '1.75')
    await decide(opened, 'approve')
    await walk()
    assert.deepEqual(shown(await account(opened.id)), ['active', null])
  })
})

test('a refusal of the provider that shows a changed end-user suspends the account', async () => {
  const [changed, added] = [await newAccount(), await newAccount()]
  await withoutEvents(async () => {
    await decide(changed, 'offboard')
    const body = { code: 'requires_active_kyc_status', message: 'Customer has no active KYC status' }
    await world.provider.fails({ about: changed.person, mode: 'status', status: 400, body, under: '/[^/]+' })
    const refused = await world.business.call('PATCH', `/v0/virtual-accounts/${changed.id}`, {
      developer_fee_percent: '2',
    })
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'kyc_not_approved'])
    assert.deepEqual(shown(await account(changed.id)), ['suspended', 'end_user_offboarded'])

    await decide(added, 'review')
    const created = await world.business.call('POST', '/v0/virtual-accounts', accountRequest(added.person))
    assert.deepEqual([created.status, created.body.error.code], [422, 'kyc_not_approved'])
    assert.deepEqual(shown(await account(added.id)), ['suspended', 'rail_inactive'])
  })
})

test('no account is opened while deposits are restricted', async () => {
  const opened = await newAccount()
  await decide(opened, 'restrict_deposits')
  await becomes(opened.id, 'suspended', 'deposits_restricted')
  const refused = await world.business.call('POST', '/v0/virtual-accounts', accountRequest(opened.person))
  assert.deepEqual([refused.status, refused.body.error.code], [422, 'kyc_not_approved'])
})

/** Gives an end-user more open accounts, as copies of this one. */
async function copied({ id }: Opened, count: number): Promise<string[]> {
  const copies = await world.rows<{ id: string }>`
      insert into virtual_accounts (business_id, id, end_user_id, provider, provider_virtual_account_id, status, provider_status,
        source_currency, destination_payment_rail, destination_currency, destination_address, developer_fee_percent)
      select business_id, id || '_' || n, end_user_id, provider, provider_virtual_account_id || '_' || n, status, provider_status,
        source_currency, destination_payment_rail, destination_currency, destination_address, developer_fee_percent
      from virtual_accounts, generate_series(1, ${count}) n where id = ${id} returning id`
  return [id, ...copies.map((copy) => copy.id)]
}

test('a verdict on an end-user with many accounts changes a hundred of them at most in one transaction, and all in the end', async () => {
  const opened = await newAccount()
  const ids = await copied(opened, 230)
  const groups = (status: string) =>
    world.rows<{ size: number }>`
        select count(*)::int as size from virtual_accounts where id = any(${ids}) and status = ${status} group by updated_at`
  for (const [decision, status, event] of [
    ['pause', 'suspended', 'suspended'],
    ['approve', 'active', 'resumed'],
  ] as const) {
    await decide(opened, decision)
    const sizes = await until(`all ${status}`, async () => {
      const sizes = (await groups(status)).map(({ size }) => size)
      return sizes.reduce((sum, size) => sum + size, 0) === ids.length && sizes
    })
    assert.ok(Math.max(...sizes) <= 100, `${sizes}`)
    const sent = await world.rows`
        select virtual_account_id from events
        where virtual_account_id = any(${ids}) and type = ${`virtual_account.${event}`}`
    assert.equal(sent.length, ids.length, 'one event for each account')
  }
  const settled = () => world.rows`select 1 from end_users where accounts_due_at is not null`
  await until('nothing left', async () => (await settled()).length === 0)
})

test('accounts whose process died behind a verdict follow it all the same', async () => {
  const opened = await newAccount()
  await world.rows`
      update end_users set kyc_status = 'paused', provider_status = 'paused', accounts_due_at = now()
      where provider_customer_id = ${opened.customer} returning id`
  world.inside.wake('resume')
  await becomes(opened.id, 'suspended', 'end_user_paused')
})

test('a read that brings no new verdict waits for no account', async () => {
  const opened = await newAccount()
  const deps = world.inside
  await deps.db.transaction(async (tx) => {
    await tx`select 1 from virtual_accounts where id = ${opened.id} for update`
    const user = await deps.db.read((query) => findEndUser(query, world.business.id, opened.person))
    assert.ok(user)
    const view = await refreshEndUser(servicesOf(deps).verdicts(deps, null), user)
    assert.equal(view.kycStatus, 'approved')
  })
})

const decisions = ['approve', 'approve', 'reject', 'review', 'pause', 'offboard', 'restrict_deposits'] as const
const step = fc.oneof(
  fc.record({ decision: fc.constantFrom(...decisions) }),
  fc.record({
    decision: fc.constantFrom('approve', 'revoke_endorsement'),
    endorsement: fc.constantFrom('base', 'sepa'),
  }),
  fc.record({ activation: fc.constantFrom('deactivate', 'reactivate'), isOurs: fc.boolean() }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A step that the state of the account forbids is refused, and changes nothing. */
async function take({ id, customer, account: providerId }: Opened, taken: Step): Promise<void> {
  if ('decision' in taken) {
    const { status, text } = await world.provider.control('POST', `/customers/${customer}/kyc`, taken)
    assert.equal(status, 200, text)
  } else if (taken.isOurs) {
    const { status } = await world.business.call('POST', `/v0/virtual-accounts/${id}/${taken.activation}`)
    assert.ok([200, 409, 422].includes(status), `${taken.activation}: ${status}`)
  } else await world.provider.ask('POST', `/customers/${customer}/virtual_accounts/${providerId}/${taken.activation}`)
}

/** The three facts, read off the provider's wire. */
async function truthOf({ customer, account: providerId }: Opened): Promise<string> {
  const { status, endorsements } = (await world.provider.ask('GET', `/customers/${customer}`)).body
  const { body } = await world.provider.ask('GET', `/customers/${customer}/virtual_accounts/${providerId}`)
  const base = endorsements.find(({ name }: { name: string }) => name === 'base')
  if (body.status === 'deactivated') return 'deactivated'
  return status === 'active' && base?.status === 'approved' ? 'active' : 'suspended'
}

test('in any order of verdicts, rail changes and activations an account is payable exactly when all three allow it', async () => {
  const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 6 })
  const story = fc.asyncProperty(batches, async (given) => {
    const opened = await newAccount()
    for (const batch of given) {
      await Promise.all(batch.map((taken) => take(opened, taken)))
      await until('the state that the provider’s facts make', async () => {
        const [truth, held, payable] = [await truthOf(opened), await account(opened.id), await instructions(opened.id)]
        const isTrue = held.status === truth && payable.instructions.length > 0 === (truth === 'active')
        return isTrue && (held.suspendedReason !== undefined) === (truth === 'suspended')
      })
    }
    const types = ['created', 'suspended', 'resumed', 'deactivated', 'reactivated']
    const events = await until('the event of the last state', async () => {
      const found = (await Promise.all(types.map((type) => told(opened.id, type)))).flat()
      const inOrder = found.sort((one, other) => (one.id < other.id ? -1 : 1))
      return inOrder.at(-1)?.payload.data.status === (await account(opened.id)).status && inOrder
    })
    for (const [at, event] of events.entries())
      assert.notEqual(event.payload.data.status, events[at + 1]?.payload.data.status, 'each state is told once')
  })
  await fc.assert(story, { numRuns: Number(process.env['STANDING_RUNS'] ?? 2), endOnFailure: true })
})
