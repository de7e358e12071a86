// A submission of the onboarding page goes in one request, and the page repeats the request as a whole: it has one effect.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kycBody as kycLimits } from '../src/platform/http/limits.ts'
import { type Answer, assertError, dataOf, until } from './caller.ts'
import { largeBody, newPage, type Page } from './onboarding-page.ts'
import { kycBody, userPath } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())

/** A page whose end-user has accepted the terms, and the submission. @param suffix of the email address, which names a verdict */
async function readyPage(suffix = '') {
  const { user, page, linkId } = await newPage(world)
  return { user, page, linkId, body: kycBody(await world.business.acceptTerms(user), user + suffix) as object }
}

const submit = (page: Page, body: unknown, key: string): Promise<Answer> =>
  page.ask('POST', '/submission', body, { headers: { 'idempotency-key': key } })

const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true'

test('a submission that is sent again with its key has one effect, and the response holds nothing about the end-user', async () => {
  const { user, page, body } = await readyPage()
  const answers = await Promise.all([1, 2].map(() => submit(page, body, 'one')))
  for (const answer of answers) if (answer.status !== 200) assertError(answer, 409, 'idempotency_in_progress')
  const again = await submit(page, body, 'one')
  assert.ok(isReplayed(again))
  assert.equal(again.text, '{"data":{}}')
  await until(
    'the approval',
    async () => dataOf(await world.business.call('GET', userPath(user))).kycStatus === 'approved',
  )
  const late = await submit(page, body, 'one')
  assert.deepEqual([late.status, isReplayed(late)], [200, true])
})

test('a submission that failed at the provider succeeds when it is repeated with its key', async () => {
  const { page, body } = await readyPage()
  await world.provider.fails({ path: '^/v0/customers$', mode: 'status', status: 503, times: 2 })
  assertError(await submit(page, body, 'one'), 503, 'provider_unavailable')
  await world.provider.recovers()
  const answer = await submit(page, body, 'one')
  assert.deepEqual([answer.status, isReplayed(answer)], [200, false])
})

test('a key belongs to its page and its data', async () => {
  const [one, other] = [await readyPage(), await readyPage()]
  assert.equal((await submit(one.page, one.body, 'one')).status, 200)
  assertError(await submit(one.page, other.body, 'one'), 422, 'idempotency_key_reused')
  const answer = await submit(other.page, other.body, 'one')
  assert.deepEqual([answer.status, isReplayed(answer)], [200, false])
})

test('a link that was revoked takes no submission, and repeats none', async () => {
  const { page, body, linkId } = await readyPage('+review') // an approval would complete the link
  assert.equal((await submit(page, body, 'one')).status, 200)
  dataOf(await world.business.call('DELETE', `/v0/onboarding-links/${linkId}`))
  for (const key of ['one', 'another']) assertError(await submit(page, body, key), 401, 'onboarding_session_ended')
})

test('a submission of 32 MiB is taken', async () => {
  const { page, user } = await newPage(world)
  const text = JSON.stringify(largeBody(null, user, 10 * 1024 * 1024))
  const rest = kycLimits.bytesMax - Buffer.byteLength(text) - '"selfie":"data:",'.length
  const raw = text.replace('{', `{"selfie":"data:${'A'.repeat(rest)}",`)
  assert.equal(Buffer.byteLength(raw), kycLimits.bytesMax)
  const headers = { 'content-type': 'application/json' }
  assertError(await page.ask('POST', '/submission', undefined, { raw, headers }), 422, 'tos_not_accepted')
})

test('the requests of a page are not in the request log of its business', async () => {
  const { page, body } = await readyPage()
  assert.equal((await submit(page, body, 'one')).status, 200)
  const made = await until('the log', async () => {
    const rows = dataOf(await world.business.call('GET', '/v0/requests?limit=100'))
    return rows.some(({ path }: { path: string }) => path.endsWith('/onboarding-links')) && rows
  })
  assert.deepEqual(
    made.filter(({ path }: { path: string }) => path.startsWith('/onboard')),
    [],
  )
})
