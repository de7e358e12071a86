// The amounts of a deposit, each in the currency in which the provider measured it. A deposit has two sides:
//   paid in:  gross − developer fee − exchange fee = subtotal, exactly, in the currency that the payer sent (`sourceCurrency`)
//   sent on:  subtotal × exchange rate − gas fee = net, to the coin's last digit, in the coin of the wallet (`destinationCurrency`)
// An activity's receipt tells the first side in `paid` and the second in `sent`. An amount that the provider did not tell, or
// told in another currency, is shown as null.

import { type Amount, type Decimal, formatDecimal, lastDigitOf, parseDecimal, pegOf } from '../platform/values/money.ts'
import { isFiatCurrency } from '../platform/values/rails.ts'
import type { DepositActivity } from '../provider/port.ts'

/** The currency that is paid into an account, and the coin that is sent on to its wallet. */
export type CurrencyPair = { sourceCurrency: string; destinationCurrency: string }

/**
 * Derives the amounts of a deposit from its activities. Both lists end with the activity that has the most authority.
 * @param arrivals the activities before any payout: they tell the gross amount
 * @param payouts the activities of the payment to the wallet: they tell the fees and the net amount
 */
export function depositAmounts(
  { sourceCurrency, destinationCurrency: agreedCoin }: CurrencyPair,
  arrivals: readonly DepositActivity[],
  payouts: readonly DepositActivity[],
) {
  const destinationCurrency = lastTold(payouts, coinOf) ?? agreedCoin
  const { gross, developerFee, exchangeFee, subtotal } = amountsPaidIn(sourceCurrency, arrivals, payouts)
  const { gasFee, net } = amountsSentOn(destinationCurrency, payouts)
  const toldRate = lastTold(payouts, (payout) => amountOf(payout.exchangeRate))
  const [inSource, inDestination] = [amountIn(sourceCurrency), amountIn(destinationCurrency)]
  return {
    sourceCurrency,
    destinationCurrency,
    grossAmount: inSource(gross),
    developerFee: inSource(developerFee),
    exchangeFee: inSource(exchangeFee),
    subtotalAmount: inSource(subtotal),
    ...exchangeRate(toldRate, { subtotal, gasFee, net, lastDigit: lastDigitOf(destinationCurrency) }),
    gasFee: inDestination(gasFee),
    netAmount: inDestination(net),
  }
}

/** Some payouts name the currency paid in, or the dollar, instead of the coin sent on. */
function coinOf({ currency }: DepositActivity): string | null {
  return currency === null || isFiatCurrency(currency) ? null : currency
}

function amountsPaidIn(currency: string, arrivals: readonly DepositActivity[], payouts: readonly DepositActivity[]) {
  const initial = lastTold(payouts, ({ paid }) => amountOf(paid.initial))
  const gross =
    lastTold(arrivals, (arrival) => (isToldIn(currency, arrival) ? amountOf(arrival.amount) : null)) ?? initial
  // Both fees and the subtotal come from one activity: two activities may count the fees at different times.
  const fees =
    lastTold(payouts, ({ paid }) => feesOf(paid)) ?? lastTold(payouts, (payout) => feesInDollars(currency, payout))
  // Fees that contradict the gross amount are unknown.
  if (fees === null || (initial !== null && gross?.eq(initial) === false)) return { gross, ...noFees }
  const { developerFee, exchangeFee, subtotal } = fees
  const isWhole = gross !== null && developerFee !== null && exchangeFee !== null && subtotal !== null
  if (isWhole && !gross.minus(developerFee).minus(exchangeFee).eq(subtotal)) return { gross, ...noFees }
  return { gross, ...fees }
}

const noFees = { developerFee: null, exchangeFee: null, subtotal: null }

function feesOf(told: Omit<DepositActivity['paid'], 'initial'>) {
  const developerFee = amountOf(told.developerFee)
  const exchangeFee = amountOf(told.exchangeFee)
  const subtotal = amountOf(told.subtotal)
  return developerFee !== null || exchangeFee !== null || subtotal !== null
    ? { developerFee, exchangeFee, subtotal }
    : null
}

/** Beside its receipt an activity tells fees in dollars. They say nothing of a deposit in another currency. */
function feesInDollars(currency: string, { dollars }: DepositActivity) {
  return currency === 'usd' ? feesOf(dollars) : null
}

/** Tells whether the amount of an activity is in this currency. An activity that names no currency counts in dollars. */
function isToldIn(currency: string, activity: DepositActivity): boolean {
  return pegOf(activity.currency ?? 'usd') === currency
}

/**
 * Reads gas fee and net amount from the receipt, or where there is none from the activity. A payout of a dollar coin counts in
 * dollars whatever currency it names; the amount of any other payout must be told in the coin's own currency.
 */
function amountsSentOn(coin: string, payouts: readonly DepositActivity[]) {
  const peg = pegOf(coin)
  const isDollarCoin = peg === 'usd'
  return {
    gasFee:
      lastTold(payouts, ({ sent }) => amountOf(sent.gasFee)) ??
      lastTold(payouts, ({ dollars }) => (isDollarCoin ? amountOf(dollars.gasFee) : null)),
    net:
      lastTold(payouts, ({ sent }) => amountOf(sent.final)) ??
      lastTold(payouts, (payout) => (isDollarCoin || isToldIn(peg, payout) ? amountOf(payout.amount) : null)),
  }
}

const rateDigits = 10

type Sides = { subtotal: Decimal | null; gasFee: Decimal | null; net: Decimal | null; lastDigit: Decimal }

/**
 * Chooses the exchange rate. The provider tells a rate for some rails only, and rounds it. Where it tells none, or one that
 * misses the net amount by the last digit of the coin or more, the rate is derived: (net + gas) ÷ subtotal. A gas fee that
 * was not told counts as zero here.
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

function amountIn(currency: string) {
  return (value: Decimal | null): Amount | null => value && { value: formatDecimal(value), currency }
}

/** No amount of a deposit is negative: one that is reads as unknown. */
function amountOf(text: string | null): Decimal | null {
  const value = text === null ? null : parseDecimal(text)
  return value?.lt(0) ? null : value
}

/** Finds a fact as the last activity in the list that tells it does. @returns null when none tells the fact */
export function lastTold<Fact>(
  activities: readonly DepositActivity[],
  factOf: (activity: DepositActivity) => Fact | null,
): Fact | null {
  return activities.map(factOf).findLast((fact) => fact !== null) ?? null
}
