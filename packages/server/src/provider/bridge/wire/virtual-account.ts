// The provider's virtual account, with deposit instructions of one shape for every currency.

import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import {
  decimal,
  member,
  readList,
  readObject,
  requiredText,
  strings,
  text,
  unique,
  WireError,
} from '../../http/fields.ts'
import type { ListedVirtualAccounts, ProviderInstructions, ProviderVirtualAccount } from './types.ts'

export function readVirtualAccount(value: unknown): ProviderVirtualAccount {
  const account = readObject(value)
  const destination = member(account, 'destination')
  return {
    id: requiredText(account, 'virtual account', 'id'),
    customerId: text(account, 'customer_id'),
    status: requiredText(account, 'virtual account', 'status'),
    developerFeePercent: decimal(account, 'developer_fee_percent'),
    feeConfig: isJsonObject(account['fee_config']) ? account['fee_config'] : null,
    createdAt: text(account, 'created_at'),
    instructions: readInstructions(member(account, 'source_deposit_instructions')),
    destination: {
      paymentRail: text(destination, 'payment_rail'),
      currency: text(destination, 'currency'),
      address: text(destination, 'address'),
      bridgeWalletId: text(destination, 'bridge_wallet_id'),
      prefundedAccountId: text(destination, 'prefunded_account_id'),
      memo: text(destination, 'blockchain_memo'),
    },
  }
}

/**
 * Reads the accounts of a list and counts those that cannot be read, so that one bad account does not hide the others.
 */
export function readVirtualAccounts(body: unknown): ListedVirtualAccounts {
  const listed = readList(body)
  const accounts = listed.flatMap((account) => {
    try {
      return [readVirtualAccount(account)]
    } catch (error) {
      if (error instanceof WireError) return []
      throw error
    }
  })
  return { accounts, unreadable: listed.length - accounts.length }
}

function readInstructions(instructions: JsonObject): ProviderInstructions {
  const currency = requiredText(instructions, 'deposit instructions', 'currency').toLowerCase()
  return {
    currency,
    paymentRails: paymentRails(instructions),
    bankName: text(instructions, 'bank_name'),
    bankAddress: text(instructions, 'bank_address'),
    // The provider's GBP example spells it `benficiary`.
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

/**
 * Some MXN responses put the CLABE into the account number. Only 18 digits are a CLABE: a payer must not get a wrong
 * one.
 */
function clabeAmongBankFields(instructions: JsonObject): string | null {
  const number = text(instructions, 'bank_account_number', 'account_number')
  return number !== null && /^\d{18}$/.test(number) ? number : null
}

/** A list in the examples, one string in the schema of EUR and GBP, the deprecated singular in old responses. */
function paymentRails(instructions: JsonObject): string[] | null {
  const named = unique([...strings(instructions['payment_rails']), ...strings(instructions['payment_rail'])])
  return named.length > 0 ? named : null
}
