// An unreadable 2xx response of the provider: a separate kind of failure, settled by reading, never by sending the
// request again, and not passed on to another request.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { accountRequest } from './business.ts'
import { assertError, request, until } from './caller.ts'
import { company, freshUserId, kycBody, officer, owner, solanaWallet } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
afterEach(() => world.provider.recovers())

const code = 'provider_response_unreadable'
const accounts = '/virtual_accounts$'
const one = '/virtual_accounts/[^/]+$'
let user = ''
before(async () => {
  user = await world.business.user('approved')
})

let fee = 0
/** Unique terms, so that a test sees only its own accounts. */
const terms = () => {
  fee += 1
  return accountRequest(user, { developer_fee_percent: `0.${100 + fee}` })
}
const create = (body: unknown, key: string | null = null) =>
  world.business.call('POST', '/v0/virtual-accounts', body, key === null ? {} : { headers: { 'idempotency-key': key } })
const upstreamWith = async (percent: unknown) =>
  (await world.provider.accountsOf(user)).filter((account) => account.developer_fee_percent === percent)

const unreadable = (method: string, path: string, more = {}) =>
  world.provider.fails({ mode: 'unreadable', method, path, times: 1_000, ...more })
/** Counts what is sent after the faults that were ordered before. */
const counted = (method: string, path: string) =>
  world.provider.fails({ mode: 'delay', delay_ms: 1, method, path, times: 1_000 })
const hitsOf = async (mode: string) =>
  (await world.provider.control('GET', '/faults')).body.data.find((each: { mode: string }) => each.mode === mode)
    ?.hits ?? 0
const heal = () => world.provider.recovers()

async function operationOf(kind: string, subjectId: string | null = null) {
  const rows = await world.rows<{
    id: string
    state: string
    attempts: number
    providerObjectId: string
    dueIn: number
  }>`
      select id, state, attempts, provider_object_id, extract(epoch from lease_until - updated_at)::float8 as due_in
      from operations where kind = ${kind} and (${subjectId}::text is null or subject_id = ${subjectId})
      order by created_at desc, id limit 1`
  return rows[0]
}
const settled = (kind: string, state = 'done') =>
  until(`${state} of ${kind}`, async () => (await operationOf(kind))?.state === state)
