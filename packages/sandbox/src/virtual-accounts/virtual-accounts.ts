// Virtual accounts: bank details in a customer's name that turn deposits into a stablecoin at an address.

import { isEndorsed } from '../customers/endorsements.ts'
import { acceptsTerms, customerById } from '../customers/record.ts'
import type { Customer } from '../customers/rows.ts'
import { isDecimal, parseDecimal } from '../platform/decimal.ts'
import { invalidParameters, type Problems, refuse, unknownId } from '../platform/errors.ts'
import {
  boolean,
  type JsonObject,
  object,
  objectOf,
  oneOf,
  parse,
  type Rule,
  text,
  textOf,
  timestampText,
} from '../platform/fields.ts'
import { newId } from '../platform/ids.ts'
import { timestamp, type World } from '../state/world.ts'
import { recordAccountChange } from './activities.ts'
import {
  chains,
  type Fiat,
  fiatCurrencies,
  fiatTerms,
  isOnChain,
  isStablecoin,
  memoChains,
  stablecoins,
} from './currencies.ts'
import { depositInstructions } from './deposit-instructions.ts'
import type { Destination, VirtualAccount } from './rows.ts'

const percentage: Rule = (value, path, problems) => {
  const fits = typeof value === 'string' && isDecimal(value) && parseDecimal(value) < parseDecimal('100')
  if (!fits) problems[path] ??= 'must be a decimal string, at least 0 and below 100'
}

const id = text(1, 42)
const destinationFields = object({
  currency: oneOf(stablecoins),
  payment_rail: oneOf(chains),
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
/** Checked and not kept: nothing of it is ever shown again. */
const travelRule = object({ originator: party, beneficiary: party, transfer_purpose: text(1, 1024) })

const creation = object(
  { travel_rule_data: travelRule, source, destination: destinationFields, developer_fee_percent: percentage },
  ['source', 'destination'],
)
const update = object({
  travel_rule_data: travelRule,
  destination: destinationFields,
  developer_fee_percent: percentage,
})

export const createVirtualAccount = (world: World, customerId: string, body: unknown): VirtualAccount => {
  const customer = customerById(world, customerId)
  const given = parse(creation, body)
  const wanted = textOf(objectOf(given, 'source') ?? {}, 'currency')
  const currency = fiatCurrencies.find((known) => known === wanted) ?? 'usd'
  const destination = destinationFrom(objectOf(given, 'destination') ?? {})
  refuseUnready(customer, currency)
  return world.state.virtualAccounts.put({
    id: newId(),
    customerId,
    status: 'activated',
    currency,
    developerFeePercent: textOf(given, 'developer_fee_percent') ?? '0.0',
    instructions: depositInstructions(currency, [customer.firstName, customer.lastName].filter(Boolean).join(' ')),
    destination,
    createdAt: timestamp(world),
  })
}

export const updateVirtualAccount = (world: World, customerId: string, id: string, body: unknown): VirtualAccount => {
  const account = virtualAccountOf(world, customerId, id)
  const given = parse(update, body)
  const changed = world.state.virtualAccounts.put({
    ...account,
    developerFeePercent: textOf(given, 'developer_fee_percent') ?? account.developerFeePercent,
    destination: destinationFrom(mergeDestination(account.destination, objectOf(given, 'destination') ?? {})),
  })
  recordAccountChange(world, changed, 'account_update')
  return changed
}

/** Repeating it changes nothing and is announced once. */
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
  customer_id: account.customerId,
  created_at: account.createdAt,
  source_deposit_instructions: account.instructions,
  destination: account.destination,
})

const targets = ['address', 'bridge_wallet_id', 'prefunded_account_id'] as const

/** A new target replaces the old one, of whichever kind it was; so does a new chain with the memo. */
const mergeDestination = (held: Destination, given: JsonObject): JsonObject => {
  const chain = textOf(given, 'payment_rail')
  const retargets = targets.some((target) => textOf(given, target) !== undefined)
  const replaced = [
    ...(retargets ? targets : []),
    ...(chain !== undefined && chain !== held.payment_rail ? ['blockchain_memo'] : []),
  ]
  const kept = Object.entries(held).filter(([field]) => !replaced.includes(field))
  return { ...Object.fromEntries(kept), ...given }
}

const destinationFrom = (given: JsonObject): Destination => {
  const problems: Problems = {}
  const [currency = '', chain = ''] = [textOf(given, 'currency'), textOf(given, 'payment_rail')]
  const memo = textOf(given, 'blockchain_memo')
  if (currency === '') problems['destination.currency'] = 'is missing'
  if (chain === '') problems['destination.payment_rail'] = 'is missing'
  if (targets.filter((target) => textOf(given, target) !== undefined).length !== 1) {
    problems['destination.address'] = 'exactly one of address, bridge_wallet_id, prefunded_account_id is required'
  }
  if (memo !== undefined && !memoChains.includes(chain)) problems['destination.blockchain_memo'] = 'Not supported'
  if (isStablecoin(currency) && chain !== '' && !isOnChain(currency, chain)) {
    problems['destination.payment_rail'] = `${currency} is not supported on ${chain}`
  }
  if (!isStablecoin(currency) || Object.keys(problems).length > 0) throw invalidParameters('body', problems)
  const optional = [...targets, 'blockchain_memo'].flatMap((field) => {
    const value = textOf(given, field)
    return value === undefined ? [] : [[field, value]]
  })
  return { currency, payment_rail: chain, ...Object.fromEntries(optional) }
}

const refuseUnready = (customer: Customer, currency: Fiat): void => {
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
