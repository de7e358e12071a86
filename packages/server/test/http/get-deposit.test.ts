// GET /v0/deposits/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const user = await world.business.user('approved')
const account = await world.business.account(user)
const accountId = account.id
const deposit = await world.business.deposit(
  accountId,
  { amount: '100.00', paymentRail: 'wire', senderName: 'Grace Hopper' },
  'completed',
)

test('200 a completed deposit tells amounts, fees, sender, references, transaction and every step', async () => {
  const { data } = (await call('GET', `/v0/deposits/${deposit.id}`)).body
  const {
    id,
    providerDepositId,
    createdAt,
    updatedAt,
    references,
    destinationTxHash,
    timeline,
    completedAt,
    recipientName,
    ...fixed
  } = data
  assert.match(providerDepositId, /^[0-9a-f-]{36}$/)
  assert.match(id, /^dep_[0-9a-z]{26}$/)
  assert.ok(createdAt <= updatedAt)
  assert.deepEqual(fixed, {
    virtualAccountId: accountId,
    externalUserId: user,
    status: 'completed',
    sourceCurrency: 'usd',
    destinationCurrency: 'usdc',
    grossAmount: { value: '100.00', currency: 'usd' },
    developerFee: { value: '0.50', currency: 'usd' },
    exchangeFee: { value: '0.00', currency: 'usd' },
    subtotalAmount: { value: '99.50', currency: 'usd' },
    exchangeRate: '1.00',
    exchangeRateSource: data.exchangeRateSource,
    destinationExchangeFee: { value: '0.00', currency: 'usdc' },
    gasFee: { value: '0.00', currency: 'usdc' },
    netAmount: { value: '99.50', currency: 'usdc' },
    paymentRail: 'wire',
    senderName: 'Grace Hopper',
    senderBic: null,
    senderBankCode: null,
    chargeBearer: 'sha',
    destinationPaymentRail: account['destinationPaymentRail'],
    destinationTxFinal: true,
    refundedAmount: null,
    refundedAt: null,
    refund: null,
    informationRequests: [],
  })
  assert.equal(typeof recipientName, 'string')
  assert.deepEqual(Object.keys(references), ['traceNumber', 'trackingNumber', 'imad', 'endToEndId', 'uetr', 'omad'])
  assert.match(references.imad, /^\d{8}b1qgc08c\d{6}$/)
  assert.match(destinationTxHash, /^[1-9A-HJ-NP-Za-km-z]{88}$/)
  assert.deepEqual(
    timeline.map((step: { type: string; status: string }) => [step.type, step.status]),
    [
      ['funds_received', 'received'],
      ['payment_submitted', 'payout_submitted'],
      ['payment_processed', 'completed'],
    ],
  )
  assert.equal(completedAt, timeline.at(-1).occurredAt)
})

test('200 a deposit names the blockchain of its payout, also when the account has another wallet since', async () => {
  const moved = await world.business.account(await world.business.user('approved'))
  const paid = await world.business.deposit(moved.id, { amount: '100.00' }, 'completed')
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const destination = { payment_rail: 'ethereum', currency: 'usdc', address }
  assert.equal((await call('PATCH', `/v0/virtual-accounts/${moved.id}`, { destination })).status, 200)
  const next = await world.business.deposit(moved.id, { amount: '100.00' }, 'completed')
  const railOf = async (id: string) => (await call('GET', `/v0/deposits/${id}`)).body.data.destinationPaymentRail
  assert.equal(await railOf(paid.id), 'solana')
  assert.equal(await railOf(next.id), 'ethereum')
})

test('200 each outcome ends in its own status, and a refund tells its reason', async () => {
  for (const [outcome, status] of [
    ['scheduled', 'completed'],
    ['in_review', 'in_review'],
    ['refunded', 'refunded'],
    ['refund_failed', 'failed'],
    ['microdeposit', 'microdeposit'],
  ] as const) {
    const { id } = await world.business.deposit(accountId, { amount: '10.00', outcome }, status)
    const { data } = (await call('GET', `/v0/deposits/${id}`)).body
    assert.equal(data.status, status, outcome)
    assert.deepEqual(data.grossAmount, { value: '10.00', currency: 'usd' }, outcome)
    const isReturned = outcome.startsWith('refund')
    assert.equal(data.refund === null, !isReturned)
    const refunded = [data.refundedAmount?.value ?? null, data.refundedAt !== null]
    assert.deepEqual(refunded, outcome === 'refunded' ? ['10.00', true] : [null, false], outcome)
    if (isReturned) assert.equal(data.refund.code, 'unable_to_process')
    if (status !== 'completed') assert.deepEqual([data.netAmount, data.subtotalAmount], [null, null], outcome)
  }
})

test('200 every change of a deposit is one event, and its completion is told by one virtual_account.payment.received', async () => {
  const updates = await world.business.events('virtual_account.deposit.updated', deposit.id)
  assert.deepEqual(
    updates.map((event: { payload: { data: { status: string } } }) => event.payload.data.status),
    ['received', 'payout_submitted', 'completed'],
  )
  const received = await world.business.events('virtual_account.payment.received', deposit.id)
  assert.equal(received.length, 1)
  assert.deepEqual(received[0].payload.data, (await call('GET', `/v0/deposits/${deposit.id}`)).body.data)
})

test('400 an id longer than any id is refused', async () => {
  assertError(await call('GET', `/v0/deposits/${'d'.repeat(65)}`), 400, 'invalid_path', { param: 'id' })
})
