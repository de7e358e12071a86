// The stored row of a deposit.
import type { Rail } from '../virtual-accounts/currencies.ts'
import type { ActivityType, Receipt } from '../virtual-accounts/rows.ts'

/** The sending bank's details, as the wire shows them. */
export type DepositSource = { payment_rail: Rail } & Record<string, string>

/** `newer_fee_after`: the newer form, and the exchange fee is taken after the conversion. */
export type ReceiptForm = 'older' | 'newer' | 'newer_fee_after'

export type DepositAmounts = {
  form: ReceiptForm
  receipt: Receipt
  /** Price of the paid-in fiat in the fiat that the stablecoin is pegged to. Only SEPA receipts show it. */
  exchangeRate: string
  /** The amounts of a payment activity outside its receipt, in dollars. */
  payment: Record<'developer_fee_amount' | 'exchange_fee_amount' | 'subtotal_amount' | 'gas_fee', string>
  /** The deposited amount before any charge, in dollars. */
  arrivedInDollars: string
}

export type Deposit = {
  id: string
  virtualAccountId: string
  amount: string
  source: DepositSource
  /** The account's destination when the deposit arrived: a later change of the account does not redirect it. */
  destination: { currency: string; payment_rail: string }
  amounts: DepositAmounts
  txHash: string
  /** The last step taken. */
  at: ActivityType
  /** The steps that follow, each taken `stepMs` after the one before. */
  ahead: ActivityType[]
  stepMs: number
  /** The refund's activities leave out `deposit_id`, as the provider does in some cases. */
  isRefundUnlinked: boolean
}
