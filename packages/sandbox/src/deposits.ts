// Deposits into virtual accounts: made by command, walked through their steps on the clock, each step one activity.
import { type ActivityType, recordActivity } from './activities.ts'
import { fiatTerms, type Rail } from './currencies.ts'
import { formatDecimal, isDecimal, parseDecimal } from './decimal.ts'
import { type Receipt, receiptOf } from './deposit-amounts.ts'
import { type DepositSource, depositSource } from './deposit-source.ts'
import { refuse } from './errors.ts'
import { newId, randomBase58, randomHex } from './ids.ts'
import type { VirtualAccount } from './virtual-accounts.ts'
import { timestamp, type World } from './world.ts'

export const depositOutcomes = [
  'completed',
  'scheduled',
  'in_review',
  'refunded',
  'refund_failed',
  'microdeposit',
] as const

export type DepositOutcome = (typeof depositOutcomes)[number]

const paidOut: ActivityType[] = ['payment_submitted', 'payment_processed']

/** The steps of each outcome, in the provider's usual order. */
const walks: Record<DepositOutcome, readonly ActivityType[]> = {
  completed: ['funds_received', ...paidOut],
  scheduled: ['funds_scheduled', 'funds_received', ...paidOut],
  in_review: ['funds_received', 'in_review'],
  refunded: ['funds_received', 'refund_in_flight', 'refund'],
  refund_failed: ['funds_received', 'refund_in_flight', 'refund_failed'],
  microdeposit: ['microdeposit'],
}

/** Where a deposit in review can be taken. */
export const advances = {
  completed: paidOut,
  refunded: ['refund_in_flight', 'refund'],
  refund_failed: ['refund_in_flight', 'refund_failed'],
} satisfies Record<string, readonly ActivityType[]>

export type Deposit = {
  id: string
  virtualAccountId: string
  amount: string
  source: DepositSource
  /** As it was when the deposit came: a later change of the account does not redirect it. */
  destination: { currency: string; payment_rail: string }
  receipt: Receipt
  txHash: string
  /** The last step taken. */
  at: ActivityType
  /** Steps still to come; each is taken when its time has come. */
  ahead: ActivityType[]
  stepMs: number
}

export type DepositOrder = {
  amount: string
  outcome?: DepositOutcome
  rail?: Rail
  senderName?: string
  reference?: string
  stepMs?: number
}

/** Takes the first step at once and has the others follow. */
export const makeDeposit = (world: World, account: VirtualAccount, order: DepositOrder): Deposit => {
  if (account.status === 'deactivated') {
    throw refuse(409, 'virtual_account_deactivated', 'A deactivated virtual account takes no deposits')
  }
  const { rails, minimum } = fiatTerms[account.currency]
  const rail = order.rail ?? rails[0]
  if (!rails.includes(rail)) {
    throw refuse(400, 'wrong_payment_rail', `A deposit in ${account.currency} arrives by ${rails.join(' or ')}`)
  }
  if (!isDecimal(order.amount) || parseDecimal(order.amount) === 0n) {
    throw refuse(400, 'invalid_amount', 'amount must be a positive decimal string such as "100.00"')
  }
  const isMicro = parseDecimal(order.amount) < parseDecimal(minimum)
  const [first, ...ahead] = walks[isMicro ? 'microdeposit' : (order.outcome ?? 'completed')]
  const deposit = world.state.deposits.put({
    id: newId(),
    virtualAccountId: account.id,
    amount: formatDecimal(parseDecimal(order.amount)),
    source: depositSource(
      rail,
      {
        name: order.senderName ?? 'Sandbox Sender',
        reference: order.reference ?? 'Sandbox deposit',
        recipient: String(account.instructions['bank_beneficiary_name'] ?? account.instructions['account_holder_name']),
      },
      world.now(),
    ),
    destination: { currency: account.destination.currency, payment_rail: account.destination.payment_rail },
    receipt: receiptOf({
      amount: order.amount,
      currency: account.currency,
      coin: account.destination.currency,
      chain: account.destination.payment_rail,
      developerFeePercent: account.developerFeePercent,
    }),
    txHash: transactionHash(account.destination.payment_rail),
    at: first ?? 'funds_received',
    ahead,
    stepMs: order.stepMs ?? world.settings.depositStepMs,
  })
  return settle(world, deposit, account)
}

/** The next step's time has come. */
export const stepInTime = (world: World, depositId: string): void => {
  const deposit = world.state.deposits.get(depositId)
  const account = deposit && world.state.virtualAccounts.get(deposit.virtualAccountId)
  const [next, ...ahead] = deposit?.ahead ?? []
  if (deposit && account && next) settle(world, { ...deposit, at: next, ahead }, account)
}

/** Moves a deposit out of review. */
export const advanceDeposit = (world: World, depositId: string, to: keyof typeof advances): Deposit => {
  const deposit = world.state.deposits.get(depositId)
  if (!deposit) throw refuse(404, 'unknown_deposit', 'There is no deposit with this id')
  if (deposit.at !== 'in_review' || deposit.ahead.length > 0) {
    throw refuse(409, 'not_in_review', `The deposit is not in review but at ${deposit.at}`)
  }
  const moved = world.state.deposits.put({ ...deposit, ahead: [...advances[to]] })
  world.later('deposit_step', deposit.id, 0)
  return moved
}

const settle = (world: World, deposit: Deposit, account: VirtualAccount): Deposit => {
  world.state.deposits.put(deposit)
  recordStep(world, deposit, account)
  if (deposit.ahead.length > 0) world.later('deposit_step', deposit.id, deposit.stepMs)
  return deposit
}

const recordStep = (world: World, deposit: Deposit, account: VirtualAccount): void => {
  const { at, receipt, destination } = deposit
  const isPayment = paidOut.includes(at)
  recordActivity(world, {
    type: at,
    customer_id: account.customerId,
    virtual_account_id: account.id,
    deposit_id: deposit.id,
    // What arrived is told in the deposit's currency, what was sent on in the destination's.
    amount: isPayment ? receipt.final_amount : deposit.amount,
    currency: isPayment ? destination.currency : account.currency,
    developer_fee_amount: isPayment ? receipt.developer_fee : '0.0',
    exchange_fee_amount: isPayment ? receipt.exchange_fee : '0.0',
    subtotal_amount: isPayment ? receipt.subtotal_amount : deposit.amount,
    gas_fee: isPayment ? receipt.gas_fee : '0.0',
    ...(isPayment ? { destination_payment_rail: destination.payment_rail, destination_tx_hash: deposit.txHash } : {}),
    source: deposit.source,
    ...(at === 'payment_processed' ? { receipt: fullReceipt(world, deposit) } : {}),
    ...(at.startsWith('refund') ? { refund: refundOf(world) } : {}),
  })
}

const fullReceipt = (world: World, { id, receipt, txHash }: Deposit) => ({
  ...receipt,
  destination_tx_hash: txHash,
  url: `${world.origin()}/transaction/${id}/receipt`,
})

const refundOf = (world: World) => ({
  code: 'unable_to_process',
  reason: 'The deposit could not be processed and is returned to its sender',
  refunded_at: timestamp(world),
})

const transactionHash = (chain: string): string => {
  if (chain === 'solana') return randomBase58(88)
  return chain === 'stellar' || chain === 'tron' ? randomHex(64) : `0x${randomHex(64)}`
}
