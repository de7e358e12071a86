// An order for a deposit, from a command or the bank's form: what it may say, what its amount stands for, and which
// accounts take one.

import { isDecimal, parseDecimal } from '../platform/decimal.ts'
import { type Refusal, refuse } from '../platform/errors.ts'
import { integer, type JsonObject, object, oneOf, parse, type Rule, text, textOf } from '../platform/fields.ts'
import type { World } from '../state/world.ts'
import { fiatTerms, type Rail, rails } from '../virtual-accounts/currencies.ts'
import type { VirtualAccount } from '../virtual-accounts/rows.ts'
import { type DepositOutcome, depositOutcomes, makeDeposit } from './deposits.ts'
import type { Deposit } from './rows.ts'

/** The cents of an amount choose the outcome where none is given. */
export const magicCents: Readonly<Record<string, DepositOutcome>> = {
  '41': 'scheduled',
  '42': 'in_review',
  '43': 'reviewed_completed',
  '44': 'reviewed_refunded',
  '45': 'refunded',
  '46': 'refund_failed',
}

/** An ACH transfer takes days, and a clock that can be moved need not wait for them. */
const stepMsMax = 30 * 24 * 60 * 60 * 1000

const money: Rule = (value, path, problems) => {
  const fits = typeof value === 'string' && /^\d{1,15}(\.\d{1,2})?$/.test(value) && /[1-9]/.test(value)
  if (!fits) problems[path] ??= 'must be a decimal string above zero with at most 2 decimals, such as "100.00"'
}

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

/** Makes the deposit that `body` asks for, or throws a Refusal that says what is wrong with it. */
export const placeDeposit = (world: World, account: VirtualAccount, body: unknown): Deposit => {
  const given = parse(order, body)
  const refusal = refusalOf(world, account)
  if (refusal) throw refusal
  const amount = textOf(given, 'amount') ?? ''
  const asked = depositOutcomes.find((outcome) => outcome === given['outcome'])
  const [senderName, reference] = [textOf(given, 'sender_name'), textOf(given, 'reference')]
  return makeDeposit(world, account, {
    amount,
    rail: railOf(account, given),
    outcome: isMicro(account, amount) ? 'microdeposit' : (asked ?? outcomeOf(amount)),
    ...(senderName === undefined ? {} : { senderName }),
    ...(reference === undefined ? {} : { reference }),
    ...(typeof given['step_ms'] === 'number' ? { stepMs: given['step_ms'] } : {}),
  })
}

/** Why the account takes no deposit at all, if it takes none. */
export const refusalOf = (world: World, account: VirtualAccount): Refusal | undefined => {
  if (account.status === 'deactivated') {
    return refuse(409, 'virtual_account_deactivated', 'A deactivated virtual account takes no deposits')
  }
  if (world.state.customers.get(account.customerId)?.status === 'deposits_restricted') {
    return refuse(409, 'deposits_restricted', 'The customer may receive no deposits')
  }
  return undefined
}

const railOf = ({ currency }: VirtualAccount, given: JsonObject): Rail => {
  const { rails: open } = fiatTerms[currency]
  const rail = open.find((known) => known === (given['payment_rail'] ?? open[0]))
  if (!rail) throw refuse(400, 'wrong_payment_rail', `A deposit in ${currency} arrives by ${open.join(' or ')}`)
  return rail
}

const isMicro = ({ currency }: VirtualAccount, amount: string): boolean =>
  isDecimal(amount) && parseDecimal(amount) < parseDecimal(fiatTerms[currency].minimum)

const outcomeOf = (amount: string): DepositOutcome => magicCents[amount.split('.')[1] ?? ''] ?? 'completed'
