// submitKyc: what is settled before the body is read, and while it is. A KYC body may have 32 MiB: nobody makes us read,
// parse or judge one that is refused in any case.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kycBody } from '../../src/platform/http/limits.ts'
import type { Business } from '../business.ts'
import { assertError } from '../caller.ts'
import { freshUserId, userPath } from '../people.ts'
import { openWorld } from '../world.ts'
import { announceBody } from './announced-body.ts'

const world = await openWorld({
  alone: true,
  env: { KYC_SUBMISSIONS_PER_MINUTE: '2' },
  limits: { businessKycSubmissionsPerMinute: 8 },
})
after(() => world.stop())

const bytes = 30 * 1024 * 1024
type Options = { key?: string; type?: string; path?: string; beginning?: string }

/** Announces 30 MiB, sends nothing or only the beginning, and waits for the response. */
function announce(user: string, options: Options = {}) {
  const { key, type, path, beginning } = { key: world.business.apiKey, type: 'application/json', ...options }
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': bytes }
  return announceBody('POST', `${world.url}${path ?? userPath(user, '/submit-kyc')}`, headers, beginning)
}

/** Each test has a new business, because its submissions are counted. */
async function caller(): Promise<{ key: string; user: string; newUser: Business['user'] }> {
  const { apiKey: key, user: newUser } = await world.otherBusiness()
  return { key, user: await newUser(), newUser }
}

for (const type of ['application/json', 'multipart/form-data; boundary=b']) {
  test(`404 an end-user that does not exist, before a byte of the body is sent: ${type}`, async () => {
    const { key } = await caller()
    assertError(await announce(freshUserId(), { key, type }), 404, 'holder_not_found', { param: 'externalUserId' })
  })
}

test('400 a path that is none, before a byte of the body is sent', async () => {
  const { key } = await caller()
  const answer = await announce('', { key, path: '/v0/end-users/a%00b/submit-kyc' })
  assertError(answer, 400, 'invalid_path', { param: 'externalUserId' })
})

test('429 the third submission for an end-user, before a byte of it is sent; another end-user is not affected', async () => {
  const { key, user, newUser } = await caller()
  const other = await newUser()
  const submit = (whose: string) =>
    world.business.call('POST', userPath(whose, '/submit-kyc'), { type: 'nonsense' }, { key })
  for (let times = 0; times < 2; times++) assert.equal((await submit(user)).status, 400)
  const refused = await announce(user, { key })
  assertError(refused, 429, 'rate_limited', { param: null })
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal((await submit(other)).status, 400)
})

test('429 the ninth submission of a business, whatever names it makes up; another business is not affected', async () => {
  const { key, user } = await caller()
  for (let times = 0; times < 8; times++) assert.equal((await announce(freshUserId(), { key })).status, 404)
  assertError(await announce(user, { key }), 429, 'rate_limited', { param: null })
  assertError(await announce(freshUserId(), { key }), 429, 'rate_limited', { param: null })
  const other = await caller()
  assert.equal((await world.business.call('POST', userPath(other.user, '/submit-kyc'), {}, other)).status, 400)
})

test('a name that is no end-user yet has no counter', async () => {
  const { key } = await caller()
  const user = freshUserId()
  for (let times = 0; times < 3; times++) assert.equal((await announce(user, { key })).status, 404)
  assert.equal((await world.business.call('POST', '/v0/end-users', { externalUserId: user }, { key })).status, 200)
  assert.equal((await world.business.call('POST', userPath(user, '/submit-kyc'), {}, { key })).status, 400)
})

test('413 more members than a submission has, while the body is still being sent', async () => {
  const { key, user } = await caller()
  const beginning = `{"first_name":"A",${'"k":1,'.repeat(kycBody.membersMax)}`
  const asJson = await announce(user, { key, beginning })
  assertError(asJson, 413, 'too_many_members', { param: null })
  const type = 'multipart/form-data; boundary=b'
  const part = `--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n${beginning}`
  const asPart = await announce(user, { key, type, beginning: part })
  assertError(asPart, 413, 'too_many_members', { param: null })
})

test('413 more text than a submission has outside of its images, while the body is still being sent', async () => {
  const { key, user } = await caller()
  const text = 'x'.repeat(kycBody.plainBytesMax)
  const answer = await announce(user, { key, beginning: `{"first_name":"${text}` })
  const { message } = assertError(answer, 413, 'payload_too_large', { param: null })
  assert.match(message, /outside of its `data:` URIs/)
})
