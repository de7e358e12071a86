// The amounts of a deposit, each with the currency it was measured in.
// Paid side: gross − developer fee − exchange fee = subtotal, exactly. Sent side: subtotal × rate − gas = net.

import { type Amount, type Decimal, formatDecimal, lastDigitOf, parseDecimal, pegOf } from '../platform/values/money.ts'
import { isFiatCurrency } from '../platform/values/rails.ts'
import type { DepositActivity } from '../provider/types.ts'

/** What the account takes in, and what it sends on. */
export type CurrencyPair = { sourceCurrency: string; destinationCurrency: string }

export type DepositAmounts = CurrencyPair & {
  /** These four are in `sourceCurrency`. */
  grossAmount: Amount | null
  developerFee: Amount | null
  exchangeFee: Amount | null
  subtotalAmount: Amount | null
  /** `destinationCurrency` for one of `sourceCurrency`. */
  exchangeRate: string | null
  exchangeRateSource: 'provider' | 'derived' | null
  /** These two are in `destinationCurrency`. */
  gasFee: Amount | null
  netAmount: Amount | null
}

const rateDigits = 10

/**
 * Derives the amounts of a deposit from its activities.
 * An amount that was told in another currency than the one it belongs to is null here, and so are fees that contradict
 * what was paid in: an unknown amount is never replaced by a guess.
 * @param arrivals activities that tell what was paid in, the most authoritative last
 * @param payouts activities that tell what was sent on, in the same order
 */
export function depositAmounts(
  pair: CurrencyPair,
  arrivals: readonly DepositActivity[],
  payouts: readonly DepositActivity[],
): DepositAmounts {
  const { sourceCurrency } = pair
  const destinationCurrency = last(payouts, coinOf) ?? pair.destinationCurrency
  const paid = paidSide(sourceCurrency, arrivals, payouts)
  const sent = sentSide(destinationCurrency, payouts)
  const told = last(payouts, (step) => amountOf(step.exchangeRate))
  const [inSource, inDestination] = [amountIn(sourceCurrency), amountIn(destinationCurrency)]
  return {
    sourceCurrency,
    destinationCurrency,
    grossAmount: inSource(paid.gross),
    developerFee: inSource(paid.developerFee),
    exchangeFee: inSource(paid.exchangeFee),
    subtotalAmount: inSource(paid.subtotal),
    ...exchangeRate(told, { ...sent, subtotal: paid.subtotal, lastDigit: lastDigitOf(destinationCurrency) }),
    gasFee: inDestination(sent.gasFee),
    netAmount: inDestination(sent.net),
  }
}

/** Some payout steps name the currency paid in, or the dollar, instead of the coin sent out. */
function coinOf({ currency }: DepositActivity): string | null {
  return currency === null || isFiatCurrency(currency) ? null : currency
}

type PaidSide = Record<'gross' | 'developerFee' | 'exchangeFee' | 'subtotal', Decimal | null>

function paidSide(
  currency: string,
  arrivals: readonly DepositActivity[],
  payouts: readonly DepositActivity[],
): PaidSide {
  const initial = last(payouts, (step) => amountOf(step.paid.initial))
  const gross = last(arrivals, (step) => (isToldIn(currency, step) ? amountOf(step.amount) : null)) ?? initial
  // The fees and their subtotal are of one step: two steps may count them at different times.
  const fees = last(payouts, ({ paid }) => feesOf(paid)) ?? last(payouts, (step) => ownFees(currency, step))
  if (fees === null || (initial !== null && gross?.eq(initial) === false)) return { gross, ...noFees }
  const { developerFee, exchangeFee, subtotal } = fees
  const isWhole = gross !== null && developerFee !== null && exchangeFee !== null && subtotal !== null
  if (isWhole && !gross.minus(developerFee).minus(exchangeFee).eq(subtotal)) return { gross, ...noFees }
  return { gross, ...fees }
}

const noFees = { developerFee: null, exchangeFee: null, subtotal: null }

type ToldFees = { developerFee: string | null; exchangeFee: string | null; subtotal: string | null }

function feesOf(told: ToldFees) {
  const developerFee = amountOf(told.developerFee)
  const exchangeFee = amountOf(told.exchangeFee)
  const subtotal = amountOf(told.subtotal)
  if (developerFee === null && exchangeFee === null && subtotal === null) return null
  return { developerFee, exchangeFee, subtotal }
}

/** The step's own fees are dollars: of a deposit in another currency they say nothing. */
function ownFees(currency: string, { dollars }: DepositActivity) {
  return currency === 'usd' ? feesOf(dollars) : null
}

/** A step that names no currency counts in dollars. */
function isToldIn(currency: string, step: DepositActivity): boolean {
  return pegOf(step.currency ?? 'usd') === currency
}

function sentSide(currency: string, payouts: readonly DepositActivity[]) {
  const peg = pegOf(currency)
  const dollars = peg === 'usd'
  return {
    gasFee:
      last(payouts, ({ sent }) => amountOf(sent.gasFee)) ??
      last(payouts, (step) => (dollars ? amountOf(step.dollars.gasFee) : null)),
    net:
      last(payouts, ({ sent }) => amountOf(sent.final)) ??
      last(payouts, (step) => (dollars || isToldIn(peg, step) ? amountOf(step.amount) : null)),
  }
}

type Sides = { subtotal: Decimal | null; gasFee: Decimal | null; net: Decimal | null; lastDigit: Decimal }

/**
 * The provider tells its rate for some rails only, and rounds it. A rate that is not told, and one that misses the net
 * amount by a digit of the coin or more, is derived from the amounts: (net + gas) ÷ subtotal. A gas fee that nobody told
 * counts as none.
 */
function exchangeRate(told: Decimal | null, { subtotal, gasFee, net, lastDigit }: Sides) {
  if (subtotal === null || net === null || subtotal.eq(0)) return rateOf(told, 'provider')
  const converted = gasFee === null ? net : net.plus(gasFee)
  if (told !== null && subtotal.times(told).minus(converted).abs().lt(lastDigit)) return rateOf(told, 'provider')
  return rateOf(converted.div(subtotal).prec(rateDigits), 'derived')
}

function rateOf(rate: Decimal | null, source: 'provider' | 'derived') {
  return rate === null || rate.eq(0)
    ? { exchangeRate: null, exchangeRateSource: null }
    : { exchangeRate: formatDecimal(rate), exchangeRateSource: source }
}

function amountIn(currency: string): (value: Decimal | null) => Amount | null {
  return (value) => (value === null ? null : { value: formatDecimal(value), currency })
}

/** No amount of a deposit is negative: one that is reads as unknown. */
function amountOf(text: string | null): Decimal | null {
  const value = text === null ? null : parseDecimal(text)
  return value?.lt(0) ? null : value
}

/** @returns the fact as told by the most authoritative of the activities that tell it, which is the last */
export function last<T>(
  activities: readonly DepositActivity[],
  tell: (activity: DepositActivity) => T | null,
): T | null {
  for (const activity of activities.toReversed()) {
    const fact = tell(activity)
    if (fact !== null) return fact
  }
  return null
}
