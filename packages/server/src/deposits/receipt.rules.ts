// Owns which currency each amount of a receipt is in. The provider has two forms of a receipt, both valid at the same time.
//   Older form: initial − developer fee − exchange fee = subtotal, all in the source currency; subtotal × rate − gas = final.
//   Newer form: initial − fees before the conversion = pre-conversion subtotal, in the source currency;
//               converted − exchange fee after the conversion = subtotal, and subtotal − gas = final, in the destination's peg.
// `final` and gas are in the destination's peg in both, and shown unless a receipt of the newer form contradicts them, or the same
// numbers fit both sides of a conversion.

import { type Decimal, zero } from '../platform/values/money.ts'

type Maybe = Decimal | null

/**
 * Amounts that the two forms relate differently. The initial amount is the gross amount, which other activities report
 * too.
 */
export type Receipt = Record<
  'developerFee' | 'exchangeFee' | 'preConversionSubtotal' | 'converted' | 'subtotal' | 'gasFee' | 'final',
  Maybe
>

/** The first three are in the source currency, the others in the destination currency. Null: unknown. */
export type Sides = Record<
  'developerFee' | 'exchangeFee' | 'subtotal' | 'converted' | 'destinationExchangeFee' | 'gasFee' | 'net',
  Maybe
>

/** The amounts that depend on the form of the receipt, all unknown. */
export const formUnknown = {
  developerFee: null,
  exchangeFee: null,
  subtotal: null,
  converted: null,
  destinationExchangeFee: null,
}
const nothing: Sides = { ...formUnknown, gasFee: null, net: null }

/**
 * Determines the form of a receipt by its content and reads its amounts. If the form is not certain, the amounts whose
 * currency depends on it are null.
 * @param paidIn the payer's amount, in the source currency
 * @param isConverted whether the destination is pegged to another currency than the source; if not, both forms are the
 * same
 */
export function sidesOf(receipt: Receipt, paidIn: Maybe, isConverted: boolean): Sides {
  const { developerFee, exchangeFee, subtotal, gasFee, final } = receipt
  const sent = { gasFee, net: final }
  const isAfterConversion = equals(subtotal, plus(final, gasFee ?? zero))
  if (receipt.preConversionSubtotal !== null || receipt.converted !== null) {
    // In the newer form subtotal − gas = final. A receipt that contradicts this, or has no subtotal to check it with, is unknown.
    if (final !== null && !isAfterConversion) return nothing
    return { ...newerFees(receipt, paidIn), ...sent }
  }
  const older = { developerFee, exchangeFee, subtotal, destinationExchangeFee: exchangeFee === null ? null : zero }
  const converted = plus(final, gasFee ?? zero)
  if (!isConverted) return { ...older, converted, ...sent }
  const isBeforeConversion = equals(subtotal, minus(paidIn, developerFee, exchangeFee))
  // The same number on both sides of a conversion: it is wrong in one of the two currencies, and nothing shows in
  // which.
  if (isBeforeConversion && isAfterConversion) return nothing
  if (isBeforeConversion) return { ...older, converted, ...sent }
  return { ...(isAfterConversion ? unmarkedFees(receipt, paidIn) : formUnknown), ...sent }
}

/** An exchange fee is taken before or after the conversion: the amounts around the conversion show which. */
function newerFees(receipt: Receipt, paidIn: Maybe) {
  const { developerFee, exchangeFee, preConversionSubtotal, converted, subtotal } = receipt
  if (developerFee === null || exchangeFee === null || subtotal === null || paidIn === null)
    return aroundConversion(receipt, paidIn)
  const fits = (exchanged: Decimal, received: Decimal) =>
    preConversionSubtotal?.eq(exchanged) !== false && converted?.eq(received) !== false
  const sides = [
    [exchangeFee, zero],
    [zero, exchangeFee],
  ] as const
  for (const [before, after] of sides) {
    const exchanged = paidIn.minus(developerFee).minus(before)
    const received = subtotal.plus(after)
    if (!fits(exchanged, received)) continue
    return {
      developerFee,
      exchangeFee: before,
      subtotal: exchanged,
      converted: received,
      destinationExchangeFee: after,
    }
  }
  const isDeveloperFeeAfter = sides.some(([before, after]) =>
    fits(paidIn.minus(before), subtotal.plus(after).plus(developerFee)),
  )
  return isDeveloperFeeAfter ? aroundConversion(receipt, paidIn) : formUnknown
}

/** Amounts into and out of the conversion are certain without the fees. */
function aroundConversion({ preConversionSubtotal, converted, subtotal }: Receipt, paidIn: Maybe) {
  const isMore = (left: Maybe, right: Maybe) => left !== null && right !== null && left.gt(right)
  if (isMore(preConversionSubtotal, paidIn) || isMore(subtotal, converted)) return formUnknown
  return { ...formUnknown, subtotal: preConversionSubtotal, converted }
}

/** Without the amounts around the conversion, only fees of zero have a currency: either. */
function unmarkedFees({ developerFee, exchangeFee, subtotal }: Receipt, paidIn: Maybe) {
  const isFree = developerFee?.eq(0) === true && exchangeFee?.eq(0) === true
  return isFree
    ? { developerFee, exchangeFee, subtotal: paidIn, converted: subtotal, destinationExchangeFee: zero }
    : { ...formUnknown, converted: subtotal }
}

function plus(left: Maybe, right: Decimal): Maybe {
  return left?.plus(right) ?? null
}

function minus(from: Maybe, ...less: Maybe[]): Maybe {
  return less.reduce<Maybe>((left, each) => (left === null || each === null ? null : left.minus(each)), from)
}

/** Unknown amounts are never equal. */
function equals(left: Maybe, right: Maybe): boolean {
  return left !== null && right !== null && left.eq(right)
}
