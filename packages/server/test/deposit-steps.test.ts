// Steps that the provider added to deposits: what moves a deposit, what does not, and what is shown of each.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from './caller.ts'
import { activityEvent, freshEventId } from './provider.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())

let accountId = ''
let ids = { customer: '', account: '' }
before(async () => {
  accountId = (await world.business.account(await world.business.user('approved')))['id'] ?? ''
  ids = await world.providerIdsOf(accountId)
  await world.provider.fallSilent()
})

async function deposits(): Promise<Record<string, unknown>[]> {
  return (await world.business.call('GET', `/v0/virtual-accounts/${accountId}/deposits?limit=100`)).body.data
}
const depositOf = async (id: string) => (await deposits()).find(({ providerDepositId }) => providerDepositId === id)
const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`

/** Sends an event and waits until Causeway has applied it. */
async function send(event: Record<string, unknown>): Promise<void> {
  assert.equal((await world.post(event)).status, 200)
  await until('the application of the event', async () => {
    const [work] = await world.rows<{ open: number }>`select count(*)::int as open from event_work`
    return work?.open === 0
  })
}

async function step(deposit: string, type: string, minute: number, more: Record<string, unknown> = {}): Promise<void> {
  const event = activityEvent(ids, { deposit, type, at: at(minute) })
  await send({ ...event, event_object: { ...event.event_object, ...more } })
}

test('a failed refund is not final: the refund that is tried again counts, and so does a payout', async () => {
  for (const [deposit, types, status] of [
    ['again', ['refund_in_flight', 'refund_failed', 'refund_in_flight', 'refund'], 'refunded'],
    ['paid-out', ['refund_in_flight', 'refund_failed', 'payment_submitted', 'payment_processed'], 'completed'],
  ] as const) {
    await step(deposit, 'funds_received', 0)
    for (const [nth, type] of types.entries()) {
      await step(deposit, type, nth + 1, { amount: '90.0' })
      const shown = await depositOf(deposit)
      if (type === 'refund_failed')
        assert.deepEqual([shown?.['status'], shown?.['refundedAmount'], shown?.['refundedAt']], ['failed', null, null])
    }
    assert.equal((await depositOf(deposit))?.['status'], status)
  }
  const refunded = await depositOf('again')
  assert.deepEqual(refunded?.['refundedAmount'], { value: '90.00', currency: 'usd' })
  assert.equal(refunded?.['refundedAt'], at(4))
})

test('a refund that names no deposit is a deposit of its own, with its amount', async () => {
  const event = activityEvent(ids, { deposit: '', type: 'refund', amount: '12.5', at: at(9) })
  const { deposit_id: _, ...object } = event.event_object
  await send({ ...event, event_object: object })
  const shown = await depositOf(String(object['id']))
  assert.deepEqual([shown?.['status'], shown?.['grossAmount']], ['refunded', null])
  assert.deepEqual(shown?.['refundedAmount'], { value: '12.50', currency: 'usd' })
})

test('a deposit into a wallet at the provider is reported twice, and counts once', async () => {
  await step('to-wallet', 'funds_received', 0)
  const before = await deposits()
  await send({
    event_id: freshEventId(),
    event_category: 'bridge_wallet.activity',
    event_type: 'bridge_wallet.activity.created',
    event_object: {
      id: freshEventId(),
      type: 'deposit',
      amount: '100.0',
      currency: 'usdc',
      deposit_id: 'to-wallet',
      customer_id: ids.customer,
      payment_route: { type: 'virtual_account', id: ids.account, customer_id: ids.customer },
    },
    event_created_at: at(5),
  })
  assert.deepEqual(await deposits(), before)
})

test('a type of activity that is new is stored and moves nothing', async () => {
  await step('known', 'funds_received', 0)
  const before = await deposits()
  await step('known', 'funds_teleported', 1)
  await step('unknown', 'funds_teleported', 1)
  assert.deepEqual(await deposits(), before)
  const { data } = (await world.business.call('GET', '/v0/events?eventType=virtual_account.activity.created&limit=2'))
    .body
  for (const { payload } of data) assert.equal(payload.event_object.type, 'funds_teleported')
})

test('the bank’s facts about the sender are shown, and each reference finds the deposit', async () => {
  const source = {
    payment_rail: 'wire',
    originator_name: 'Ada Lovelace',
    bic: 'CHASUS33XXX',
    bank_code: '40012',
    bank_beneficiary_name: 'Charles Babbage',
    charge_bearer: 'our',
    imad: 'imad-1',
    omad: 'omad-1',
    tracking_number: 'tracking-1',
    end_to_end_id: 'end-1',
  }
  await step('sourced', 'funds_received', 0, { source })
  const shown = await depositOf('sourced')
  const { senderName, senderBic, senderBankCode, recipientName, chargeBearer } = shown ?? {}
  assert.deepEqual(
    [senderName, senderBic, senderBankCode, recipientName, chargeBearer],
    ['Ada Lovelace', 'CHASUS33XXX', '40012', 'Charles Babbage', 'our'],
  )
  for (const name of ['imad-1', 'OMAD-1', 'tracking-1', 'end-1']) {
    const { data } = (await world.business.call('GET', `/v0/deposits?q=${name}`)).body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [shown?.['id']],
      name,
    )
  }
})
