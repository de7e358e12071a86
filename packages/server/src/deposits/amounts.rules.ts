// The amounts of a deposit, each in the currency in which the provider measured it. A deposit has two sides:
//   source:       gross − developer fee − exchange fee = subtotal, exactly, in the currency that the payer sent
//   destination:  subtotal × exchange rate − exchange fee after the conversion − gas fee = net, to the coin's last digit
// An amount that the provider did not report, or reported in another currency, is null.
//
// `amount` of an activity is in the currency that this table gives, by the `currency` next to it:
//                                absent    usd       a coin     another fiat currency
//   arrival, refund (paid in)    dollars   dollars   its peg    that currency
//   payout (sent on)             dollars   dollars   its peg    not certain: the provider's document counts in dollars, and
//                                                               `amount` may as well be in that currency

import {
  type Amount,
  type Decimal,
  formatDecimal,
  lastDigitOf,
  parseNumber,
  pegOf,
  zero,
} from '../platform/values/money.ts'
import { isFiatCurrency } from '../platform/values/rails.ts'
import type { DepositActivity } from '../provider/activity.ts'
import { formUnknown, type Receipt, type Sides, sidesOf } from './receipt.rules.ts'

/** The currency that is paid into an account, and the coin that is sent on to its wallet. */
export type CurrencyPair = { sourceCurrency: string; destinationCurrency: string }

/**
 * Derives the amounts of a deposit from its activities. Both lists end with the activity that has the most authority.
 * @param arrivals the activities before any payout, which report the gross amount
 * @param payouts the activities of the payment to the wallet, which report the fees and the net amount
 */
export function depositAmounts(
  { sourceCurrency, destinationCurrency: agreedCoin }: CurrencyPair,
  arrivals: readonly DepositActivity[],
  payouts: readonly DepositActivity[],
) {
  const destinationCurrency = lastReported(payouts, coinOf) ?? agreedCoin
  const initial = lastReported(payouts, ({ receipt }) => unsigned(receipt.initial))
  const gross = amountIn(sourceCurrency, arrivals) ?? initial
  const sides = sidesOfPayout({ sourceCurrency, destinationCurrency }, payouts, gross)
  // Fees that contradict the gross amount are unknown. The converted amount, which does not depend on them, stays.
  const isContradicted = initial !== null && gross?.eq(initial) === false
  const known =
    isContradicted || !addsUp(gross, sides) ? { ...sides, ...formUnknown, converted: sides.converted } : sides
  const reportedRate = lastReported(payouts, ({ receipt }) => unsigned(receipt.exchangeRate))
  const [inSource, inDestination] = [shownIn(sourceCurrency), shownIn(destinationCurrency)]
  return {
    sourceCurrency,
    destinationCurrency,
    grossAmount: inSource(gross),
    developerFee: inSource(known.developerFee),
    exchangeFee: inSource(known.exchangeFee),
    subtotalAmount: inSource(known.subtotal),
    ...exchangeRate(reportedRate, { ...known, lastDigit: lastDigitOf(destinationCurrency) }),
    destinationExchangeFee: inDestination(known.destinationExchangeFee),
    gasFee: inDestination(known.gasFee),
    netAmount: inDestination(known.net),
  }
}

/** Some payouts name the currency paid in, or the dollar, instead of the coin sent on. */
function coinOf({ currency }: DepositActivity): string | null {
  return currency === null || isFiatCurrency(currency) ? null : currency
}

/** Reads the amount of the last of these activities that counts in this currency. */
export function amountIn(currency: string, activities: readonly DepositActivity[]): Decimal | null {
  return lastReported(activities, (each) => (pegOf(each.currency ?? 'usd') === currency ? unsigned(each.amount) : null))
}

function addsUp(gross: Decimal | null, { developerFee, exchangeFee, subtotal }: Sides): boolean {
  if (gross === null || developerFee === null || exchangeFee === null || subtotal === null) return true
  return gross.minus(developerFee).minus(exchangeFee).eq(subtotal)
}

