// The amounts of a deposit, each in the currency in which the provider measured it. A deposit has two sides:
//   source:       gross − developer fee − exchange fee = subtotal, exactly, in the currency that the payer sent
//   destination:  subtotal × exchange rate − exchange fee after the conversion − gas fee = net, to the coin's last digit
// An amount that the provider did not report, or reported in another currency, is null.

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
import type { DepositActivity } from '../provider/port.ts'
import { type Receipt, type Sides, sidesOf } from './receipt.rules.ts'

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
  const destinationCurrency = lastTold(payouts, coinOf) ?? agreedCoin
  const initial = lastTold(payouts, ({ receipt }) => amountOf(receipt.initial))
  const gross = amountIn(sourceCurrency, arrivals) ?? initial
  const sides = sidesOfPayout({ sourceCurrency, destinationCurrency }, payouts, gross)
  // Fees that contradict the gross amount are unknown.
  const isContradicted = initial !== null && gross?.eq(initial) === false
  const known = isContradicted || !addsUp(gross, sides) ? { ...sides, ...noFees } : sides
  const toldRate = lastTold(payouts, ({ receipt }) => amountOf(receipt.exchangeRate))
  const [inSource, inDestination] = [shownIn(sourceCurrency), shownIn(destinationCurrency)]
  return {
    sourceCurrency,
    destinationCurrency,
    grossAmount: inSource(gross),
    developerFee: inSource(known.developerFee),
    exchangeFee: inSource(known.exchangeFee),
    subtotalAmount: inSource(known.subtotal),
    ...exchangeRate(toldRate, { ...known, lastDigit: lastDigitOf(destinationCurrency) }),
    destinationExchangeFee: inDestination(known.destinationExchangeFee),
    gasFee: inDestination(known.gasFee),
    netAmount: inDestination(known.net),
  }
}

/** Some payouts name the currency paid in, or the dollar, instead of the coin sent on. */
function coinOf({ currency }: DepositActivity): string | null {
  return currency === null || isFiatCurrency(currency) ? null : currency
}

/** Reads an amount of these activities that is in this currency. An activity that names no currency counts in dollars. */
export function amountIn(currency: string, activities: readonly DepositActivity[]): Decimal | null {
  return lastTold(activities, (each) => (pegOf(each.currency ?? 'usd') === currency ? amountOf(each.amount) : null))
}

const noFees = { developerFee: null, exchangeFee: null, subtotal: null, destinationExchangeFee: null }

function addsUp(gross: Decimal | null, { developerFee, exchangeFee, subtotal }: Sides): boolean {
  if (gross === null || developerFee === null || exchangeFee === null || subtotal === null) return true
  return gross.minus(developerFee).minus(exchangeFee).eq(subtotal)
}

/** Reads the newest receipt, and what it lacks from the activities, as far as the currency of their amounts is certain. */
function sidesOfPayout(
  { sourceCurrency, destinationCurrency }: CurrencyPair,
  payouts: readonly DepositActivity[],
  gross: Decimal | null,
): Sides {
  const peg = pegOf(destinationCurrency)
  const told = lastTold(payouts, receiptOf) ?? noReceipt
  // Next to its receipt an activity has fees in dollars. They say nothing about a deposit in another currency.
  const fees = sourceCurrency === 'usd' && hasNoFees(told) ? lastTold(payouts, feesInDollars) : null
  const gasInDollars = peg === 'usd' ? lastTold(payouts, ({ dollars }) => amountOf(dollars.gasFee)) : null
  const receipt = { ...told, ...fees, gasFee: told.gasFee ?? gasInDollars }
  const sides = sidesOf(receipt, gross, peg !== sourceCurrency)
  if (told.final !== null) return sides
  const net = amountIn(peg, payouts.filter(isInOneCurrency))
  return { ...sides, net, converted: sides.converted ?? net?.plus(sides.gasFee ?? zero) ?? null }
}

/**
 * The provider's document counts the amount of a payout in dollars. Next to a fiat currency other than the dollar the amount may
 * as well be in that currency.
 */
function isInOneCurrency({ currency }: DepositActivity): boolean {
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

/** A receipt with nothing but the initial amount, as a payout that is not confirmed may have, is none. */
function receiptOf({ receipt }: DepositActivity): Receipt | null {
  const told = {
    developerFee: amountOf(receipt.developerFee),
    exchangeFee: amountOf(receipt.exchangeFee),
    preConversionSubtotal: amountOf(receipt.preConversionSubtotal),
    converted: amountOf(receipt.converted),
    subtotal: amountOf(receipt.subtotal),
    gasFee: amountOf(receipt.gasFee),
    final: amountOf(receipt.final),
  }
  return isNothing(told) ? null : told
}

function hasNoFees({ gasFee: _gas, final: _final, ...fees }: Receipt): boolean {
  return isNothing(fees)
}

function feesInDollars({ dollars }: DepositActivity) {
  const fees = {
    developerFee: amountOf(dollars.developerFee),
    exchangeFee: amountOf(dollars.exchangeFee),
    subtotal: amountOf(dollars.subtotal),
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
function exchangeRate(told: Decimal | null, { subtotal, converted, lastDigit }: Conversion) {
  if (subtotal === null) return rateOf(null, 'provider')
  if (converted === null || subtotal.eq(0)) return rateOf(told, 'provider')
  if (told !== null && subtotal.times(told).minus(converted).abs().lt(lastDigit)) return rateOf(told, 'provider')
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
function amountOf(text: string | null): Decimal | null {
  const value = text === null ? null : parseNumber(text)
  return value?.lt(0) ? null : value
}

/** Finds a fact as reported by the last activity in the list that reports the fact. @returns null when none does */
export function lastTold<Fact>(
  activities: readonly DepositActivity[],
  factOf: (activity: DepositActivity) => Fact | null,
): Fact | null {
  return activities.map(factOf).findLast((fact) => fact !== null) ?? null
}
