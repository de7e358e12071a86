// Whether bank details can be shown to a payer: the number to pay to is there, and its check digits are right.

import { isValidIBAN } from 'ibantools'
import type { ProviderInstructions } from '../provider/bridge/wire/types.ts'

/** Shown as the `failureCode` of the account. */
export type BankDetailsFault = 'bank_details_missing' | 'bank_details_invalid'

/**
 * Checks the bank details of an account before they are shown to a payer: the check digits of an IBAN and of a CLABE. The other
 * numbers have none that can be computed from them alone, except routing numbers: the provider's samples have invented ones.
 * @returns null when a payer can use them
 */
export function bankDetailsFault(instructions: ProviderInstructions): BankDetailsFault | null {
  const { currency, iban, clabe } = instructions
  const payable = payableNumbers.get(currency)
  if (payable === undefined || instructions[payable] === null) return 'bank_details_missing'
  const isValid =
    (currency !== 'eur' || isValidIBAN(String(iban).replaceAll(' ', '').toUpperCase())) &&
    (currency !== 'mxn' || (/^\d{18}$/.test(String(clabe)) && isWeighted(String(clabe))))
  return isValid ? null : 'bank_details_invalid'
}

/** The number that a payer of each currency needs. */
const payableNumbers: ReadonlyMap<string, keyof ProviderInstructions> = new Map([
  ['usd', 'accountNumber'],
  ['eur', 'iban'],
  ['mxn', 'clabe'],
  ['brl', 'pixCode'],
  ['gbp', 'accountNumber'],
  ['cop', 'breBKey'],
])

/** The check digit of a CLABE: digits weighted by 3, 7 and 1 in turn add up to a multiple of ten. */
function isWeighted(digits: string): boolean {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0)
  return sum % 10 === 0
}
