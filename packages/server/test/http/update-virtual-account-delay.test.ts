// updateVirtualAccount where a new destination waits for its time, and what the audit log says of it.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { listAudit } from '../../src/audit/store.ts'
import { openClient } from '../../src/platform/postgres/client.ts'
import { assertError, dataOf, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({
  alone: true,
  env: { DESTINATION_CHANGE_DELAY_MINUTES: '60', PROVIDER_TIMEOUT_MS: '1500' },
})
after(() => world.stop())
const { call } = world.business
const user = await world.business.user('approved')
const wallet = { payment_rail: 'ethereum', currency: 'usdc', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }
const patch = (id: string, body: unknown) => call('PATCH', `/v0/virtual-accounts/${id}`, body)
const read = async (id: string) => dataOf(await call('GET', `/v0/virtual-accounts/${id}`))
const audit = async (id: string) => {
  const rows = await world.inside.db.read((query) => listAudit(query, world.business.id, { limit: 100 }))
  return rows.filter(({ subjectId }) => subjectId === id).reverse()
}

async function account(): Promise<string> {
  const { id = '' } = await world.business.account(user)
  return id
}

/** An hour goes by for the database, which is the clock of what waits. */
async function letItBeTime(id: string): Promise<void> {
  const { query, close } = await openClient(world.database, { applicationName: 'test' })
  await query.unsafe(`update virtual_accounts set pending_destination_at = now() where id = '${id}'`)
  await close()
  world.inside.wake('resume')
}

const theirs = async (id: string) => {
  const shown = await read(id)
  const all = await world.provider.accountsOf(shown.externalUserId)
  return all.find(
    ({ destination }) =>
      destination['address'] === wallet.address.toLowerCase() || destination['address'] === wallet.address,
  )
}

test('200 a new destination waits, is shown and told, and counts when its time has come', async () => {
  const id = await account()
  const before = await read(id)
  const waiting = dataOf(await patch(id, { destination: wallet, developer_fee_percent: '1.25' }))
  assert.deepEqual(
    [waiting.destinationAddress, waiting.developerFeePercent, waiting.pendingDestination.address],
    [before.destinationAddress, '1.25', wallet.address],
  )
  const inMs = Date.parse(waiting.pendingDestinationFrom) - Date.now()
  assert.ok(Math.abs(inMs - 3_600_000) < 60_000)
  assert.equal(await theirs(id), undefined)
  const told = (await world.business.events('virtual_account.updated', id)).at(-1)
  assert.equal(told.payload.data.pendingDestination.address, wallet.address)

  const listed = async (filter: string) =>
    dataOf(await call('GET', `/v0/virtual-accounts?destinationChange=waiting${filter}`)).map(
      (row: { id: string }) => row.id,
    )
  assert.deepEqual(await listed(''), [id])
  assert.deepEqual(await listed(`&externalUserId=${user}&sourceCurrency=usd&status=active`), [id])
  assert.deepEqual(await listed('&sourceCurrency=eur'), [])
  const { apiKey: stranger } = await world.otherBusiness()
  const theirList = await call('GET', '/v0/virtual-accounts?destinationChange=waiting', undefined, { key: stranger })
  assert.deepEqual(theirList.body.data, [])

  await letItBeTime(id)
  const changed = await until('the change', async () => {
    const shown = await read(id)
    return shown.destinationAddress === wallet.address && shown
  })
  assert.deepEqual(await listed(''), [])
  assert.ok(!('pendingDestination' in changed || 'pendingDestinationFrom' in changed))
  assert.ok(await theirs(id))
  const entries = await audit(id)
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['virtual_account.destination.requested', 'virtual_account.destination.changed'],
  )
  const { apiKeyId: keyId } = dataOf(await call('GET', '/v0/whoami'))
  for (const { actor, details } of entries) {
    assert.equal(actor, keyId)
    assert.equal((details['to'] as Record<string, string>)['destinationAddress'], wallet.address)
    assert.equal((details['from'] as Record<string, string>)['destinationAddress'], before.destinationAddress)
  }
})

test('200 a destination that waits already, asked for once more, waits as it did and is told once', async () => {
  const id = await account()
  const waiting = dataOf(await patch(id, { destination: wallet }))
  const repeat = dataOf(await patch(id, { destination: wallet }))
  assert.equal(repeat.pendingDestinationFrom, waiting.pendingDestinationFrom)
  assert.equal((await world.business.events('virtual_account.updated', id)).length, 1)
  assert.equal((await audit(id)).length, 1)
})

