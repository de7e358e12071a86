// What the bank's pages show of the state: accounts with their holders, and deposits with the ways to advance them.

import { type Advance, refundTerms } from '../deposits/deposits.ts'
import { refusalOf } from '../deposits/orders.ts'
import type { Deposit } from '../deposits/rows.ts'
import type { World } from '../state/world.ts'
import { type Fiat, fiatTerms, type Rail } from '../virtual-accounts/currencies.ts'
import type { VirtualAccount } from '../virtual-accounts/rows.ts'

export type Line = readonly [label: string, value: string]

export type AccountView = {
  id: string
  holder: string
  email: string | null
  customerId: string
  currency: Fiat
  /** The last four characters of the account number. */
  ending: string
  rails: readonly Rail[]
  minimum: string
  isDeactivated: boolean
  /** Why the account accepts no deposits, if there is a reason. */
  refusal: string | null
  instructions: Line[]
  destination: string
}

export type DepositView = {
  deposit: Deposit
  account: AccountView
  amount: string
  sender: string
  reference: string
  startedAt: string | null
  /** No step follows, neither on schedule nor by hand. */
  isFinal: boolean
  moves: Advance[]
  payment: Line[]
  refund: Line[]
}

const accountsShownMax = 8
const depositsShownMax = 10

/** With shorter steps the next one is taken before a person can click. */
const byHandMsMin = 3_000

/** Returns the newest accounts whose holder, e-mail or id contains `search`, and the number of all matches. */
export const findAccounts = (world: World, search: string): { accounts: AccountView[]; count: number } => {
  const wanted = search.toLowerCase()
  const found = world.state.virtualAccounts
    .all()
    .reverse()
    .filter((account) => wanted === '' || namesOf(world, account).some((name) => name.toLowerCase().includes(wanted)))
  return {
    accounts: found.slice(0, accountsShownMax).map((account) => viewAccount(world, account)),
    count: found.length,
  }
}

export const findAccount = (world: World, id: string): AccountView | undefined => {
  const account = world.state.virtualAccounts.get(id)
  return account && viewAccount(world, account)
}

export const findDeposit = (world: World, id: string): DepositView | undefined => {
  const deposit = world.state.deposits.get(id)
  return deposit && viewDeposit(world, deposit)
}

export const recentDeposits = (world: World): DepositView[] =>
  world.state.deposits
    .all()
    .reverse()
    .slice(0, depositsShownMax)
    .flatMap((deposit) => viewDeposit(world, deposit) ?? [])

/** Renders an amount with at least two decimals and separated thousands: "1980.5" is "1,980.50". */
export const money = (decimal: string, currency: string): string => {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')} ${currency.toUpperCase()}`
}

/** Renders "2026-11-21T12:44:11.120Z" as "2026-11-21 12:44:11 UTC". */
export const shortTime = (timestamp: string): string => `${timestamp.slice(0, 19).replace('T', ' ')} UTC`

const namesOf = (world: World, { id, customerId }: VirtualAccount): string[] => {
  const customer = world.state.customers.get(customerId)
  return [id, customerId, [customer?.firstName, customer?.lastName].filter(Boolean).join(' '), customer?.email ?? '']
}

const viewAccount = (world: World, account: VirtualAccount): AccountView => {
  const { currency, customerId, destination, instructions } = account
  const customer = world.state.customers.get(customerId)
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ')
  const { rails, minimum } = fiatTerms[currency]
  const target = destination.address ?? destination.bridge_wallet_id ?? destination.prefunded_account_id ?? ''
  return {
    id: account.id,
    holder: name || customer?.email || 'A customer who was removed',
    email: customer?.email ?? null,
    customerId,
    currency,
    ending: String(numberFields.map((field) => instructions[field]).find(Boolean) ?? account.id).slice(-4),
    rails,
    minimum,
    isDeactivated: account.status === 'deactivated',
    refusal: refusalOf(world, account)?.message ?? null,
    instructions: instructionLabels.flatMap(([field, label]): Line[] => {
      const value = instructions[field]
      return typeof value === 'string' ? [[label, value]] : []
    }),
    destination: `${destination.currency.toUpperCase()} on ${destination.payment_rail}, ${target}`,
  }
}

const numberFields = ['bank_account_number', 'iban', 'clabe', 'account_number', 'bre_b_key', 'br_code']

const instructionLabels: readonly Line[] = [
  ['bank_name', 'Bank'],
  ['bank_account_number', 'Account number'],
  ['bank_routing_number', 'Routing number'],
  ['iban', 'IBAN'],
  ['bic', 'BIC'],
  ['clabe', 'CLABE'],
  ['account_number', 'Account number'],
  ['sort_code', 'Sort code'],
  ['br_code', 'Pix code'],
  ['bre_b_key', 'Bre-B key'],
  ['deposit_message', 'Message'],
  ['bank_beneficiary_name', 'Beneficiary'],
  ['account_holder_name', 'Account holder'],
]

const viewDeposit = (world: World, deposit: Deposit): DepositView | undefined => {
  const account = findAccount(world, deposit.virtualAccountId)
  if (!account) return undefined
  const { at, ahead, source } = deposit
  const moves = movesOf(deposit)
  return {
    deposit,
    account,
    amount: money(deposit.amount, account.currency),
    sender: source['sender_name'] ?? source['originator_name'] ?? '',
    reference: source['reference'] ?? source['description'] ?? source['wire_message'] ?? '',
    startedAt: deposit.trail[0]?.at ?? null,
    isFinal: ahead.length === 0 && at !== 'in_review',
    moves,
    payment: [at, ...ahead].some((step) => step.startsWith('payment')) ? paymentLines(deposit, account) : [],
    refund: at.startsWith('refund') ? refundLines(deposit) : [],
  }
}

const movesOf = ({ at, ahead, stepMs }: Deposit): Advance[] => [
  ...(ahead.length > 0 && stepMs >= byHandMsMin ? (['next'] as const) : []),
  ...(at === 'in_review' ? (['completed', 'refunded', 'refund_failed'] as const) : []),
]

const paymentLines = ({ at, amounts, destination, txHash }: Deposit, account: AccountView): Line[] => {
  const { form, receipt, exchangeRate } = amounts
  const fiat = (decimal: string) => money(decimal, account.currency)
  const coin = (decimal: string) => money(decimal, destination.currency)
  const isSent = at.startsWith('payment')
  const isFeeAfter = form === 'newer_fee_after'
  const exchangeFee: Line = ['Exchange fee', (isFeeAfter ? coin : fiat)(receipt.exchange_fee)]
  return [
    ['Developer fee', fiat(receipt.developer_fee)],
    ...(isFeeAfter ? [] : [exchangeFee]),
    ['Subtotal', fiat(receipt.pre_conversion_subtotal_amount ?? receipt.subtotal_amount)],
    ['Exchange rate', `${money('1', account.currency)} = ${money(exchangeRate, destination.currency)}`],
    ...(isFeeAfter ? [exchangeFee] : []),
    ['Gas fee', coin(receipt.gas_fee)],
    [isSent ? 'Sent on' : 'To be sent on', coin(receipt.final_amount)],
    ['Destination', account.destination],
    ...(isSent ? ([['Transaction', txHash]] as const) : []),
  ]
}

const refundLines = ({ trail, isRefundUnlinked }: Deposit): Line[] => [
  ['Code', refundTerms.code],
  ['Reason', refundTerms.reason],
  ...trail.filter(({ type }) => type === 'refund').map(({ at }): Line => ['Refunded at', shortTime(at)]),
  ...(isRefundUnlinked ? ([['Events', 'The refund events leave out deposit_id']] as const) : []),
]
