// getKycLinks: the first response about a link or customer that the provider has already uses the facts of the provider's
// own response.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, test } from 'node:test'
import { assertError, dataOf, request, until } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())
afterEach(() => world.provider.recovers())

const links = (user: string, key?: string) =>
  world.business.call('GET', userPath(user, '/kyc-links'), undefined, key === undefined ? {} : { key })
const read = async (user: string) => dataOf(await world.business.call('GET', userPath(user)))

/** Creates a link at the provider, as another program of the operator may have done. */
async function linkUpstream(email: string): Promise<{ kyc_link: string; tos_link: string; id: string }> {
  const headers = { 'api-key': world.provider.apiKey, 'idempotency-key': randomUUID() }
  const answer = await request(
    'POST',
    `${world.provider.origin}/v0/kyc_links`,
    { email, type: 'individual' },
    { headers },
  )
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const post = async (page: string, body: unknown) => assert.equal((await request('POST', page, body)).status, 200)

test('200 terms that were accepted on the link that the provider has are not asked for again', async () => {
  const user = await world.business.user()
  await post((await linkUpstream(`${user}@example.com`)).tos_link, {})
  const shown = dataOf(await links(user))
  assert.deepEqual([shown.tosStatus, shown.tosLink], ['approved', null])
  assert.equal(shown.nextAction.kind, 'submit_kyc')
  assert.notEqual(shown.kycLink, null)
  assert.equal((await read(user)).tosStatus, 'approved')
})

test('200 a person who is approved there already has nothing to do, from the first response on', async () => {
  const user = await world.business.user()
  const { tos_link, kyc_link, id } = await linkUpstream(`${user}@example.com`)
  await post(tos_link, {})
  await post(kyc_link, { outcome: 'approve' })
  await until('the approval there', async () => {
    const answer = await request('GET', `${world.provider.origin}/v0/kyc_links/${id}`, undefined, {
      headers: { 'api-key': world.provider.apiKey },
    })
    return answer.body.kyc_status === 'approved'
  })
  const shown = dataOf(await links(user))
  assert.deepEqual(
    [shown.kycStatus, shown.tosStatus, shown.kycLink, shown.tosLink, shown.nextAction],
    ['approved', 'approved', null, null, { kind: 'none' }],
  )
  assert.notEqual((await read(user)).providerCustomerId, null)
})

test('200 the state of a page counts when its customer cannot be read', async () => {
  const user = await world.business.user()
  const { tos_link, kyc_link } = await linkUpstream(`${user}@example.com`)
  await post(tos_link, {})
  await post(kyc_link, { outcome: 'request_questionnaire' })
  await world.provider.fails({ method: 'GET', path: '^/v0/customers/', mode: 'status', status: 500, times: 20 })
  const shown = dataOf(await links(user))
  assert.equal(shown.tosStatus, 'approved')
  assert.notEqual(shown.nextAction.kind, 'accept_tos')
})

test('200 a new link whose customer exists at once shows what that customer needs', async () => {
  const user = await world.business.user()
  await world.provider.control('POST', '/behaviour', { link_customer_early: true })
  const shown = dataOf(await links(user))
  await world.provider.control('POST', '/behaviour', { link_customer_early: false })
  assert.equal(shown.nextAction.kind, 'accept_tos')
  assert.ok(shown.requirements.currentlyDue.includes('date_of_birth'))
  assert.equal(typeof (await read(user)).providerCustomerId, 'string')
})

test('422 a new link that the provider gives the customer of another end-user is not handed over', async () => {
  const holder = await world.business.user()
  dataOf(await world.business.call('POST', userPath(holder, '/submit-kyc'), kycBody(randomUUID(), holder)))
  const { apiKey } = await world.otherBusiness()
  const body = { externalUserId: 'stranger', email: `${holder}@example.com` }
  dataOf(await world.business.call('POST', '/v0/end-users', body, { key: apiKey }))
  assertError(await links('stranger', apiKey), 422, 'provider_rejected', { silentOn: [holder], param: null })
})
