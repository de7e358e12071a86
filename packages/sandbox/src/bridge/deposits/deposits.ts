// Deposits into virtual accounts: an order makes one, the clock moves it from step to step, each step is one activity.

import { formatDecimal, parseDecimal } from '../../platform/decimal.ts'
import { refuse } from '../../platform/errors.ts'
import { newId, randomBase58, randomHex } from '../../platform/ids.ts'
import { timestamp, type World } from '../state/world.ts'
import { recordActivity } from '../virtual-accounts/activities.ts'
import type { Rail } from '../virtual-accounts/currencies.ts'
import { feesOn } from '../virtual-accounts/fee-config.ts'
import type { Activity, ActivityType, VirtualAccount } from '../virtual-accounts/rows.ts'
import { amountsOf } from './amounts.ts'
import type { Deposit, ReceiptForm } from './rows.ts'
import { depositSource } from './source.ts'

export const depositOutcomes = [
  'completed',
  'scheduled',
  'in_review',
  'reviewed_completed',
  'reviewed_refunded',
  'refunded',
  'refunded_unlinked',
  'refund_failed',
  'microdeposit',
] as const

export type DepositOutcome = (typeof depositOutcomes)[number]

const paidOut: ActivityType[] = ['payment_submitted', 'payment_processed']
const refunded: ActivityType[] = ['refund_in_flight', 'refund']
const refundFailed: ActivityType[] = ['refund_in_flight', 'refund_failed']

/** The steps of each outcome, in the provider's usual order. */
const stepsOf: Record<DepositOutcome, readonly ActivityType[]> = {
  completed: ['funds_received', ...paidOut],
  scheduled: ['funds_scheduled', 'funds_received', ...paidOut],
  in_review: ['funds_received', 'in_review'],
  reviewed_completed: ['funds_received', 'in_review', ...paidOut],
  reviewed_refunded: ['funds_received', 'in_review', ...refunded],
  refunded: ['funds_received', ...refunded],
  refunded_unlinked: ['funds_received', ...refunded],
  refund_failed: ['funds_received', ...refundFailed],
  microdeposit: ['microdeposit'],
}

/** The steps that follow each end of a review. */
const reviewEnds = { completed: paidOut, refunded, refund_failed: refundFailed }

/** The ways to advance a deposit: end its review, or take its next step before that step is due. */
export const advances = ['completed', 'refunded', 'refund_failed', 'next'] as const

type Advance = (typeof advances)[number]

type DepositOrder = {
  /** A decimal above zero. */
  amount: string
  outcome: DepositOutcome
  /** A rail of the account's currency. */
  rail: Rail
  senderName: string | undefined
  reference: string | undefined
  stepMs: number | undefined
}

/** Makes a deposit, takes its first step and schedules the second. */
export const makeDeposit = (world: World, account: VirtualAccount, order: DepositOrder): Deposit => {
  const [first, ...ahead] = stepsOf[order.outcome]
  const { currency, payment_rail } = account.destination
  const recipient = account.instructions['bank_beneficiary_name'] ?? account.instructions['account_holder_name']
  const sender = {
    name: order.senderName ?? 'Sandbox Sender',
    reference: order.reference ?? 'Sandbox deposit',
    recipient: String(recipient),
  }
  const deposit: Deposit = {
    id: newId(),
    virtualAccountId: account.id,
    amount: formatDecimal(parseDecimal(order.amount)),
    source: depositSource(order.rail, sender, world.now()),
    destination: { currency, payment_rail },
    amounts: amountsOf({
      amount: order.amount,
      currency: account.currency,
      rail: order.rail,
      coin: currency,
      chain: payment_rail,
      developerFeePercent: account.developerFeePercent,
      form: receiptForm(world),
      fees: account.feeConfig && feesOn(order.rail, account.feeConfig),
    }),
    txHash: transactionHash(payment_rail),
    at: first ?? 'funds_received',
    ahead,
    stepMs: order.stepMs ?? world.settings.depositStepMs,
    isRefundUnlinked: order.outcome === 'refunded_unlinked',
  }
  return takeStep(world, deposit, account)
}

