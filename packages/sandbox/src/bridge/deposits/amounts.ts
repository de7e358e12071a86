// The arithmetic of a deposit. Amount and fees are in the paid-in fiat. The gas fee and the final amount are in the fiat
// to which the destination's stablecoin is pegged: subtotal = initial - developer fee - exchange fee, final = subtotal *
// rate - gas fee. In the newer form of a receipt the subtotal is what is left of the converted amount: final = subtotal -
// gas fee.

import { type Decimal, formatDecimal, multiply, parseDecimal, percentOf, smaller } from '../../platform/decimal.ts'
import {
  type Fiat,
  fiatTerms,
  gasFees,
  type Rail,
  rateBetween,
  type Stablecoin,
} from '../virtual-accounts/currencies.ts'
import { type Fees, feeOf } from '../virtual-accounts/fee-config.ts'
import type { DepositAmounts, ReceiptForm } from './rows.ts'

const one = parseDecimal('1')

/** Charged where fiat and stablecoin have different values, such as mxn to usdc, but not eur to eurc. */
const exchangeFeePercent = parseDecimal('0.5')

/** SEPA deposits have a worse exchange rate in place of a fee. */
const sepaSpread = parseDecimal('0.995')

type Order = {
  amount: string
  currency: Fiat
  rail: Rail
  coin: Stablecoin | 'usd'
  chain: string
  developerFeePercent: string
  /** By default the older one. */
  form?: ReceiptForm
  /** Takes the place of the percentage. */
  fees?: Fees | undefined
}

export const amountsOf = ({ form = 'older', ...order }: Order): DepositAmounts => {
  const { amount, currency, rail, coin, chain, developerFeePercent, fees } = order
  const midmarket = rateBetween(currency, coin) ?? one
  const isExchanged = midmarket !== one
  const isSepa = rail === 'sepa'
  const { minorDigits } = fiatTerms[currency]
  const initial = parseDecimal(amount)
  const developerFee = feeOf(initial, fees ?? { fee_percent: developerFeePercent }, minorDigits)
  const exchangeFee = isExchanged && !isSepa ? percentOf(initial, exchangeFeePercent, minorDigits) : 0n
  const rate = isExchanged && isSepa ? multiply(midmarket, sepaSpread) : midmarket
  const charges = { initial, developerFee, exchangeFee, rate, gasFee: gasFeeOn(chain) }
  const settled = form === 'newer_fee_after' ? subtractChargesAfter(charges) : subtractCharges(charges)
  const price = rateBetween(coin, 'usd') ?? one
  const fiatInDollars = (value: Decimal) => formatDecimal(multiply(multiply(value, rate), price))
  return {
    form,
    receipt: {
      initial_amount: formatDecimal(initial),
      developer_fee: formatDecimal(developerFee),
      exchange_fee: formatDecimal(settled.exchangeFee),
      ...(form === 'older'
        ? { subtotal_amount: formatDecimal(settled.subtotal) }
        : {
            pre_conversion_subtotal_amount: formatDecimal(settled.subtotal),
            converted_amount: formatDecimal(settled.converted),
            mid_market_rate: formatDecimal(midmarket),
            subtotal_amount: formatDecimal(settled.final + settled.gasFee),
          }),
      gas_fee: formatDecimal(settled.gasFee),
      final_amount: formatDecimal(settled.final),
      ...(isSepa ? { exchange_rate: formatDecimal(rate) } : {}),
    },
    exchangeRate: formatDecimal(rate),
    payment: {
      developer_fee_amount: fiatInDollars(developerFee),
      exchange_fee_amount:
        form === 'newer_fee_after'
          ? formatDecimal(multiply(settled.exchangeFee, price))
          : fiatInDollars(settled.exchangeFee),
      subtotal_amount: formatDecimal(multiply(settled.final + settled.gasFee, price)),
      gas_fee: formatDecimal(multiply(settled.gasFee, price)),
    },
    arrivedInDollars: fiatInDollars(initial),
  }
}

type Charges = { initial: Decimal; developerFee: Decimal; exchangeFee: Decimal; rate: Decimal; gasFee: Decimal }

/** Subtracts the charges in their order, each limited to the remaining amount. */
export const subtractCharges = ({ initial, developerFee, exchangeFee, rate, gasFee }: Charges) => {
  const remainder = initial - developerFee
  const exchange = smaller(exchangeFee, remainder)
  const subtotal = remainder - exchange
  const converted = multiply(subtotal, rate)
  const gas = smaller(gasFee, converted)
  return { exchangeFee: exchange, subtotal, converted, gasFee: gas, final: converted - gas }
}

/** The same, with the exchange fee taken from the converted amount, in the coin's peg. */
const subtractChargesAfter = ({ initial, developerFee, exchangeFee, rate, gasFee }: Charges) => {
  const subtotal = initial - developerFee
  const converted = multiply(subtotal, rate)
  const exchange = smaller(exchangeFee === 0n ? 0n : percentOf(converted, exchangeFeePercent, 2), converted)
  const gas = smaller(gasFee, converted - exchange)
  return { exchangeFee: exchange, subtotal, converted, gasFee: gas, final: converted - exchange - gas }
}

const gasFeeOn = (chain: string): Decimal => {
  const fee = Object.entries(gasFees).find(([name]) => name === chain)?.[1]
  return fee === undefined ? 0n : parseDecimal(fee)
}
