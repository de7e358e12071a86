// An order for a deposit, from a command: its fields, the outcome its amount stands for, and the
// accounts that refuse deposits.
import { isDecimal, parseDecimal } from '../../platform/decimal.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { integer, object, oneOf, parse, type Rule, rule, text } from '../../platform/fields.ts'
import type { World } from '../state/world.ts'
import { fiatTerms, type Rail, rails } from '../virtual-accounts/currencies.ts'
import type { VirtualAccount } from '../virtual-accounts/rows.ts'
import { type DepositOutcome, depositOutcomes, makeDeposit } from './deposits.ts'
import type { Deposit } from './rows.ts'

/** The outcome that the cents of an amount stand for, when the order names no outcome. */
export const magicCents: Readonly<Record<string, DepositOutcome>> = {
  '41': 'scheduled',
  '42': 'in_review',
  '43': 'reviewed_completed',
  '44': 'reviewed_refunded',
  '45': 'refunded',
  '46': 'refund_failed',
}

/** An ACH transfer takes days. With a clock that can be moved, nobody has to wait for them. */
const stepMsMax = 30 * 24 * 60 * 60 * 1000

const money: Rule<string> = rule(
  'must be a decimal string above zero with at most 2 decimals, such as "100.00"',
  (value) => typeof value === 'string' && /^\d{1,15}(\.\d{1,2})?$/.test(value) && /[1-9]/.test(value),
)

const order = object(
  {
    amount: money,
    payment_rail: oneOf(rails),
    outcome: oneOf(depositOutcomes),
    sender_name: text(1, 256),
    reference: text(1, 140),
    step_ms: integer(0, stepMsMax),
  },
  ['amount'],
)

/**
 * Makes the deposit that `body` orders.
 * @throws Refusal `invalid_parameters`, `wrong_payment_rail`, or why the account accepts no deposits
 */
export const placeDeposit = (world: World, account: VirtualAccount, body: unknown): Deposit => {
  const { amount, outcome, payment_rail, sender_name, reference, step_ms } = parse(order, body)
  const refusal = refusalOf(world, account)
  if (refusal) throw refusal
  return makeDeposit(world, account, {
    amount,
    rail: railOf(account, payment_rail),
    outcome: isMicrodeposit(account, amount) ? 'microdeposit' : (outcome ?? outcomeOf(amount)),
    senderName: sender_name,
    reference,
    stepMs: step_ms,
  })
}

/** Returns the reason why the account accepts no deposits, if there is one. */
const refusalOf = (world: World, account: VirtualAccount): Refusal | undefined => {
  if (account.status === 'deactivated') {
    return refuse(409, 'virtual_account_deactivated', 'A deactivated virtual account does not accept deposits')
  }
  if (world.state.customers.get(account.customerId)?.status === 'deposits_restricted') {
    return refuse(409, 'deposits_restricted', 'The customer cannot receive deposits')
  }
  return undefined
}

const railOf = ({ currency }: VirtualAccount, asked: Rail | undefined): Rail => {
  const { rails: open } = fiatTerms[currency]
  const rail = asked ?? open[0]
  if (open.includes(rail)) return rail
  throw refuse(400, 'wrong_payment_rail', `A deposit in ${currency} must arrive by ${open.join(' or ')}`)
}

const isMicrodeposit = ({ currency }: VirtualAccount, amount: string): boolean =>
  isDecimal(amount) && parseDecimal(amount) < parseDecimal(fiatTerms[currency].minimum)

const outcomeOf = (amount: string): DepositOutcome => magicCents[amount.split('.')[1] ?? ''] ?? 'completed'