const receiptForm = ({ behaviour }: World): ReceiptForm => {
  if (behaviour.has('receipt_newer_fee_after')) return 'newer_fee_after'
  return behaviour.has('receipt_newer') ? 'newer' : 'older'
}

/** Takes the deposit's next step, which is due. */
export const takeDueStep = (world: World, depositId: string): void => {
  const deposit = world.state.deposits.get(depositId)
  const account = deposit && world.state.virtualAccounts.get(deposit.virtualAccountId)
  const [next, ...ahead] = deposit?.ahead ?? []
  if (deposit && account && next) takeStep(world, { ...deposit, at: next, ahead }, account)
}

export const depositById = (world: World, id: string): Deposit => {
  const deposit = world.state.deposits.get(id)
  if (!deposit) throw refuse(404, 'unknown_deposit', 'No deposit has this ID')
  return deposit
}

/**
 * Advances a deposit before its next step is due, in place of that step.
 * @throws Refusal `nothing_ahead` or `not_in_review`
 */
export const advanceDeposit = (world: World, deposit: Deposit, to: Advance): Deposit => {
  if (to === 'next' && deposit.ahead.length === 0) {
    throw refuse(409, 'nothing_ahead', `A deposit at ${deposit.at} has no automatic next step`)
  }
  if (to !== 'next' && deposit.at !== 'in_review') {
    throw refuse(409, 'not_in_review', `The deposit is at ${deposit.at}, not in review`)
  }
  const moved = world.state.deposits.put({ ...deposit, ahead: to === 'next' ? deposit.ahead : reviewEnds[to] })
  world.cancel('deposit_step', deposit.id)
  world.schedule('deposit_step', deposit.id, 0)
  return moved
}

const takeStep = (world: World, deposit: Deposit, account: VirtualAccount): Deposit => {
  recordStep(world, deposit, account)
  const taken = world.state.deposits.put(deposit)
  if (taken.ahead.length > 0) world.schedule('deposit_step', taken.id, taken.stepMs)
  return taken
}

const recordStep = (world: World, deposit: Deposit, account: VirtualAccount): Activity => {
  const { at, amounts, destination } = deposit
  const isPayment = paidOut.includes(at)
  const isRefund = at.startsWith('refund')
  return recordActivity(world, {
    type: at,
    customer_id: account.customerId,
    virtual_account_id: account.id,
    ...(isRefund && deposit.isRefundUnlinked ? {} : { deposit_id: deposit.id }),
    // The provider shows received amounts in the deposit's currency, paid-out amounts in the destination's, all others
    // in dollars.
    amount: isPayment ? amounts.receipt.final_amount : deposit.amount,
    currency: isPayment && !world.behaviour.has('payout_currency_fiat') ? destination.currency : account.currency,
    ...(isPayment ? amounts.payment : { ...nothingTaken, subtotal_amount: amounts.arrivedInDollars }),
    ...(isPayment ? { destination_payment_rail: destination.payment_rail, destination_tx_hash: deposit.txHash } : {}),
    source: deposit.source,
    ...receiptAt(world, deposit),
    ...(isRefund ? { refund: refundOf(world) } : {}),
  })
}

const nothingTaken = { developer_fee_amount: '0.0', exchange_fee_amount: '0.0', gas_fee: '0.0' }

const receiptAt = (world: World, { id, at, amounts, txHash }: Deposit): Pick<Activity, 'receipt'> => {
  const url = `${world.origin()}/transaction/${id}/receipt`
  if (at === 'payment_processed') return { receipt: { ...amounts.receipt, destination_tx_hash: txHash, url } }
  const isEarly = at === 'payment_submitted' && world.behaviour.has('receipt_early')
  return isEarly ? { receipt: { initial_amount: amounts.receipt.initial_amount, url } } : {}
}

const refundOf = (world: World) => ({
  code: 'unable_to_process',
  reason: 'The deposit could not be processed and is returned to its sender',
  refunded_at: timestamp(world),
})

const transactionHash = (chain: string): string => {
  if (chain === 'solana') return randomBase58(88)
  return chain === 'stellar' || chain === 'tron' ? randomHex(64) : `0x${randomHex(64)}`
}
