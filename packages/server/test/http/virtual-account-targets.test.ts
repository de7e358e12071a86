// destination.bridge_wallet_id and destination.prefunded_account_id: what an account pays out to, named by an id of the provider.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listAudit } from '../../src/audit/store.ts'
import { accountRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { freshUserId, solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'
const user = await world.business.user('approved')
const wallet = { payment_rail: 'base', currency: 'usdc', bridge_wallet_id: 'bw7k2' }
const prefunded = { payment_rail: 'prefunded', currency: 'usd', prefunded_account_id: 'pfa91' }
const address = { payment_rail: 'base', currency: 'usdc', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
const open = async (destination: object, holder = user) =>
  (await call('POST', path, { ...accountRequest(holder), destination })).body.data
const auditOf = async (id: string) => {
  const rows = await world.inside.db.read((query) => listAudit(query, world.business.id, { limit: 100 }))
  return rows.filter(({ subjectId }) => subjectId === id)
}

for (const destination of [wallet, prefunded])
  test(`200 an account pays out to ${Object.keys(destination)[2]}: sent as it is, shown as it was sent`, async () => {
    const holder = await world.business.user('approved')
    const made = await open(destination, holder)
    assert.deepEqual([made.status, made.destination, made.destinationAddress], ['active', destination, ''])
    assert.deepEqual(
      [made.destinationPaymentRail, made.destinationCurrency],
      [destination.payment_rail, destination.currency],
    )
    assert.deepEqual((await call('GET', `${path}/${made.id}`)).body.data, made)
    assert.deepEqual((await call('GET', `${path}?externalUserId=${holder}`)).body.data, [made])
    assert.deepEqual((await world.business.events('virtual_account.created', made.id))[0].payload.data, made)
    assert.deepEqual((await world.provider.accountsOf(holder))[0]?.destination, destination)
  })

test('200 an account that waits for KYC keeps its wallet', async () => {
  const holder = await world.business.user()
  const { data } = (await call('POST', path, { ...accountRequest(holder), destination: wallet, onPendingKyc: 'wait' }))
    .body
  assert.deepEqual([data.status, data.destination], ['pending', wallet])
})

test('400 an account has exactly one target, and a prefunded account goes with prefunded and usd alone', async () => {
  const wrong: [destination: object, code: Parameters<typeof assertError>[2], param: string][] = [
    [{ payment_rail: 'base', currency: 'usdc' }, 'missing_field', 'destination.address'],
    [{ ...address, ...wallet }, 'invalid_value', 'destination.bridge_wallet_id'],
    [{ ...wallet, prefunded_account_id: 'p' }, 'invalid_value', 'destination.prefunded_account_id'],
    [{ ...prefunded, payment_rail: 'base' }, 'unsupported_payment_rail', 'destination.payment_rail'],
    [{ ...prefunded, currency: 'usdc' }, 'unsupported_currency', 'destination.currency'],
    [{ ...wallet, payment_rail: 'prefunded' }, 'unsupported_payment_rail', 'destination.payment_rail'],
    [{ ...wallet, bridge_wallet_id: 'a b' }, 'invalid_format', 'destination.bridge_wallet_id'],
    [{ ...wallet, blockchain_memo: '1' }, 'invalid_destination_address', 'destination.blockchain_memo'],
  ]
  for (const [destination, code, param] of wrong)
    assertError(await call('POST', path, { ...accountRequest(user), destination }), 400, code, { param })
})

test('200 an account moves from an address to a wallet and back, and the audit log names the wallet', async () => {
  const { id } = await open(address)
  const there = (await call('PATCH', `${path}/${id}`, { destination: wallet })).body.data
  assert.deepEqual([there.destination, there.destinationAddress], [wallet, ''])
  const back = (await call('PATCH', `${path}/${id}`, { destination: address })).body.data
  assert.deepEqual([back.destination, back.destinationAddress], [address, address.address])
  const entries = (await auditOf(id)).filter(({ action }) => action === 'virtual_account.destination.changed')
  assert.deepEqual(
    entries.map(({ details }) => (details as { to: Record<string, unknown> }).to['destinationBridgeWalletId']),
    [undefined, 'bw7k2'],
  )
})

test('400 a prefunded account is a target at creation only', async () => {
  const { id } = await open(address)
  assertError(await call('PATCH', `${path}/${id}`, { destination: prefunded }), 400, 'invalid_value', {
    param: 'destination.prefunded_account_id',
  })
})

const walletAddress = '0x27b1fdb04752bbc536007a920d24acb045561c26'
const responseOf = (destination: object) => ({
  id: `va_${freshUserId()}`,
  status: 'activated',
  source_deposit_instructions: {
    currency: 'usd',
    payment_rails: ['ach_push'],
    bank_account_number: '215268120000',
    bank_routing_number: '101019644',
    bank_beneficiary_name: 'Ada Lovelace',
  },
  destination,
})

const responses: [what: string, destination: object, outcome: [status: string, address: string]][] = [
  ['repeats the id', wallet, ['active', '']],
  ['shows the address of the wallet beside the id', { ...wallet, address: walletAddress }, ['active', walletAddress]],
  [
    'shows the address alone',
    { payment_rail: 'base', currency: 'usdc', address: walletAddress },
    ['active', walletAddress],
  ],
  ['writes bridge_wallet for the chain', { ...wallet, payment_rail: 'bridge_wallet' }, ['active', '']],
  ['leaves the target out', { payment_rail: 'base', currency: 'usdc' }, ['active', '']],
  ['names another wallet', { ...wallet, bridge_wallet_id: 'other' }, ['failed', '']],
  ['names another coin', { ...wallet, currency: 'usdb' }, ['failed', '']],
  ['names a prefunded account', { ...wallet, prefunded_account_id: 'p' }, ['failed', '']],
]

for (const [what, destination, outcome] of responses)
  test(`200 a response that ${what} is compared in what it carries`, async () => {
    await world.provider.fails({ about: user, mode: 'status', status: 200, body: responseOf(destination) })
    const made = await open(wallet)
    assert.deepEqual([made.status, made.destinationAddress], outcome)
    assert.deepEqual(made.destination, wallet)
    if (outcome[0] === 'failed') assert.equal(made.failureCode, 'destination_mismatch')
  })

test('200 an account by address stays one when the response also names the wallet of that address', async () => {
  await world.provider.fails({
    about: user,
    mode: 'status',
    status: 200,
    body: responseOf({ ...address, bridge_wallet_id: 'bw1' }),
  })
  const made = await open(address)
  assert.deepEqual([made.status, made.destination], ['active', address])
})

test('422 a change to an address whose response still names the old wallet is refused, and the wallet stays shown', async () => {
  const holder = await world.business.user('approved')
  const { id } = await open(wallet, holder)
  const stale = responseOf({ ...address, bridge_wallet_id: wallet.bridge_wallet_id })
  await world.provider.fails({ about: holder, mode: 'status', status: 200, body: stale, under: '/[^/]+' })
  assertError(await call('PATCH', `${path}/${id}`, { destination: address }), 422, 'provider_rejected')
  assert.deepEqual((await call('GET', `${path}/${id}`)).body.data.destination, wallet)
})

test('422 a change to a wallet whose response still names the old address is refused', async () => {
  const holder = await world.business.user('approved')
  const { id } = await open(solanaWallet, holder)
  const solana = { payment_rail: 'solana', currency: 'usdc', bridge_wallet_id: 'bw7k2' }
  await world.provider.fails({
    about: holder,
    mode: 'status',
    status: 200,
    body: responseOf(solanaWallet),
    under: '/[^/]+',
  })
  assertError(await call('PATCH', `${path}/${id}`, { destination: solana }), 422, 'provider_rejected')
})