/** Makes what waits for its next read due. */
async function readNow(): Promise<void> {
  await world.rows`update operations set lease_until = now() where state = 'unknown'`
  world.inside.wake('resume')
}
/** Has it read again and again, until the account has this status. */
const readUntil = (id: string, status: string) =>
  until(`${status} of ${id}`, async () => {
    await readNow()
    const { data } = (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body
    return data.status === status && data
  })

test('500 an account whose response names only its ID: not retryable, logged once, and read until it is active', async () => {
  const body = terms()
  await unreadable('POST', accounts, { times: 1 })
  await counted('POST', accounts)
  const linesBefore = world.log.length
  const answer = await create(body)
  assertError(answer, 500, code)
  assert.deepEqual([answer.body.error.type, answer.body.error.retryable], ['server_error', false])
  const [, id = ''] = /(va_\w+) is pending/.exec(answer.body.error.details[0].message) ?? []
  const errors = world.log.slice(linesBefore).filter((line) => JSON.parse(line).level === 50)
  assert.equal(errors.length, 1, errors.join('\n'))
  assert.match(errors[0] ?? '', /virtual account without status.*provider response unreadable/)
  assert.match(
    (await request('GET', `${world.url}/metrics`)).text,
    /causeway_upstream_responses_unreadable_total\{operation="createVirtualAccount"\} [1-9]/,
  )
  const account = await world.business.accountReached(id, 'active')
  assert.notEqual(account['bankAccountNumber'], '')
  assert.equal((await world.business.events('virtual_account.created', id)).length, 1)
  assert.equal(await hitsOf('delay'), 0, 'the request was not sent again')
  assert.equal((await upstreamWith(body.developer_fee_percent)).length, 1)
})

test('500 an account whose response names no ID is found in the list of the customer', async () => {
  const body = terms()
  await unreadable('POST', accounts, { times: 1, body: { account: 'opened' } })
  await counted('POST', accounts)
  assertError(await create(body), 500, code)
  const account = await until('the account', async () =>
    (await world.business.accounts(user)).find(
      (each) => each['developerFeePercent'] === body.developer_fee_percent && each['status'] === 'active',
    ),
  )
  assert.notEqual(account['bankAccountNumber'], '')
  assert.equal(await hitsOf('delay'), 0)
})

for (const [what, answer] of [
  ['its ID', {}],
  ['no ID', { body: { account: 'opened' } }],
] as const)
  test(`200 another request with the same terms opens its own account after a response with ${what}`, async () => {
    const body = terms()
    await unreadable('POST', accounts, { times: 1, ...answer })
    await unreadable('GET', one)
    await unreadable('GET', accounts)
    assertError(await create(body), 500, code)
    const [first] = await world.business.accounts(user)
    const second = await create(body)
    assert.equal(second.status, 200, second.text)
    assert.equal(second.body.data.status, 'active')
    assert.notEqual(second.body.data.id, first?.['id'])
    await heal()
    await readUntil(first?.['id'] ?? '', 'active')
    const [opened] = (await upstreamWith(body.developer_fee_percent)).toSorted((a, b) =>
      a.created_at.localeCompare(b.created_at),
    )
    const [holder] = await world.rows<{ id: string }>`
      select id from virtual_accounts where provider_virtual_account_id = ${opened?.id ?? ''}`
    assert.equal(holder?.id, first?.['id'], 'the account belongs to the request that opened it')
    assert.equal((await upstreamWith(body.developer_fee_percent)).length, 2)
  })

test('two requests with the same terms, neither of whose responses can be read, get an account each', async () => {
  const body = terms()
  await unreadable('POST', accounts, { times: 2, body: {} })
  await unreadable('GET', accounts)
  assertError(await create(body), 500, code)
  assertError(await create(body), 500, code)
  await heal()
  const both = await until('two accounts', async () => {
    await readNow()
    const ours = (await world.business.accounts(user)).filter(
      (each) => each['developerFeePercent'] === body.developer_fee_percent,
    )
    return ours.every(({ status }) => status === 'active') && ours
  })
  assert.equal(both.length, 2)
  assert.notEqual(both[0]?.['bankAccountNumber'], both[1]?.['bankAccountNumber'])
  assert.equal((await upstreamWith(body.developer_fee_percent)).length, 2)
})

test('500 the same Idempotency-Key reads, and gets the account as soon as the account can be read', async () => {
  const [body, key] = [terms(), freshUserId()]
  await unreadable('POST', accounts)
  await unreadable('GET', one)
  assertError(await create(body, key), 500, code)
  assertError(await create(body, key), 500, code)
  assert.equal(await hitsOf('unreadable'), 1)
  await heal()
  const answer = await create(body, key)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.data.status, 'active')
  assert.equal((await upstreamWith(body.developer_fee_percent)).length, 1)
})

test('an account that stays unreadable is read ever more rarely, and fails after a day; its key opens no second one', async () => {
  const [body, key] = [terms(), freshUserId()]
  await unreadable('POST', accounts, { times: 1 })
  await unreadable('GET', one)
  assertError(await create(body, key), 500, code)
  const begun = await operationOf('virtual_account.create')
  const later = await until('a slow read', async () => {
    await world.rows`
        update operations set attempts = 10, lease_until = now()
        where id = ${begun?.id ?? ''} and state = 'unknown' and attempts < 10`
    world.inside.wake('resume')
    const operation = await operationOf('virtual_account.create')
    return operation && operation.state === 'unknown' && operation.attempts >= 11 && operation
  })
  assert.ok(later.dueIn > 600, `it is read again in ${later.dueIn} s`)
  const [pending] = await world.business.accounts(user)
  assert.equal(pending?.['status'], 'pending')
  await world.rows`update operations set created_at = now() - interval '25 hours' where id = ${later.id}`
  const failed = await readUntil(pending?.['id'] ?? '', 'failed')
  assert.equal(failed['failureCode'], code)
  assert.equal((await world.business.events('virtual_account.failed', failed['id'] ?? '')).length, 1)
  const answer = await create(body, key)
  assert.deepEqual([answer.status, answer.body.data], [200, { ...failed, updatedAt: answer.body.data.updatedAt }])
  assert.equal((await upstreamWith(body.developer_fee_percent)).length, 1)
})

