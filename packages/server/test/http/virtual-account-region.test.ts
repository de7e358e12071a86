// Virtual accounts of end-users in the EEA: no coin that the provider does not offer there, and no request to the provider.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError, dataOf, request, until } from '../caller.ts'
import { kycBody, solanaWallet, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'
const code = 'coin_not_available_in_region'
const refusal = { message: /in the EEA; usdc and eurc are available/, details: ['destination.currency'] }

const berlin = { street_line_1: '1 Example Street', city: 'Berlin', postal_code: '10115', country: 'DEU' }
const zurich = { street_line_1: '1 Example Street', city: 'Zurich', postal_code: '8001', country: 'CHE' }
const coin = (currency: string) => ({ destination: { ...solanaWallet, currency } })
const usdt = coin('usdt')

const submit = async (user: string, body: unknown) => dataOf(await call('POST', userPath(user, '/submit-kyc'), body))

async function person(address: object): Promise<string> {
  const user = await world.business.user()
  await submit(user, { ...kycBody(await world.business.acceptTerms(user), user), residential_address: address })
  await world.business.reached(user, 'approved')
  return user
}

async function company(addresses: object): Promise<string> {
  const { user, body } = await world.business.company()
  await submit(user, { ...body, ...addresses })
  await until('the approval', async () => dataOf(await call('GET', userPath(user))).rails.usd === 'active')
  return user
}

const open = async (user: string, change: object) => await call('POST', path, accountRequest(user, change))

/** Fails unless the coin is refused and no creation reached the provider. */
async function assertRefused(user: string, change: object): Promise<void> {
  await world.provider.fails({
    about: user,
    mode: 'status',
    status: 400,
    body: { code: 'must_not_be_called', message: '' },
  })
  assertError(await open(user, change), 422, code, { param: 'destination.currency', ...refusal })
  const { data } = (await world.provider.control('GET', '/faults')).body
  assert.equal(data.at(-1).hits, 0)
  await world.provider.recovers()
  assert.deepEqual(await world.provider.accountsOf(user), [])
}

describe('creation', () => {
  test('422 usdt and usdb for a person in the EEA; every other coin opens', async () => {
    const user = await person(berlin)
    await assertRefused(user, usdt)
    await assertRefused(user, coin('usdb'))
    await assertRefused(user, { ...usdt, onPendingKyc: 'wait' })
    for (const currency of ['usdc', 'eurc', 'pyusd'])
      assert.equal(dataOf(await open(user, coin(currency))).status, 'active', currency)
    const shown = JSON.stringify([
      dataOf(await call('GET', userPath(user))),
      await world.business.call('GET', '/v0/events'),
    ])
    assert.doesNotMatch(shown, /InEea|DEU/)
  })

  test('200 a person outside the EEA gets usdt', async () => {
    assert.equal(dataOf(await open(await person(zurich), usdt)).status, 'active')
  })

  test('422 a company that is registered or operates in the EEA', async () => {
    await assertRefused(await company({ registered_address: berlin, physical_address: zurich }), usdt)
    await assertRefused(await company({ registered_address: zurich, physical_address: berlin }), usdt)
    const outside = await company({ registered_address: zurich, physical_address: zurich })
    assert.equal(dataOf(await open(outside, usdt)).status, 'active')
  })

  test('200 after the hosted page nothing is known of the residence, so the provider decides', async () => {
    const user = await world.business.user()
    const { tosLink, kycLink } = dataOf(await call('GET', userPath(user, '/kyc-links')))
    await request('POST', tosLink, {})
    await request('POST', kycLink, { outcome: 'approve' })
    await until('the approval', async () => dataOf(await call('GET', userPath(user))).rails.usd === 'active')
    assert.equal(dataOf(await open(user, usdt)).status, 'active')
  })
})

describe('another submission', () => {
  test('the residence that was submitted last counts, and a submission without an address changes nothing', async () => {
    const user = await person(berlin)
    const { updatedAt } = dataOf(await call('GET', userPath(user)))
    await submit(user, { phone: '+12223334445' })
    await assertRefused(user, usdt)
    await submit(user, { residential_address: zurich })
    assert.equal(dataOf(await open(user, usdt)).status, 'active')
    // The API does not show where an end-user lives.
    assert.equal(dataOf(await call('GET', userPath(user))).updatedAt, updatedAt)
  })

  test('a part of a company leaves the other address as it was', async () => {
    const user = await company({ registered_address: berlin, physical_address: berlin })
    await submit(user, { physical_address: zurich })
    await assertRefused(user, usdt)
    await submit(user, { registered_address: zurich })
    assert.equal(dataOf(await open(user, usdt)).status, 'active')
  })

  test('an address whose submission got no response counts once the outcome is read', async () => {
    const user = await world.business.user()
    const body = { ...kycBody(await world.business.acceptTerms(user), user), residential_address: berlin }
    const lost = { path: '^/v0/customers$', method: 'POST', mode: 'cut_after', times: 2 }
    await world.provider.fails(lost)
    assert.equal((await call('POST', userPath(user, '/submit-kyc'), body)).status, 504)
    await world.business.reached(user, 'approved')
    await assertRefused(user, usdt)
  })
})

describe('an account that waits for KYC', () => {
  test('200 fails at the approval with the reason, an event says so, and the others open', async () => {
    const user = await world.business.user()
    const waiting = { onPendingKyc: 'wait' }
    const refused = dataOf(await open(user, { ...usdt, ...waiting }))
    const other = dataOf(await open(user, waiting))
    assert.deepEqual([refused.status, other.status], ['pending', 'pending'])
    await submit(user, { ...kycBody(await world.business.acceptTerms(user), user), residential_address: berlin })
    const failed = await world.business.accountReached(refused.id, 'failed')
    assert.equal(failed['failureCode'], code)
    const [event] = await world.business.events('virtual_account.failed', refused.id)
    assert.deepEqual(event.payload.data, failed)
    await world.business.accountReached(other.id, 'active')
    assert.equal((await world.provider.accountsOf(user)).length, 1)
  })
})

describe('a change', () => {
  test('422 a new destination in a coin that is not available; the fee can still change', async () => {
    const user = await person(berlin)
    const { id } = dataOf(await open(user, {}))
    const patch = (body: unknown) => call('PATCH', `${path}/${id}`, body)
    assertError(await patch(usdt), 422, code, { param: 'destination.currency', ...refusal })
    assert.equal((await world.provider.accountsOf(user))[0]?.destination['currency'], 'usdc')
    assert.equal(dataOf(await patch({ developer_fee_percent: '0.75' })).destinationCurrency, 'usdc')
  })

  test('200 outside the EEA', async () => {
    const user = await world.business.user('approved')
    const { id } = dataOf(await open(user, {}))
    assert.equal(dataOf(await call('PATCH', `${path}/${id}`, usdt)).destinationCurrency, 'usdt')
  })
})
