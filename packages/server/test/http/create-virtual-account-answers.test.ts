// POST /v0/virtual-accounts: the provider's response is compared with the request before the account becomes `active`.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { request, until } from '../caller.ts'
import { freshUserId, solanaWallet } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'
const user = await world.business.user('approved')

const metrics = async () => (await request('GET', `${world.url}/metrics`)).text

type Json = Record<string, unknown>
const otherWallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'

/** The provider's response to the request below, as far as Causeway reads it. */
function answerOf(changes: { account?: Json; destination?: Json; instructions?: Json }): Json {
  const instructions = {
    currency: 'usd',
    payment_rails: ['ach_push', 'wire'],
    bank_name: 'Lead Bank',
    bank_account_number: '215268120000',
    bank_routing_number: '101019644',
    bank_beneficiary_name: 'Ada Lovelace',
    ...changes.instructions,
  }
  return {
    id: `va_${freshUserId()}`,
    status: 'activated',
    source_deposit_instructions: instructions,
    destination: { ...solanaWallet, ...changes.destination },
    ...changes.account,
  }
}

async function openedAs(body: Json, currency = 'usd'): Promise<Record<string, string>> {
  await world.provider.fails({ about: user, mode: 'status', status: 201, body })
  const answer = await call('POST', path, accountRequest(user, { source: { currency } }))
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const contradictions: [what: string, code: string, changes: Parameters<typeof answerOf>[0], currency?: string][] = [
  ['another wallet', 'destination_mismatch', { destination: { address: otherWallet } }],
  ['another blockchain', 'destination_mismatch', { destination: { payment_rail: 'polygon' } }],
  ['another coin', 'destination_mismatch', { destination: { currency: 'eurc' } }],
  ['a memo nobody asked for', 'destination_mismatch', { destination: { blockchain_memo: '7' } }],
  ['another currency', 'currency_mismatch', { instructions: { currency: 'eur', iban: 'DE02120300000000202051' } }],
  ['no number to pay to', 'bank_details_missing', { instructions: { bank_account_number: '' } }],
  [
    'a CLABE of a wrong check digit',
    'bank_details_invalid',
    { instructions: { currency: 'mxn', clabe: '646180115400000007' } },
    'mxn',
  ],
  ['another fee', 'fee_mismatch', { account: { developer_fee_percent: '9.9' } }],
  ['another customer', 'customer_mismatch', { account: { customer_id: 'cust_of_another' } }],
]

for (const [what, code, changes, currency] of contradictions)
  test(`200 an account that the provider opened with ${what} reads failed, and shows no bank details`, async () => {
    const account = await openedAs(answerOf(changes), currency)
    assert.deepEqual([account['status'], account['failureCode']], ['failed', code])
    for (const name of ['bankAccountNumber', 'bankRoutingNumber', 'bankName']) assert.equal(account[name], '')
    assert.equal(account['destinationAddress'], solanaWallet.address, 'what was asked for')
    assert.deepEqual((await call('GET', `${path}/${account['id']}`)).body.data, account)
    assert.deepEqual((await call('GET', `${path}/${account['id']}/deposit-instructions`)).body.data.instructions, [])
    assert.equal((await world.business.events('virtual_account.failed', account['id'] ?? '')).length, 1)
    assert.equal((await world.business.events('virtual_account.created', account['id'] ?? '')).length, 0)
    assert.ok(world.log.some((line) => line.includes('differs from the request') && line.includes(code)))
    const counted = new RegExp(`causeway_account_responses_refused_total\\{code="${code}"\\} [1-9]`)
    // A metrics page may be a second old.
    await until('the count', async () => counted.test(await metrics()))
  })

test('200 an account with the routing number of the provider’s samples is active', async () => {
  const account = await openedAs(answerOf({ instructions: { bank_routing_number: '1234567890' } }))
  assert.deepEqual([account['status'], account['bankRoutingNumber']], ['active', '1234567890'])
})

test('200 an answer that leaves out what was asked, or writes it in another way, is no contradiction', async () => {
  const customer_id = await world.business.customerOf(user)
  const bare = {
    ...answerOf({}),
    customer_id,
    developer_fee_percent: '0.0',
    destination: { payment_rail: 'solana', currency: 'usdc' },
  }
  assert.equal((await openedAs(bare))['status'], 'active')
})
