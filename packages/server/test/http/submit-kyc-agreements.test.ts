// submitKyc: an agreement counts for one end-user of the whole deployment.

import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { acceptTerms, kycBody, newUser, testWorld, until } from '../test-world.ts'
import { assertError, clearFaults, dataOf, fault, upstreamCounts, userPath } from './onboarding-answers.ts'

const world = await testWorld({
  env: { KYC_SUBMISSIONS_PER_MINUTE: '1000', PROVIDER_TIMEOUT_MS: '1500' },
  sandbox: { strictAgreements: true },
})
after(() => world.stop())
afterEach(() => clearFaults(world))

const submit = (user: string, body: unknown, key?: string) =>
  world.call('POST', userPath(user, '/submit-kyc'), body, key === undefined ? {} : { key })
const refused = { status: 422, code: 'signed_agreement_invalid', param: 'signed_agreement_id' }
const creation = { method: 'POST', path: '^/v0/customers$' }

test('422 the agreement of another end-user, of this business or of another one, and nothing goes upstream', async () => {
  const first = await newUser(world)
  const agreement = await acceptTerms(world, first)
  dataOf(await submit(first, kycBody(agreement, first)))
  const second = await newUser(world)
  const { apiKey } = await world.otherBusiness()
  const third = await newUser(world, apiKey)
  const before = await upstreamCounts(world)
  for (const [user, key] of [
    [second, undefined],
    [third, apiKey],
  ] as const) {
    const answer = await submit(user, kycBody(agreement, user), key)
    const { resolution } = assertError(answer, {
      ...refused,
      details: { signed_agreement_id: 'agreement_of_another_end_user' },
      silentOn: [agreement, first],
    })
    assert.match(resolution, /tos-link/)
  }
  assert.deepEqual(await upstreamCounts(world), before)
  const shown = dataOf(await world.call('GET', userPath(second)))
  assert.deepEqual([shown.tosStatus, shown.kycStatus, shown.providerCustomerId], ['pending', 'not_started', null])
  dataOf(await submit(second, kycBody(await acceptTerms(world, second), second)))
})

test('200 the same end-user sends it as often as needed: a repeat, and another submission', async () => {
  const user = await newUser(world)
  const body = kycBody(await acceptTerms(world, user), user)
  await fault(world, { ...creation, mode: 'cut_after', times: 10 })
  assertError(await submit(user, body), { status: 504, code: 'provider_timeout' })
  await clearFaults(world)
  await until('the repeat', async () => (await submit(user, body)).status === 200)
  await until('the approval', async () => dataOf(await world.call('GET', userPath(user))).kycStatus === 'approved')
  dataOf(await submit(user, { ...body, phone: '+12223334445' }))
})

test('200 two submissions at once with one agreement: one end-user has it, the other is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const users = [await newUser(world), await newUser(world)]
    const agreement = await acceptTerms(world, users[0] ?? '')
    const before = (await upstreamCounts(world))['customers'] ?? 0
    const answers = await Promise.all(users.map((user) => submit(user, kycBody(agreement, user))))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422])
    for (const answer of answers) if (answer.status === 422) assertError(answer, refused)
    assert.equal((await upstreamCounts(world))['customers'], before + 1)
  }
})

test('200 an agreement of a submission that the provider refused is free for whom it belongs to', async () => {
  const [wrong, right] = [await newUser(world), await newUser(world)]
  const agreement = await acceptTerms(world, right)
  const body = { code: 'invalid_parameters', message: 'no', source: { key: { phone: 'is not accepted' } } }
  await fault(world, { ...creation, mode: 'status', status: 400, body })
  assertError(await submit(wrong, kycBody(agreement, wrong)), {
    status: 422,
    code: 'provider_rejected',
    param: 'phone',
  })
  dataOf(await submit(right, kycBody(agreement, right)))
  assertError(await submit(wrong, kycBody(agreement, wrong)), refused)
})

test('200 an agreement of a change that the provider refused is free for whom it belongs to', async () => {
  const [wrong, right] = [await newUser(world), await newUser(world)]
  const own = await acceptTerms(world, wrong)
  dataOf(await submit(wrong, kycBody(own, wrong)))
  await until('the approval', async () => dataOf(await world.call('GET', userPath(wrong))).kycStatus === 'approved')
  const agreement = await acceptTerms(world, right)
  const body = { code: 'invalid_parameters', message: 'no', source: { key: { phone: 'is not accepted' } } }
  for (const id of [agreement, own]) {
    await fault(world, { method: 'PUT', path: '^/v0/customers/[^/]+$', mode: 'status', status: 400, body })
    assertError(await submit(wrong, kycBody(id, wrong)), { status: 422, code: 'provider_rejected', param: 'phone' })
  }
  assertError(await submit(right, kycBody(own, right)), refused)
  dataOf(await submit(right, kycBody(agreement, right)))
})

test('409 a submission beside another one binds no agreement', async () => {
  const [wrong, right, other] = [await newUser(world), await newUser(world), await newUser(world)]
  const [first, second] = [await acceptTerms(world, right), await acceptTerms(world, other)]
  const own = kycBody(await acceptTerms(world, wrong), wrong)
  for (const [user, agreement, request] of [
    [right, first, creation],
    [other, second, { method: 'PUT', path: '^/v0/customers/[^/]+$' }],
  ] as const) {
    await fault(world, { ...request, mode: 'delay', delay_ms: 1_000 })
    const running = submit(wrong, own)
    await until('the call', async () => (await world.control('GET', '/faults')).body.data.at(-1)?.hits === 1)
    const beside = await submit(wrong, kycBody(agreement, wrong))
    assertError(beside, { status: 409, code: 'kyc_submission_in_progress', retryable: true })
    dataOf(await running)
    dataOf(await submit(user, kycBody(agreement, user)))
    await until('the approval', async () => dataOf(await world.call('GET', userPath(wrong))).kycStatus === 'approved')
  }
})

test('422 an agreement stays used when its end-user is erased, and the row names nobody', async () => {
  const user = await newUser(world)
  const agreement = await acceptTerms(world, user)
  dataOf(await submit(user, kycBody(agreement, `${user}+review`)))
  const { id } = dataOf(await world.call('GET', userPath(user)))
  assert.equal((await world.call('DELETE', userPath(user))).status, 200)
  const left = await world.server.deps.db.read(
    (query) => query`select 1 from signed_agreements where end_user_id = ${id}`,
  )
  assert.equal(left.length, 0)
  const next = await newUser(world)
  assertError(await submit(next, kycBody(agreement, next)), refused)
})
