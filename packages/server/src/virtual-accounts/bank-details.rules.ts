// Whether bank details can be shown to a payer: each rail has the number to pay to, and its check digits are right.

import { isValidIBAN } from 'ibantools'
import type { BankNumbers, Instructions } from '../provider/port.ts'

/** The numbers of one bank rail. */
export type RailNumbers = { rail: string; numbers: BankNumbers }

/** Where a payer sends the money of a virtual account. */
export type DepositInstructions = Omit<Instructions, 'rails'> & { rails: RailNumbers[] }

/** Shown as the `failureCode` of the account. */
export type BankDetailsFault = 'bank_details_missing' | 'bank_details_invalid'

/**
 * Checks the bank details of an account before they are shown to a payer: the check digits of an IBAN and of a CLABE. The other
 * numbers have none that can be computed from them alone, except routing numbers: the provider's samples have invented ones.
 * @returns null when a payer can use each rail
 */
export function bankDetailsFault({ currency, rails }: Instructions): BankDetailsFault | null {
  const payable = payableNumbers.get(currency)
  const payTo = rails.map(({ numbers }) => (payable === undefined ? undefined : numbers[payable]))
  if (payTo.length === 0 || payTo.includes(undefined)) return 'bank_details_missing'
  const isValid = payTo.every((number) => hasRightDigits(currency, String(number)))
  return isValid ? null : 'bank_details_invalid'
}

/** The number that a payer of each currency needs. */
const payableNumbers: ReadonlyMap<string, keyof BankNumbers> = new Map([
  ['usd', 'accountNumber'],
  ['eur', 'iban'],
  ['mxn', 'clabe'],
  ['brl', 'pixCode'],
  ['gbp', 'accountNumber'],
  ['cop', 'breBKey'],
])

function hasRightDigits(currency: string, number: string): boolean {
  if (currency === 'eur') return isValidIBAN(number.replaceAll(' ', '').toUpperCase())
  return currency !== 'mxn' || (/^\d{18}$/.test(number) && isWeighted(number))
}

/** The check digit of a CLABE: digits weighted by 3, 7 and 1 in turn add up to a multiple of ten. */
function isWeighted(digits: string): boolean {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0)
  return sum % 10 === 0
}