test('200 the destination that counts already ends the waiting', async () => {
  const id = await account()
  const { destinationAddress: address } = await read(id)
  await patch(id, { destination: wallet })
  const kept = dataOf(await patch(id, { destination: { payment_rail: 'solana', currency: 'usdc', address } }))
  assert.ok(!('pendingDestination' in kept || 'pendingDestinationFrom' in kept))
  assert.equal((await audit(id)).at(-1)?.action, 'virtual_account.destination.cancelled')
})

test('200 an account whose destination waits can be stopped meanwhile', async () => {
  const id = await account()
  await patch(id, { destination: wallet })
  assert.equal(dataOf(await call('POST', `/v0/virtual-accounts/${id}/deactivate`)).status, 'deactivated')
  await letItBeTime(id)
  await until('the change', async () => (await read(id)).destinationAddress === wallet.address)
})

test('200 a change that the provider refuses when its time has come is told, and nothing waits any more', async () => {
  const id = await account()
  await patch(id, { destination: wallet })
  await world.provider.fails({
    about: user,
    mode: 'status',
    status: 400,
    body: { code: 'frozen', message: 'no' },
    under: '/[^/]+$',
  })
  await letItBeTime(id)
  const shown = await until('the end', async () => {
    const found = await read(id)
    return !('pendingDestination' in found) && found
  })
  assert.notEqual(shown.destinationAddress, wallet.address)
  assert.equal((await audit(id)).at(-1)?.action, 'virtual_account.destination.refused')
  const last = (await world.business.events('virtual_account.updated', id)).at(-1)
  assert.ok(!('pendingDestination' in last.payload.data))
})

test('422 an account that is not open', async () => {
  const waiting = await call('POST', '/v0/virtual-accounts', {
    externalUserId: dataOf(await call('POST', '/v0/end-users', { externalUserId: `${user}-new` })).externalUserId,
    source: { currency: 'usd' },
    destination: wallet,
    onPendingKyc: 'wait',
  })
  const answer = await patch(dataOf(waiting).id, { destination: wallet })
  assert.equal(answer.status, 422)
  assert.equal(answer.body.error.code, 'account_state_conflict')
})

test('200 what counts already, sent while nothing waits, changes and tells nothing', async () => {
  const id = await account()
  const before = await read(id)
  const { destinationPaymentRail: payment_rail, destinationCurrency: currency, destinationAddress: address } = before
  assert.deepEqual(dataOf(await patch(id, { destination: { payment_rail, currency, address } })), before)
  assert.deepEqual(await audit(id), [])
  assert.deepEqual(await world.business.events('virtual_account.updated', id), [])
})

test('400 a destination that would wait is refused at once when nobody holds its key', async () => {
  const id = await account()
  const contract = { ...wallet, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }
  assertError(await patch(id, { destination: contract }), 400, 'invalid_destination_address', {
    message: /is the contract of usdt, not a wallet/,
  })
  assert.ok(!('pendingDestination' in (await read(id))))
})

describe('a coin that is not available in the EEA', () => {
  const berlin = { street_line_1: '1 Example Street', city: 'Berlin', postal_code: '10115', country: 'DEU' }
  const usdt = { destination: { ...wallet, currency: 'usdt' } }
  const move = async (person: string, residential_address: object) =>
    dataOf(await call('POST', `/v0/end-users/${person}/submit-kyc`, { residential_address }))

  test('422 at once for a destination that would wait, and what waits can still be cancelled', async () => {
    const person = await world.business.user('approved')
    const { id = '' } = await world.business.account(person)
    const { destination } = await read(id)
    await patch(id, { destination: wallet })
    await move(person, berlin)
    assertError(await patch(id, usdt), 422, 'coin_not_available_in_region', { param: 'destination.currency' })
    assert.ok('pendingDestination' in (await read(id)))
    assert.ok(!('pendingDestination' in dataOf(await patch(id, { destination }))))
  })

  test('200 a destination that waits ends, unsent, if the end-user has moved to the EEA by its time', async () => {
    const person = await world.business.user('approved')
    const { id = '' } = await world.business.account(person)
    await patch(id, usdt)
    await move(person, berlin)
    await letItBeTime(id)
    const shown = await until('the end', async () => {
      const found = await read(id)
      return !('pendingDestination' in found) && found
    })
    assert.equal(shown.destinationCurrency, 'usdc')
    assert.equal((await audit(id)).at(-1)?.action, 'virtual_account.destination.refused')
    const last = (await world.business.events('virtual_account.updated', id)).at(-1)
    assert.ok(!('pendingDestination' in last.payload.data))
    assert.equal((await world.provider.accountsOf(person))[0]?.destination['currency'], 'usdc')
  })
})
