// getKycLinks: what is asked about one currency, where the page leads back to, and an end-user whom only its page knows.

import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { assertError, dataOf, request, until } from '../caller.ts'
import { kycBody, solanaWallet, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
afterEach(() => world.provider.recovers())
const { call } = world.business
const links = (user: string, query = '') => call('GET', userPath(user, `/kyc-links${query}`))
const read = async (user: string) => dataOf(await call('GET', userPath(user)))

test('200 approved for one currency: the page of another is offered, and once it is done the account can be opened', async () => {
  const user = await world.business.user('submitted', { endorsements: ['base'] })
  await world.business.reached(user, 'approved')
  assert.equal(dataOf(await links(user)).kycLink, null)
  assert.equal(dataOf(await links(user, '?currency=usd')).kycLink, null)
  const account = { externalUserId: user, source: { currency: 'eur' }, destination: solanaWallet }
  const refused = await call('POST', '/v0/virtual-accounts', account)
  assert.equal(refused.body.error.code, 'rail_not_enabled')
  const advised = refused.body.error.details.find(({ param }: { param: string }) => param === 'nextAction')
  assert.notEqual(advised.code, 'none')

  const shown = dataOf(await links(user, '?currency=eur'))
  assert.equal(shown.kycStatus, 'approved')
  assert.equal(shown.nextAction.kind, 'open_link')
  assert.equal(shown.nextAction.url, shown.kycLink)
  assert.equal((await request('POST', shown.kycLink, { outcome: 'approve' })).status, 200)
  await until('eur', async () => (await read(user)).rails.eur === 'active')
  assert.equal((await call('POST', '/v0/virtual-accounts', account)).status, 200)
  const done = dataOf(await links(user, '?currency=eur'))
  assert.deepEqual([done.kycLink, done.nextAction], [null, { kind: 'none' }])
})

test('200 the page leads back to where it was asked to', async () => {
  const [back, query] = [
    'https://app.example/done?a=1',
    `?redirectUri=${encodeURIComponent('https://app.example/done?a=1')}`,
  ]
  const user = await world.business.user()
  const { kycLink, tosLink } = dataOf(await links(user, query))
  assert.equal((await request('POST', tosLink, {})).status, 200)
  assert.equal((await request('POST', kycLink, { outcome: 'review' })).body.continueTo, back)
  const customer = await world.business.user('submitted', { mail: '+document' })
  await world.business.reached(customer, 'action_required')
  const page = dataOf(await links(customer, query)).kycLink
  assert.equal((await request('POST', page, { outcome: 'review' })).body.continueTo, back)
})

test('400 a currency that is none, an address that is none', async () => {
  const user = await world.business.user()
  assertError(await links(user, '?currency=chf'), 400, 'invalid_query', { param: 'currency' })
  for (const address of ['http://app.example', 'javascript:alert(1)', 'https://a:b@app.example', '/done'])
    assertError(await links(user, `?redirectUri=${encodeURIComponent(address)}`), 400, 'invalid_redirect_uri', {
      param: 'redirectUri',
    })
})

test('200 terms accepted on the page are seen, though no message of the browser has come and there is no customer yet', async () => {
  const user = await world.business.user()
  const { tosLink, kycLink } = dataOf(await links(user))
  assert.equal((await request('POST', tosLink, {})).status, 200)
  const shown = dataOf(await links(user))
  assert.deepEqual([shown.tosStatus, shown.tosLink], ['approved', null])
  assert.notEqual(shown.nextAction.kind, 'accept_tos')
  assert.equal(shown.kycLink, kycLink)
  const told = dataOf(await call('GET', `/v0/events?eventType=end_user.tos.accepted&externalUserId=${user}`))
  assert.equal(told.length, 1)
})

test('a lost message is no dead end: the same link is handed out, and its page tells the same agreement again', async () => {
  const user = await world.business.user()
  const lost = await world.business.acceptTerms(user)
  const { data } = (await call('POST', userPath(user, '/tos-link'))).body
  assert.equal(data.tosStatus, 'pending')
  const page = await request('POST', data.tosLink, {})
  assert.equal(page.body.signedAgreementId, lost)
  const body = kycBody(page.body.signedAgreementId, user)
  assert.equal(dataOf(await call('POST', userPath(user, '/submit-kyc'), body)).tosStatus, 'approved')
})

test('200 a customer whom the provider has no more: the end-user is offboarded, and comes back with the customer', async () => {
  const user = await world.business.user('approved')
  const { providerCustomerId: id } = await read(user)
  const gone = { code: 'Invalid', message: 'Unknown customer id' }
  await world.provider.fails({ method: 'GET', path: `${id}$`, mode: 'status', status: 404, body: gone, times: 50 })
  await world.provider.control('POST', `/customers/${id}/kyc`, { decision: 'pause' })
  await world.business.reached(user, 'offboarded')
  const shown = await read(user)
  assert.deepEqual([shown.providerStatus, shown.nextAction.kind], ['deleted', 'contact_support'])
  assert.deepEqual(new Set(Object.values(shown.rails)), new Set(['inactive']))
  assert.equal(dataOf(await links(user)).kycLink, null)
  await world.provider.recovers()
  await world.provider.control('POST', `/customers/${id}/kyc`, { decision: 'approve' })
  await world.business.reached(user, 'approved')
})

test('503 a 404 that is not the provider’s own word says nothing of the customer', async () => {
  const user = await world.business.user('submitted', { mail: '+review' })
  await world.business.reached(user, 'under_review')
  const { providerCustomerId: id } = await read(user)
  await world.provider.fails({ method: 'GET', path: `${id}$`, mode: 'status', status: 404, body: {}, times: 5 })
  assertError(await links(user), 503, 'provider_unavailable', { param: null })
  assert.equal((await read(user)).kycStatus, 'under_review')
})
