// Virtual accounts: bank details in a customer's name whose deposits are sent on as a stablecoin to an address.

import { isDecimal, parseDecimal } from '../../platform/decimal.ts'
import { invalidParameters, type Problems, refuse } from '../../platform/errors.ts'
import {
  boolean,
  object,
  oneOf,
  parse,
  type Rule,
  refined,
  rule,
  text,
  timestampText,
  type ValueOf,
} from '../../platform/fields.ts'
import { newId } from '../../platform/ids.ts'
import { isEndorsed } from '../customers/endorsements.ts'
import { acceptsTerms, customerById } from '../customers/record.ts'
import type { Customer } from '../customers/rows.ts'
import { unknownId } from '../forms/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { recordAccountChange } from './activities.ts'
import { chains, type Fiat, fiatCurrencies, fiatTerms, isOnChain, memoChains, stablecoins } from './currencies.ts'
import { depositInstructions } from './deposit-instructions.ts'
import { readFeeConfig } from './fee-config.ts'
import type { Destination, VirtualAccount } from './rows.ts'

const percentage: Rule<string> = rule(
  'must be a decimal string, at least 0 and below 100',
  (value) => typeof value === 'string' && isDecimal(value) && parseDecimal(value) < parseDecimal('100'),
)

const id = text(1, 42)
const destinationFields = object({
  currency: oneOf([...stablecoins, 'usd']),
  payment_rail: oneOf([...chains, 'prefunded']),
  address: text(1, 256),
  blockchain_memo: text(1, 256),
  bridge_wallet_id: id,
  prefunded_account_id: id,
})
const source = object({ currency: oneOf(fiatCurrencies) }, ['currency'])

const party = object({
  is_self: boolean,
  name: text(1, 1024),
  address: object({}),
  wallet_type: oneOf(['hosted', 'external', 'self_custodied']),
  wallet_attested_ownership_at: timestampText,
})
/** Checked but not stored: no response contains it. */
const travelRule = object({ originator: party, beneficiary: party, transfer_purpose: text(1, 1024) })

const creation = object(
  { travel_rule_data: travelRule, source, destination: destinationFields, developer_fee_percent: percentage },
  ['source', 'destination'],
)
const never = rule<undefined>('is taken at creation only', () => false)
const update = object({
  travel_rule_data: never,
  destination: refined(destinationFields, ({ prefunded_account_id: given }, path, problems) => {
    if (given !== undefined) problems[`${path}.prefunded_account_id`] = 'is taken at creation only'
  }),
  developer_fee_percent: percentage,
})

/**
 * Opens an account for a customer who may have one in the source currency.
 * @throws Refusal `invalid_parameters`, `frozen`, `has_not_accepted_tos`, `requires_active_kyc_status` or
 * `missing_required_endorsements`
 */
export const createVirtualAccount = (world: World, customerId: string, body: unknown): VirtualAccount => {
  const customer = customerById(world, customerId)
  const given = parse(creation, body)
  const feeConfig = readFeeConfig(body)
  const { currency } = given.source
  const destination = checkedDestination(given.destination)
  requireReady(customer, currency)
  return world.state.virtualAccounts.put({
    id: newId(),
    customerId,
    status: 'activated',
    currency,
    developerFeePercent: given.developer_fee_percent ?? '0.0',
    ...(feeConfig && { feeConfig }),
    instructions: depositInstructions(currency, nameOf(customer)),
    destination,
    createdAt: timestamp(world),
  })
}

