// Deposits of a day that the sandbox provider cannot create: stored by the statements of the product, as if the
// provider had reported them.

import { createHash } from 'node:crypto'
import { advance, type DepositState } from '../src/deposits/state.rules.ts'
import { insertDeposit } from '../src/deposits/store.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { makeId } from '../src/platform/values/ids.ts'
import type { DepositActivity } from '../src/provider/activity.ts'
import type { World } from './world.ts'

type Told = {
  completedAt: string
  source: string
  destination: string
  paid: Paid
  sent: Pick<DepositActivity['receipt'], 'gasFee' | 'final'>
  refund?: { at: string; amount: string }
}

type Paid = Pick<DepositActivity['receipt'], 'initial' | 'developerFee' | 'exchangeFee' | 'subtotal'>

const paid = (initial: string, developerFee: string, subtotal: string) => ({
  initial,
  developerFee,
  exchangeFee: '0',
  subtotal,
})
const unknown = { developerFee: null, exchangeFee: null, subtotal: null }
const dollars = { source: 'usd', destination: 'usdc' }
export const day = '2026-02-10'
const at = (time: string) => `${day}T${time}Z`
const stored = [
  {
    ...dollars,
    completedAt: at('00:00:00'),
    paid: paid('100.10', '0.10', '100.00'),
    sent: { gasFee: '0.25', final: '99.75' },
  },
  {
    ...dollars,
    completedAt: at('08:00:00'),
    paid: { ...unknown, initial: '50.05' },
    sent: { gasFee: '0', final: '50' },
  },
  { ...dollars, completedAt: at('09:00:00'), paid: paid('70', '7', '60'), sent: { gasFee: '0', final: '60' } },
  { ...dollars, completedAt: at('12:00:00'), paid: paid('30', '0', '30'), sent: { gasFee: '1', final: '28.5' } },
  {
    ...dollars,
    completedAt: at('12:00:01'),
    paid: paid('8', '0', '8'),
    sent: { gasFee: '0', final: '8' },
    refund: { at: '2026-02-12T00:00:00Z', amount: '7.50' },
  },
  {
    source: 'mxn',
    destination: 'usdc',
    completedAt: at('23:59:59.999'),
    paid: paid('500', '25', '475'),
    sent: { gasFee: '0', final: '24.88' },
  },
]

const usd = (value: string) => ({ value, currency: 'usd' })
/** The expected differences of the day's deposits, in the order of their completion. */
export const differences = [
  null,
  { code: 'amount_unknown', amount: usd('50.05') },
  { code: 'amount_unknown', amount: usd('70.00') }, // its fees contradict the gross amount
  { code: 'net_differs', amount: usd('0.50') },
  null,
  null,
]

/** Stores the deposits of the day, and one at each side of it. @returns the ids of those of the day, in the order of their completion */
export async function storeDay(world: World, accountId: string): Promise<string[]> {
  const ids: string[] = []
  for (const told of stored) ids.push(await storeCompleted(world, accountId, told))
  const small = { ...dollars, paid: paid('1', '0', '1'), sent: { gasFee: '0', final: '1' } }
  for (const completedAt of ['2026-02-09T23:59:59.999Z', '2026-02-11T00:00:00Z'])
    await storeCompleted(world, accountId, { ...small, completedAt })
  return ids
}

/** Stores a deposit of this account that was completed then. @returns its id */
async function storeCompleted(world: World, accountId: string, told: Told): Promise<string> {
  const db = openDatabase(world.database, { poolMax: 1 })
  try {
    return await db.transaction(async (tx) => {
      const [account] = await tx<{ businessId: string; endUserId: string }[]>`
        select business_id, end_user_id from virtual_accounts where id = ${accountId}`
      if (!account) throw new Error('there is no such account')
      const providerDepositId = `${accountId} ${JSON.stringify(told)}`
      const id = makeId('deposit', createHash('sha256').update(providerDepositId).digest().subarray(0, 16))
      const deposit = {
        ...account,
        id,
        virtualAccountId: accountId,
        providerDepositId: id.slice(4),
        state: stateOf(told),
      }
      await insertDeposit(tx, deposit)
      return id
    })
  } finally {
    await db.close()
  }
}

function stateOf({ completedAt, source, destination, paid, sent, refund }: Told): DepositState {
  const route = { sourceCurrency: source, destinationCurrency: destination }
  const steps = [
    activity('funds_received', completedAt, { amount: paid.initial, currency: source }),
    activity('payment_processed', completedAt, {
      currency: destination,
      receipt: { ...noReceipt, ...paid, ...sent },
      destinationTxHash: '0xfinal',
    }),
    ...(refund ? [activity('refund', refund.at, { amount: refund.amount, currency: source })] : []),
  ]
  const state = steps.reduce<DepositState | null>((before, step) => advance(before, step, route).state, null)
  if (!state) throw new Error('no deposit came of it')
  return state
}

const noReceipt: DepositActivity['receipt'] = {
  initial: null,
  developerFee: null,
  exchangeFee: null,
  preConversionSubtotal: null,
  converted: null,
  subtotal: null,
  gasFee: null,
  final: null,
  exchangeRate: null,
}

function activity(type: string, occurredAt: string, told: Partial<DepositActivity>): DepositActivity {
  const occurredAtMs = Date.parse(occurredAt)
  return {
    id: type,
    type,
    occurredAtMs,
    reportedAtMs: occurredAtMs,
    amount: null,
    currency: null,
    dollars: { developerFee: null, exchangeFee: null, subtotal: null, gasFee: null },
    receipt: noReceipt,
    destinationTxHash: null,
    destinationPaymentRail: null,
    paymentRail: null,
    senderName: null,
    senderBic: null,
    senderBankCode: null,
    recipientName: null,
    chargeBearer: null,
    references: {
      traceNumber: null,
      trackingNumber: null,
      imad: null,
      endToEndId: null,
      uetr: null,
      omad: null,
    },
    refund: null,
    ...told,
  }
}
