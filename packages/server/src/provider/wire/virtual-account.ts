// The provider's virtual account: the requests for one, and its deposit instructions made the same for every currency.

import type { JsonObject } from '../../platform/values/json.ts'
import type { Provider } from '../port.ts'
import type { DepositInstructions, ProviderVirtualAccount, VirtualAccountInput } from '../types.ts'
import { decimal, member, readObject, requiredText, strings, text, unique, WireError } from './fields.ts'

type Destination = { paymentRail?: string; currency?: string; address?: string; memo?: string }
type VirtualAccountChange = Parameters<Provider['updateVirtualAccount']>[2]

export function virtualAccountBody(input: VirtualAccountInput): JsonObject {
  return {
    source: { currency: input.sourceCurrency },
    destination: destinationBody(input.destination),
    developer_fee_percent: input.developerFeePercent,
    ...(input.travelRuleData !== undefined && { travel_rule_data: input.travelRuleData }),
  }
}

export function virtualAccountChangeBody(change: VirtualAccountChange): JsonObject {
  return {
    ...(change.destination !== undefined && { destination: destinationBody(change.destination) }),
    ...(change.developerFeePercent !== undefined && { developer_fee_percent: change.developerFeePercent }),
    ...(change.travelRuleData !== undefined && { travel_rule_data: change.travelRuleData }),
  }
}

function destinationBody(destination: Destination): JsonObject {
  return {
    ...(destination.currency !== undefined && { currency: destination.currency }),
    ...(destination.paymentRail !== undefined && { payment_rail: destination.paymentRail }),
    ...(destination.address !== undefined && { address: destination.address }),
    ...(destination.memo !== undefined && { blockchain_memo: destination.memo }),
  }
}

export function readVirtualAccount(value: unknown): ProviderVirtualAccount {
  const account = readObject(value)
  const destination = member(account, 'destination')
  return {
    id: requiredText(account, 'virtual account', 'id'),
    customerId: text(account, 'customer_id'),
    status: requiredText(account, 'virtual account', 'status'),
    developerFeePercent: decimal(account, 'developer_fee_percent'),
    createdAt: text(account, 'created_at'),
    instructions: readInstructions(member(account, 'source_deposit_instructions')),
    destination: {
      paymentRail: text(destination, 'payment_rail'),
      currency: text(destination, 'currency'),
      address: text(destination, 'address'),
      memo: text(destination, 'blockchain_memo'),
    },
  }
}

function readInstructions(instructions: JsonObject): DepositInstructions {
  const currency = requiredText(instructions, 'deposit instructions', 'currency').toLowerCase()
  return {
    currency,
    paymentRails: paymentRails(instructions, currency),
    bankName: text(instructions, 'bank_name'),
    bankAddress: text(instructions, 'bank_address'),
    // `benficiary` is how the provider's GBP example spells it.
    beneficiaryName: text(instructions, 'bank_beneficiary_name', 'bank_benficiary_name', 'account_holder_name'),
    beneficiaryAddress: text(instructions, 'bank_beneficiary_address', 'bank_benficiary_address'),
    accountNumber: text(instructions, 'bank_account_number', 'account_number'),
    routingNumber: text(instructions, 'bank_routing_number'),
    iban: text(instructions, 'iban'),
    bic: text(instructions, 'bic'),
    clabe: text(instructions, 'clabe') ?? (currency === 'mxn' ? clabeAmongBankFields(instructions) : null),
    sortCode: text(instructions, 'sort_code'),
    pixCode: text(instructions, 'br_code', 'pix_key'),
    breBKey: text(instructions, 'bre_b_key'),
    depositMessage: text(instructions, 'deposit_message'),
  }
}

/** Some MXN answers put the CLABE into the account number. Only 18 digits are one: a payer must not get a wrong one. */
function clabeAmongBankFields(instructions: JsonObject): string | null {
  const number = text(instructions, 'bank_account_number', 'account_number')
  return number !== null && /^\d{18}$/.test(number) ? number : null
}

const railsWhenUnnamed: ReadonlyMap<string, string[]> = new Map([
  ['usd', ['ach_push', 'wire']],
  ['eur', ['sepa']],
  ['mxn', ['spei']],
  ['brl', ['pix']],
  ['gbp', ['faster_payments']],
  ['cop', ['bre_b']],
])

/** A list in the examples, one string in the schema of EUR and GBP, the deprecated singular in old answers. */
function paymentRails(instructions: JsonObject, currency: string): string[] {
  const named = unique([...strings(instructions['payment_rails']), ...strings(instructions['payment_rail'])])
  const rails = named.length > 0 ? named : railsWhenUnnamed.get(currency)
  if (rails === undefined) throw new WireError('deposit instructions without payment_rails')
  return [...rails]
}
