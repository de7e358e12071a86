// submitKyc: an agreement counts for one end-user of the whole deployment.

import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { type Answer, assertError, dataOf, type ExpectedError, until } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({
  alone: true,
  env: { KYC_SUBMISSIONS_PER_MINUTE: '1000', PROVIDER_TIMEOUT_MS: '1500' },
  sandbox: { strictAgreements: true },
})
after(() => world.stop())
afterEach(() => world.provider.recovers())

const submit = (user: string, body: unknown, key?: string) =>
  world.business.call('POST', userPath(user, '/submit-kyc'), body, key === undefined ? {} : { key })
const assertRefused = (answer: Answer, expected: ExpectedError = {}) =>
  assertError(answer, 422, 'signed_agreement_invalid', { param: 'signed_agreement_id', ...expected })
const creation = { method: 'POST', path: '^/v0/customers$' }

test('422 the agreement of another end-user, of this business or of another one, and nothing goes upstream', async () => {
  const first = await world.business.user()
  const agreement = await world.business.acceptTerms(first)
  dataOf(await submit(first, kycBody(agreement, first)))
  const second = await world.business.user()
  const { apiKey, user: newUser } = await world.otherBusiness()
  const third = await newUser()
  const before = await world.provider.counts()
  for (const [user, key] of [
    [second, undefined],
    [third, apiKey],
  ] as const) {
    const answer = await submit(user, kycBody(agreement, user), key)
    const { resolution } = assertRefused(answer, {
      details: { signed_agreement_id: 'agreement_of_another_end_user' },
      silentOn: [agreement, first],
    })
    assert.match(resolution, /tos-link/)
  }
  assert.deepEqual(await world.provider.counts(), before)
  const shown = dataOf(await world.business.call('GET', userPath(second)))
  assert.deepEqual([shown.tosStatus, shown.kycStatus, shown.providerCustomerId], ['pending', 'not_started', null])
  dataOf(await submit(second, kycBody(await world.business.acceptTerms(second), second)))
})

test('200 the same end-user sends it as often as needed: a repeat, and another submission', async () => {
  const user = await world.business.user()
  const body = kycBody(await world.business.acceptTerms(user), user)
  await world.provider.fails({ ...creation, mode: 'cut_after', times: 10 })
  assertError(await submit(user, body), 504, 'provider_timeout', { param: null })
  await world.provider.recovers()
  await until('the repeat', async () => (await submit(user, body)).status === 200)
  await until(
    'the approval',
    async () => dataOf(await world.business.call('GET', userPath(user))).kycStatus === 'approved',
  )
  dataOf(await submit(user, { ...body, phone: '+12223334445' }))
})

test('200 two submissions at once with one agreement: one end-user has it, the other is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const users = [await world.business.user(), await world.business.user()]
    const agreement = await world.business.acceptTerms(users[0] ?? '')
    const before = (await world.provider.counts())['customers'] ?? 0
    const answers = await Promise.all(users.map((user) => submit(user, kycBody(agreement, user))))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422])
    for (const answer of answers) if (answer.status === 422) assertRefused(answer)
    assert.equal((await world.provider.counts())['customers'], before + 1)
  }
})

test('200 an agreement of a submission that the provider refused is free for whom it belongs to', async () => {
  const [wrong, right] = [await world.business.user(), await world.business.user()]
  const agreement = await world.business.acceptTerms(right)
  const body = { code: 'invalid_parameters', message: 'no', source: { key: { phone: 'is not accepted' } } }
  await world.provider.fails({ ...creation, mode: 'status', status: 400, body })
  assertError(await submit(wrong, kycBody(agreement, wrong)), 422, 'provider_rejected', { param: 'phone' })
  dataOf(await submit(right, kycBody(agreement, right)))
  assertRefused(await submit(wrong, kycBody(agreement, wrong)))
})

test('200 an agreement of a change that the provider refused is free for whom it belongs to', async () => {
  const [wrong, right] = [await world.business.user(), await world.business.user()]
  const own = await world.business.acceptTerms(wrong)
  dataOf(await submit(wrong, kycBody(own, wrong)))
  await until(
    'the approval',
    async () => dataOf(await world.business.call('GET', userPath(wrong))).kycStatus === 'approved',
  )
  const agreement = await world.business.acceptTerms(right)
  const body = { code: 'invalid_parameters', message: 'no', source: { key: { phone: 'is not accepted' } } }
  for (const id of [agreement, own]) {
    await world.provider.fails({ method: 'PUT', path: '^/v0/customers/[^/]+$', mode: 'status', status: 400, body })
    assertError(await submit(wrong, kycBody(id, wrong)), 422, 'provider_rejected', { param: 'phone' })
  }
  assertRefused(await submit(right, kycBody(own, right)))
  dataOf(await submit(right, kycBody(agreement, right)))
})

test('409 a submission beside another one binds no agreement', async () => {
  const [wrong, right, other] = [await world.business.user(), await world.business.user(), await world.business.user()]
  const [first, second] = [await world.business.acceptTerms(right), await world.business.acceptTerms(other)]
  const own = kycBody(await world.business.acceptTerms(wrong), wrong)
  for (const [user, agreement, request] of [
    [right, first, creation],
    [other, second, { method: 'PUT', path: '^/v0/customers/[^/]+$' }],
  ] as const) {
    await world.provider.fails({ ...request, mode: 'delay', delay_ms: 1_000 })
    const running = submit(wrong, own)
    await until('the call', async () => (await world.provider.control('GET', '/faults')).body.data.at(-1)?.hits === 1)
    const beside = await submit(wrong, kycBody(agreement, wrong))
    assertError(beside, 409, 'kyc_submission_in_progress', { param: null })
    dataOf(await running)
    dataOf(await submit(user, kycBody(agreement, user)))
    await until(
      'the approval',
      async () => dataOf(await world.business.call('GET', userPath(wrong))).kycStatus === 'approved',
    )
  }
})

test('422 an agreement stays used when its end-user is erased, and the row names nobody', async () => {
  const user = await world.business.user()
  const agreement = await world.business.acceptTerms(user)
  dataOf(await submit(user, kycBody(agreement, `${user}+review`)))
  const { id } = dataOf(await world.business.call('GET', userPath(user)))
  assert.equal((await world.business.call('DELETE', userPath(user))).status, 200)
  const left = await world.rows`select 1 from signed_agreements where end_user_id = ${id}`
  assert.equal(left.length, 0)
  const next = await world.business.user()
  assertRefused(await submit(next, kycBody(agreement, next)))
})
