// Whether the amounts of a completed deposit add up to the cent, and what is left over where they do not.

import { type Amount, type Decimal, decimalOf, formatDecimal, pegOf, sumOf, zero } from '../platform/values/money.ts'
import type { ShownDeposit } from './state.rules.ts'

export const differencesMax = 100
export const differenceCodes = ['amount_unknown', 'net_differs'] as const
export type Difference = { code: (typeof differenceCodes)[number]; amount: Amount }

type Amounts = Pick<
  ShownDeposit,
  | 'sourceCurrency'
  | 'destinationCurrency'
  | 'grossAmount'
  | 'developerFee'
  | 'exchangeFee'
  | 'subtotalAmount'
  | 'destinationExchangeFee'
  | 'gasFee'
  | 'netAmount'
>

const cent = '0.01'

/**
 * Finds what does not add up in a completed deposit.
 * @returns null where everything does. `amount_unknown`: gross − fees − subtotal, an unknown amount as zero; of a deposit whose
 *   net amount alone is unknown that is zero. `net_differs`: subtotal − exchange fee after the conversion − gas − net, where both
 *   sides count in one currency
 */
export function differenceOf(deposit: Amounts): Difference | null {
  const { sourceCurrency, destinationCurrency, grossAmount, developerFee, exchangeFee, subtotalAmount } = deposit
  const { destinationExchangeFee, gasFee, netAmount } = deposit
  const left = (code: Difference['code'], from: Amount | null, ...less: (Amount | null)[]): Difference => ({
    code,
    amount: { value: formatDecimal(sumOf(less.map(decimalIn)).neg().plus(decimalIn(from))), currency: sourceCurrency },
  })
  if ([grossAmount, developerFee, exchangeFee, subtotalAmount, netAmount].includes(null))
    return left('amount_unknown', grossAmount, developerFee, exchangeFee, subtotalAmount)
  if (pegOf(destinationCurrency) !== sourceCurrency) return null
  const conversion = left('net_differs', subtotalAmount, destinationExchangeFee, gasFee, netAmount)
  return decimalIn(conversion.amount).abs().lt(cent) ? null : conversion
}

function decimalIn(amount: Amount | null): Decimal {
  return amount === null ? zero : decimalOf(amount.value)
}