test('200 an account that the provider has not activated yet is pending without bank details, and active once it is', async () => {
  const body = terms()
  const customer = await world.business.customerOf(user)
  const opened = await world.provider.ask('POST', `/customers/${customer}/virtual_accounts`, {
    source: { currency: 'usd' },
    destination: solanaWallet,
    developer_fee_percent: body.developer_fee_percent,
  })
  assert.equal(opened.status, 200, opened.text)
  await world.provider.fails({
    mode: 'status',
    status: 201,
    method: 'POST',
    path: accounts,
    body: { ...opened.body, status: 'pending' },
  })
  await unreadable('GET', one, { body: { ...opened.body, status: 'pending' } })
  const answer = await create(body)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual([answer.body.data.status, answer.body.data.bankAccountNumber], ['pending', ''])
  await heal()
  const account = await readUntil(answer.body.data.id, 'active')
  assert.notEqual(account['bankAccountNumber'], '')
})

const changes: [what: string, method: string, under: string, path: string, body: object | undefined][] = [
  ['update', 'PUT', '[^/]+$', '', { developer_fee_percent: '0.9' }],
  ['deactivate', 'POST', '[^/]+/deactivate$', '/deactivate', undefined],
  ['reactivate', 'POST', '[^/]+/reactivate$', '/reactivate', undefined],
]
for (const [what, method, under, path, body] of changes)
  test(`500 ${what}: a response that cannot be read is settled by reading the account`, async () => {
    const { id } = await world.business.account(user)
    if (what === 'reactivate') await world.business.call('POST', `/v0/virtual-accounts/${id}/deactivate`)
    await unreadable(method, `/virtual_accounts/${under}`, { times: 1 })
    await counted(method, `/virtual_accounts/${under}`)
    assertError(
      await world.business.call(path === '' ? 'PATCH' : 'POST', `/v0/virtual-accounts/${id}${path}`, body),
      500,
      code,
    )
    await settled(`virtual_account.${what}`)
    const { data } = (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body
    assert.equal(data.status, what === 'deactivate' ? 'deactivated' : 'active')
    if (body) assert.equal(data.developerFeePercent, '0.9')
    assert.equal(await hitsOf('delay'), 0)
  })

test('a change that the provider answered and did not make is refused after reading, and the terms stay', async () => {
  const { id } = await world.business.account(user)
  const before = (await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data.developerFeePercent
  await world.provider.fails({ mode: 'garbage', method: 'PUT', path: '/virtual_accounts/[^/]+$' })
  assertError(
    await world.business.call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '0.8' }),
    500,
    code,
  )
  await world.rows`update operations set created_at = now() - interval '2 minutes' where kind = 'virtual_account.update'`
  await until('the refusal', async () => {
    await readNow()
    return (await operationOf('virtual_account.update', id))?.state === 'failed'
  })
  assert.equal((await world.business.call('GET', `/v0/virtual-accounts/${id}`)).body.data.developerFeePercent, before)
})

test('500 a ToS link: the next request makes another one', async () => {
  const person = await world.business.user()
  await unreadable('POST', '/tos_links$', { times: 1 })
  assertError(await world.business.call('POST', `/v0/end-users/${person}/tos-link`), 500, code)
  assert.equal((await operationOf('tos_link.create'))?.state, 'failed')
  const answer = await world.business.call('POST', `/v0/end-users/${person}/tos-link`)
  assert.equal(answer.status, 200, answer.text)
})

for (const [what, body] of [
  ['its ID', undefined],
  ['no ID', {}],
] as const)
  test(`500 a KYC link whose response has ${what} is read, and there is one`, async () => {
    const person = await world.business.user()
    const links = async () => (await world.provider.control('GET', '/state')).body.kyc_links.count
    const count = await links()
    await unreadable('POST', '^/v0/kyc_links$', { times: 1, ...(body && { body }) })
    assertError(await world.business.call('GET', `/v0/end-users/${person}/kyc-links`), 500, code)
    await settled('kyc_link.create', body ? 'failed' : 'done')
    const shown = await world.business.call('GET', `/v0/end-users/${person}/kyc-links`)
    assert.equal(shown.status, 200, shown.text)
    assert.notEqual(shown.body.data.kycLink, null)
    assert.equal(await links(), count + 1)
  })

