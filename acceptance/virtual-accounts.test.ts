// Specification, endpoint 1; contract, chapters 4 and 6.

import assert from 'node:assert/strict'
import test from 'node:test'
import { refuse, succeed, until } from './call.ts'
import * as people from './people.ts'

interface Amount {
  readonly value: string
  readonly currency: string
}

interface Deposit {
  readonly id: string
  readonly status: string
  readonly grossAmount: Amount
  readonly developerFee: Amount
  readonly exchangeFee: Amount
  readonly subtotalAmount: Amount
  readonly gasFee: Amount
  readonly netAmount: Amount | null
  readonly exchangeRate: string
  readonly destinationTxHash: string | null
  readonly timeline: readonly { readonly status: string }[]
}

const FIELDS = [
  ...['id', 'bankName', 'bankAccountNumber', 'bankRoutingNumber', 'beneficiaryName', 'beneficiaryAddress'],
  ...['destinationAddress', 'destinationPaymentRail', 'destinationCurrency'],
  ...['externalUserId', 'status', 'sourceCurrency', 'developerFeePercent', 'createdAt', 'updatedAt'],
]

async function depositInto(virtualAccountId: string, amount: string, outcome: string): Promise<Deposit> {
  const { id } = await succeed<{ id: string }>('POST', '/v0/sandbox/deposits', {
    body: { virtualAccountId, amount, outcome },
  })
  const path = `/v0/virtual-accounts/${virtualAccountId}/deposits`
  const read = async () => (await succeed<Deposit[]>('GET', path)).find((deposit) => deposit.id === id)
  await until(`${id} is ${outcome}`, read, (deposit) => deposit?.status === outcome)
  return succeed<Deposit>('GET', `/v0/deposits/${id}`)
}

/** Whole units of six decimal places: the coin has no more. */
function units(amount: Amount | null, currency: string): bigint {
  assert.equal(amount?.currency, currency)
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(amount.value) ?? assert.fail(amount.value)
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`)
}

test('an account has bank details and its destination, each a string', async () => {
  const { externalUserId } = await people.createApproved('account')
  const account: Record<string, unknown> = { ...(await people.openAccount(externalUserId)) }
  for (const field of FIELDS) assert.equal(typeof account[field], 'string', field)
  assert.match(String(account['id']), /^va_/)
  assert.equal(account['status'], 'active')
  assert.equal(account['destinationAddress'], people.WALLET)
  assert.equal(account['developerFeePercent'], '0')
  for (const field of ['bankAccountNumber', 'bankRoutingNumber', 'beneficiaryName']) assert.notEqual(account[field], '')
  assert.deepEqual(await succeed('GET', `/v0/virtual-accounts/${account['id']}`), account)
})

test('no account is opened before KYC is approved, and the refusal says what to do', async () => {
  const { externalUserId } = await people.createEndUser('early')
  const body = people.accountOf(externalUserId)
  const { resolution } = await refuse(422, 'kyc_not_approved', 'POST', '/v0/virtual-accounts', { body })
  assert.match(resolution ?? '', new RegExp(`/v0/end-users/${externalUserId}/kyc-links`))
  assert.deepEqual(await succeed('GET', `/v0/virtual-accounts?externalUserId=${externalUserId}`), [])
  await refuse(404, 'holder_not_found', 'POST', '/v0/virtual-accounts', {
    body: people.accountOf(people.newName('no')),
  })
})

test('a destination that would lose money is refused', async () => {
  const { externalUserId } = await people.createEndUser('typo')
  const create = (code: string, change: object) =>
    refuse(400, code, 'POST', '/v0/virtual-accounts', { body: { ...people.accountOf(externalUserId), ...change } })
  const address = people.WALLET.replace('7VHU', '7VHUU')
  const { message } = await create('invalid_destination_address', { destination: { ...people.DESTINATION, address } })
  assert.ok(!message.includes(address))
  const payment_rail = 'carrier_pigeon'
  await create('unsupported_payment_rail', { destination: { ...people.DESTINATION, payment_rail } })
  await create('unsupported_currency', { source: { currency: 'xxx' } })
})

test('a fee that is not a plain decimal string below 100 is refused', async () => {
  const { externalUserId } = await people.createEndUser('fee')
  for (const fee of [0.5, '0.5%', '-1', '1e1', '100', '0.12345', '']) {
    const body = { ...people.accountOf(externalUserId), developer_fee_percent: fee }
    const { param } = await refuse(400, 'invalid_developer_fee_percent', 'POST', '/v0/virtual-accounts', { body })
    assert.equal(param, 'developer_fee_percent')
  }
})

test('a completed deposit adds up to the last digit of the coin', async () => {
  const { externalUserId } = await people.createApproved('payee')
  const account = await people.openAccount(externalUserId, '0.5')
  const deposit = await depositInto(account.id, '1000.10', 'completed')
  const gross = units(deposit.grossAmount, 'usd')
  const fee = units(deposit.developerFee, 'usd')
  const subtotal = units(deposit.subtotalAmount, 'usd')
  assert.equal(gross, 1_000_100_000n)
  assert.equal(fee, 5_000_000n) // half a percent, to the cent
  assert.equal(gross - fee - units(deposit.exchangeFee, 'usd'), subtotal)
  const [whole, fraction = ''] = deposit.exchangeRate.split('.')
  const rate = BigInt(`${whole}${fraction}`)
  const sent = (subtotal * rate) / 10n ** BigInt(fraction.length) - units(deposit.gasFee, 'usdc')
  assert.equal(sent, units(deposit.netAmount, 'usdc'))
  assert.ok(deposit.destinationTxHash)
  assert.equal(deposit.timeline.at(0)?.status, 'received')
  assert.equal(deposit.timeline.at(-1)?.status, 'completed')
})

test('a refunded deposit shows what was paid in, and nothing paid out', async () => {
  const { externalUserId } = await people.createApproved('refund')
  const account = await people.openAccount(externalUserId)
  const deposit = await depositInto(account.id, '77.77', 'refunded')
  assert.equal(units(deposit.grossAmount, 'usd'), 77_770_000n)
  assert.equal(deposit.netAmount, null)
  assert.equal(deposit.destinationTxHash, null)
})

test('a deactivated account shows no payer where to pay, until it is reactivated', async () => {
  const { externalUserId } = await people.createApproved('closed')
  const { id } = await people.openAccount(externalUserId)
  const instructions = async () =>
    (await succeed<{ instructions: unknown[] }>('GET', `/v0/virtual-accounts/${id}/deposit-instructions`)).instructions
  assert.notEqual((await instructions()).length, 0)
  await succeed('POST', `/v0/virtual-accounts/${id}/deactivate`)
  assert.equal((await instructions()).length, 0)
  await succeed('POST', `/v0/virtual-accounts/${id}/reactivate`)
  assert.notEqual((await instructions()).length, 0)
})