/** Reads the newest receipt, and what it lacks from the activities where the currency of their amounts is certain. */
function sidesOfPayout(
  { sourceCurrency, destinationCurrency }: CurrencyPair,
  payouts: readonly DepositActivity[],
  gross: Decimal | null,
): Sides {
  const peg = pegOf(destinationCurrency)
  const receipt = lastReported(payouts, receiptOf) ?? noReceipt
  // Next to its receipt an activity has fees in dollars. They say nothing about a deposit in another currency.
  const fees = sourceCurrency === 'usd' && hasNoFees(receipt) ? lastReported(payouts, feesInDollars) : null
  const gasInDollars = peg === 'usd' ? lastReported(payouts, ({ dollars }) => unsigned(dollars.gasFee)) : null
  const completed = { ...receipt, ...fees, gasFee: receipt.gasFee ?? gasInDollars }
  const sides = sidesOf(completed, gross, peg !== sourceCurrency)
  // The receipt reports the net amount. If the receipt fits no form, the amount of the activity does not replace it.
  if (receipt.final !== null) return sides
  const net = amountIn(peg, payouts.filter(hasCertainCurrency))
  return { ...sides, net, converted: sides.converted ?? net?.plus(sides.gasFee ?? zero) ?? null }
}

/** Returns whether the currency of a payout's amount is certain: see the table above. */
function hasCertainCurrency({ currency }: DepositActivity): boolean {
  return currency === null || currency === 'usd' || !isFiatCurrency(currency)
}

const noReceipt: Receipt = {
  developerFee: null,
  exchangeFee: null,
  preConversionSubtotal: null,
  converted: null,
  subtotal: null,
  gasFee: null,
  final: null,
}

/** A payout that is not confirmed may have a receipt with the initial amount alone, which hides no older receipt. */
function receiptOf({ receipt: reported }: DepositActivity): Receipt | null {
  const receipt = {
    developerFee: unsigned(reported.developerFee),
    exchangeFee: unsigned(reported.exchangeFee),
    preConversionSubtotal: unsigned(reported.preConversionSubtotal),
    converted: unsigned(reported.converted),
    subtotal: unsigned(reported.subtotal),
    gasFee: unsigned(reported.gasFee),
    final: unsigned(reported.final),
  }
  return isNothing(receipt) ? null : receipt
}

function hasNoFees({ gasFee: _gas, final: _final, ...fees }: Receipt): boolean {
  return isNothing(fees)
}

function feesInDollars({ dollars }: DepositActivity) {
  const fees = {
    developerFee: unsigned(dollars.developerFee),
    exchangeFee: unsigned(dollars.exchangeFee),
    subtotal: unsigned(dollars.subtotal),
  }
  return isNothing(fees) ? null : fees
}

function isNothing(amounts: Record<string, Decimal | null>): boolean {
  return Object.values(amounts).every((amount) => amount === null)
}

const rateDigits = 10

type Conversion = { subtotal: Decimal | null; converted: Decimal | null; lastDigit: Decimal }

/**
 * Chooses the exchange rate. The provider reports a rate for some rails only, and rounds it. Where it reports none, or one that
 * misses the converted amount by the last digit of the coin or more, the rate is derived: converted ÷ subtotal.
 */
function exchangeRate(reported: Decimal | null, { subtotal, converted, lastDigit }: Conversion) {
  if (subtotal === null) return rateOf(null, 'provider')
  if (converted === null || subtotal.eq(0)) return rateOf(reported, 'provider')
  if (reported !== null && subtotal.times(reported).minus(converted).abs().lt(lastDigit))
    return rateOf(reported, 'provider')
  return rateOf(converted.div(subtotal).prec(rateDigits), 'derived')
}

function rateOf(rate: Decimal | null, source: 'provider' | 'derived') {
  return rate === null || rate.eq(0)
    ? { exchangeRate: null, exchangeRateSource: null }
    : { exchangeRate: formatDecimal(rate), exchangeRateSource: source }
}

/** Shows amounts of this currency. */
export function shownIn(currency: string) {
  return (value: Decimal | null): Amount | null => value && { value: formatDecimal(value), currency }
}

/** No amount of a deposit is negative: one that is reads as unknown. */
function unsigned(text: string | null): Decimal | null {
  const value = text === null ? null : parseNumber(text)
  return value?.lt(0) ? null : value
}

/** Finds a fact as reported by the last activity in the list that reports the fact. @returns null when none does */
export function lastReported<Fact>(
  activities: readonly DepositActivity[],
  factOf: (activity: DepositActivity) => Fact | null,
): Fact | null {
  return activities.map(factOf).findLast((fact) => fact !== null) ?? null
}
