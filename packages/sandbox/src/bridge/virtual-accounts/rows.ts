// The stored rows of virtual accounts: the account itself and its history of activities.
import type { Chain, Fiat, Stablecoin } from './currencies.ts'
import type { FeeConfig } from './fee-config.ts'

/** Bank details, as the wire shows them. */
export type DepositInstructions = { currency: Fiat; payment_rails: string[] } & Record<string, unknown>

export type Destination = {
  currency: Stablecoin | 'usd'
  payment_rail: Chain | 'prefunded'
  address?: string
  blockchain_memo?: string
  bridge_wallet_id?: string
  prefunded_account_id?: string
}

export type VirtualAccount = {
  id: string
  customerId: string
  status: 'activated' | 'deactivated'
  currency: Fiat
  developerFeePercent: string
  feeConfig?: FeeConfig
  instructions: DepositInstructions
  destination: Destination
  createdAt: string
}

export const activityTypes = [
  'funds_scheduled',
  'funds_received',
  'payment_submitted',
  'payment_processed',
  'in_review',
  'refund',
  'refund_in_flight',
  'refund_failed',
  'microdeposit',
  'account_update',
  'deactivation',
  'activation',
] as const
export type ActivityType = (typeof activityTypes)[number]

/** The amounts of a receipt. The newer form alone has the two amounts around the conversion and the market's rate. */
export type Receipt = {
  initial_amount: string
  developer_fee: string
  exchange_fee: string
  pre_conversion_subtotal_amount?: string
  converted_amount?: string
  mid_market_rate?: string
  subtotal_amount: string
  gas_fee: string
  final_amount: string
  exchange_rate?: string
}

/** One step of a deposit or one change of an account, stored exactly as the wire shows it. */
export type Activity = {
  id: string
  type: ActivityType
  customer_id: string
  virtual_account_id: string
  amount: string
  currency: string
  developer_fee_amount: string
  exchange_fee_amount: string
  subtotal_amount: string
  gas_fee: string
  deposit_id?: string
  destination_payment_rail?: string
  destination_tx_hash?: string
  source?: { payment_rail: string } & Record<string, string>
  receipt?: (Receipt & { destination_tx_hash: string; url: string }) | { initial_amount: string; url: string }
  refund?: { code: string; reason: string; refunded_at: string }
  created_at: string
}
