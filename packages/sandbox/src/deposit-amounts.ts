// The arithmetic of a deposit: subtotal = initial - developer fee - exchange fee, final = subtotal - gas fee. All
// amounts of a receipt are in the destination's coin, the initial one being the deposit at the exchange rate.
import { type Fiat, gasFees, rateBetween, type Stablecoin } from './currencies.ts'
import { type Decimal, formatDecimal, multiply, parseDecimal, percentOf, smaller } from './decimal.ts'

export type Receipt = {
  initial_amount: string
  developer_fee: string
  exchange_fee: string
  subtotal_amount: string
  gas_fee: string
  final_amount: string
  exchange_rate: string
}

/** Charged where the deposit and the coin are worth different things, e.g. mxn to usdc, but not eur to eurc. */
const exchangeFeeRate = parseDecimal('0.005')

export const receiptOf = (deposit: {
  amount: string
  currency: Fiat
  coin: Stablecoin
  chain: string
  developerFeePercent: string
}): Receipt => {
  const rate = rateBetween(deposit.currency, deposit.coin) ?? parseDecimal('1')
  const initial = multiply(parseDecimal(deposit.amount), rate)
  const developerFee = percentOf(initial, parseDecimal(deposit.developerFeePercent))
  const remainder = initial - developerFee
  const exchangeFee = rate === parseDecimal('1') ? 0n : smaller(multiply(initial, exchangeFeeRate), remainder)
  const subtotal = remainder - exchangeFee
  const gasFee = smaller(gasFeeOn(deposit.chain), subtotal)
  return {
    initial_amount: formatDecimal(initial),
    developer_fee: formatDecimal(developerFee),
    exchange_fee: formatDecimal(exchangeFee),
    subtotal_amount: formatDecimal(subtotal),
    gas_fee: formatDecimal(gasFee),
    final_amount: formatDecimal(subtotal - gasFee),
    exchange_rate: formatDecimal(rate),
  }
}

const gasFeeOn = (chain: string): Decimal => {
  const fee = Object.entries(gasFees).find(([name]) => name === chain)?.[1]
  return fee === undefined ? 0n : parseDecimal(fee)
}