test('500 a KYC link whose response names the link of another end-user is refused, and the next one is its own', async () => {
  const linkOf = async (person: string) => {
    const rows = await world.rows<{ id: string }>`
      select provider_kyc_link->>'id' as id from end_users where external_user_id = ${person}`
    return rows[0]?.id
  }
  const [holder, person] = [await world.business.user(), await world.business.user()]
  assert.equal((await world.business.call('GET', `/v0/end-users/${holder}/kyc-links`)).status, 200)
  await unreadable('POST', '^/v0/kyc_links$', { times: 1, body: { id: await linkOf(holder) } })
  assertError(await world.business.call('GET', `/v0/end-users/${person}/kyc-links`), 500, code)
  await settled('kyc_link.create', 'failed')
  assert.equal(await linkOf(person), null)
  const shown = await world.business.call('GET', `/v0/end-users/${person}/kyc-links`)
  assert.equal(shown.status, 200, shown.text)
  assert.notEqual(await linkOf(person), await linkOf(holder))
})

for (const [what, body] of [
  ['its ID', undefined],
  ['no ID', {}],
] as const)
  test(`500 a customer whose response has ${what} is read, by the service and by the same submission`, async () => {
    const person = await world.business.user()
    const form = kycBody(await world.business.acceptTerms(person), person)
    const submit = () => world.business.call('POST', `/v0/end-users/${person}/submit-kyc`, form)
    await unreadable('POST', '^/v0/customers$', { times: 1, ...(body && { body }) })
    await counted('POST', '^/v0/customers$')
    const answer = await submit()
    assertError(answer, 500, code)
    await settled('customer.create')
    const shown = await world.business.call('GET', `/v0/end-users/${person}`)
    assert.notEqual(shown.body.data.providerCustomerId, null)
    assert.equal(await hitsOf('delay'), 0)
  })

test('500 a change of a customer is read by the service; the person of a company as well', async () => {
  const person = freshUserId()
  const made = await world.business.call('POST', '/v0/end-users', {
    externalUserId: person,
    email: `${person}@example.com`,
    type: 'business',
  })
  assert.equal(made.status, 200, made.text)
  const submit = (body: unknown) => world.business.call('POST', `/v0/end-users/${person}/submit-kyc`, body)
  const whole = company(await world.business.acceptTerms(person), `${person}`)
  const first = await submit({ ...whole, associated_persons: [officer] })
  assert.equal(first.status, 200, first.text)
  await unreadable('PUT', '^/v0/customers/[^/]+$', { times: 1 })
  assertError(
    await submit({ ...whole, associated_persons: [officer], business_description: 'Repairs engines' }),
    500,
    code,
  )
  await settled('customer.update')
  await heal()
  await unreadable('POST', '/associated_persons$', { times: 1, body: {} })
  await counted('POST', '/associated_persons$')
  assertError(await submit({ associated_persons: [owner] }), 500, code)
  await settled('associated_person.create')
  assert.equal(await hitsOf('delay'), 0)
  const people = await world.provider.ask(
    'GET',
    `/customers/${await world.business.customerOf(person)}/associated_persons`,
  )
  assert.equal(people.body.data.filter((each: { email: string }) => each.email === owner.email).length, 1)
})

test('500 a read that cannot be read is no outage: what is held counts, the server is ready, and the operator sees which', async () => {
  const person = await world.business.user()
  await world.business.call(
    'POST',
    `/v0/end-users/${person}/submit-kyc`,
    kycBody(await world.business.acceptTerms(person), `${person}+review`),
  )
  await unreadable('GET', '^/v0/customers/[^/]+$')
  await unreadable('GET', '^/v0/webhooks$')
  assertError(await world.business.call('GET', `/v0/end-users/${person}/kyc-links`), 500, code)
  assertError(await create(accountRequest(person)), 422, 'kyc_not_approved')
  assert.equal((await request('GET', `${world.url}/readyz`)).status, 200)
  const operator = { key: world.operator.secret }
  const status = await until('a fresh look', async () => {
    const { data } = (await world.business.call('GET', '/v0/operator/provider', undefined, operator)).body
    return data.problem !== null && data
  })
  assert.deepEqual([status.reachable, status.problem], [true, 'unreadable'])
})