const nameOf = ({ firstName, lastName }: Pick<Customer, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ')

export const updateVirtualAccount = (world: World, customerId: string, id: string, body: unknown): VirtualAccount => {
  const account = virtualAccountOf(world, customerId, id)
  const given = parse(update, body)
  const { feeConfig: held, developerFeePercent, ...rest } = account
  const percent = given.developer_fee_percent
  const asked = readFeeConfig(body)
  // A percentage takes the configuration away: an assumption, for the provider says only the reverse.
  const feeConfig = asked ?? (percent === undefined ? held : undefined)
  const changed = world.state.virtualAccounts.put({
    ...rest,
    developerFeePercent: asked ? '0.0' : (percent ?? developerFeePercent),
    ...(feeConfig && { feeConfig }),
    destination: checkedDestination(mergeDestination(account.destination, given.destination ?? {})),
  })
  recordAccountChange(world, changed, 'account_update')
  return changed
}

/** Gives an account new bank details at another bank, as when the provider changes banks. */
export const moveToOtherBank = (world: World, account: VirtualAccount): VirtualAccount => {
  const changed = world.state.virtualAccounts.put({
    ...account,
    instructions: {
      ...depositInstructions(account.currency, nameOf(customerById(world, account.customerId))),
      bank_name: 'Second Sandbox Bank',
      bank_address: '2 Harbor Street, Boston, MA 02110',
    },
  })
  recordAccountChange(world, changed, 'account_update')
  return changed
}

/** Activates or deactivates an account. A repeat changes nothing and adds no activity. */
export const setActivation = (
  world: World,
  customerId: string,
  id: string,
  status: VirtualAccount['status'],
): VirtualAccount => {
  const account = virtualAccountOf(world, customerId, id)
  if (account.status === status) return account
  const changed = world.state.virtualAccounts.put({ ...account, status })
  recordAccountChange(world, changed, status === 'activated' ? 'activation' : 'deactivation')
  return changed
}

export const virtualAccountOf = (world: World, customerId: string, id: string): VirtualAccount => {
  customerById(world, customerId)
  const account = world.state.virtualAccounts.get(id)
  if (account?.customerId !== customerId) throw unknownId('virtual account')
  return account
}

export const renderVirtualAccount = (account: VirtualAccount) => ({
  id: account.id,
  status: account.status,
  developer_fee_percent: account.developerFeePercent,
  ...(account.feeConfig && { fee_config: account.feeConfig }),
  customer_id: account.customerId,
  created_at: account.createdAt,
  source_deposit_instructions: account.instructions,
  destination: account.destination,
})

type DestinationForm = ValueOf<typeof destinationFields>

const targets = ['address', 'bridge_wallet_id', 'prefunded_account_id'] as const

/** Merges a change into a destination: a new target replaces the old one of any kind, a new chain removes the memo. */
const mergeDestination = (held: Destination, given: DestinationForm): DestinationForm => {
  const hasNewTarget = targets.some((target) => given[target] !== undefined)
  const hasNewChain = given.payment_rail !== undefined && given.payment_rail !== held.payment_rail
  const { currency, payment_rail, blockchain_memo, ...target } = held
  return {
    currency,
    payment_rail,
    ...(hasNewChain ? {} : { blockchain_memo }),
    ...(hasNewTarget ? {} : target),
    ...given,
  }
}

const checkedDestination = (given: DestinationForm): Destination => {
  const problems: Problems = {}
  const { currency, payment_rail: chain, blockchain_memo: memo } = given
  const named = targets.filter((target) => given[target] !== undefined)
  if (!currency) problems['destination.currency'] = 'is missing'
  if (!chain) problems['destination.payment_rail'] = 'is missing'
  if (named.length !== 1) {
    problems['destination.address'] = 'exactly one of address, bridge_wallet_id, prefunded_account_id is required'
  }
  if (memo !== undefined && !memoChains.includes(chain ?? '')) problems['destination.blockchain_memo'] = 'Not supported'
  const isPrefunded = given.prefunded_account_id !== undefined
  const isRoute = isPrefunded
    ? chain === 'prefunded' && currency === 'usd'
    : currency !== 'usd' && currency !== undefined && isOnChain(currency, chain ?? '')
  if (currency && chain && !isRoute) problems['destination.payment_rail'] = `${currency} is not supported on ${chain}`
  if (!currency || !chain || Object.keys(problems).length > 0) throw invalidParameters('body', problems)
  const optional = [...targets, 'blockchain_memo' as const].flatMap((field) => {
    const value = given[field]
    return value === undefined ? [] : [[field, value]]
  })
  return { currency, payment_rail: chain, ...Object.fromEntries(optional) }
}

const requireReady = (customer: Customer, currency: Fiat): void => {
  const { endorsement } = fiatTerms[currency]
  if (customer.status === 'paused' || customer.status === 'offboarded') {
    throw refuse(400, 'frozen', 'This customer is frozen')
  }
  if (!acceptsTerms(customer)) {
    throw refuse(400, 'has_not_accepted_tos', 'Customer has not accepted the terms of service')
  }
  if (customer.status !== 'active') throw refuse(400, 'requires_active_kyc_status', 'Customer has no active KYC status')
  if (!isEndorsed(customer, endorsement)) {
    throw refuse(403, 'missing_required_endorsements', `Customer is missing the ${endorsement} endorsement`)
  }
}
