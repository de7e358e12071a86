// Fiat currencies with their rails, stablecoins with their chains, and the fixed rates between them.

import { type Decimal, divide, formatDecimal, multiply, parseDecimal } from '../../platform/decimal.ts'
import type { EndorsementName } from '../customers/rows.ts'

export const rails = ['ach_push', 'wire', 'fednow', 'sepa', 'spei', 'pix', 'faster_payments', 'bre_b'] as const
export type Rail = (typeof rails)[number]

export const fiatCurrencies = ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const
export type Fiat = (typeof fiatCurrencies)[number]

type FiatTerms = {
  /** The first rail is the default of a deposit. */
  rails: readonly [Rail, ...Rail[]]
  endorsement: EndorsementName
  /** A deposit below the minimum is a microdeposit. */
  minimum: string
  /** Digits after the point of an amount (ISO 4217). */
  minorDigits: number
}

export const fiatTerms: Record<Fiat, FiatTerms> = {
  usd: { rails: ['ach_push', 'wire', 'fednow'], endorsement: 'base', minimum: '1', minorDigits: 2 },
  eur: { rails: ['sepa'], endorsement: 'sepa', minimum: '1', minorDigits: 2 },
  mxn: { rails: ['spei'], endorsement: 'spei', minimum: '50', minorDigits: 2 },
  brl: { rails: ['pix'], endorsement: 'pix', minimum: '10', minorDigits: 2 },
  gbp: { rails: ['faster_payments'], endorsement: 'faster_payments', minimum: '3', minorDigits: 2 },
  cop: { rails: ['bre_b'], endorsement: 'cop', minimum: '100', minorDigits: 2 },
}

export const chains = [
  'arbitrum',
  'avalanche_c_chain',
  'base',
  'celo',
  'ethereum',
  'linea',
  'optimism',
  'polygon',
  'solana',
  'stellar',
  'tempo',
  'tron',
  'xdc',
] as const
export type Chain = (typeof chains)[number]

/** The chains of each stablecoin. The provider publishes no such list: this one is an assumption of the emulator. */
const chainsOf = {
  usdc: chains.filter((chain) => chain !== 'tron'),
  usdt: ['arbitrum', 'avalanche_c_chain', 'celo', 'ethereum', 'optimism', 'polygon', 'solana', 'tempo', 'tron'],
  usdb: chains.filter((chain) => chain !== 'tron'),
  eurc: ['avalanche_c_chain', 'base', 'ethereum', 'solana', 'stellar'],
  pyusd: ['arbitrum', 'ethereum', 'solana', 'stellar'],
  usdl_linea: ['linea'],
} satisfies Record<string, readonly Chain[]>

export type Stablecoin = keyof typeof chainsOf

export const stablecoins = Object.keys(chainsOf) as Stablecoin[]

export const isOnChain = (coin: Stablecoin, chain: string): boolean => chainsOf[coin].some((known) => known === chain)

/** Chains whose addresses take a memo. */
export const memoChains: readonly string[] = ['stellar', 'tempo', 'tron']

/** The cost of sending one payment, in the stablecoin that is sent. */
export const gasFees: Partial<Record<Chain, string>> = { ethereum: '0.35', tron: '0.9' }

const dollars: Record<string, string> = {
  usd: '1',
  usdc: '1',
  usdt: '1',
  usdb: '1',
  usdl_linea: '1',
  pyusd: '1',
  eur: '1.085',
  eurc: '1.085',
  gbp: '1.27',
  mxn: '0.0545',
  brl: '0.184',
  cop: '0.00024',
}

/** Returns the midmarket price of one unit of `from` in `to`, or undefined when a currency has no price. */
export const rateBetween = (from: string, to: string): Decimal | undefined => {
  const [price, unit] = [dollars[from], dollars[to]]
  return price === undefined || unit === undefined ? undefined : divide(parseDecimal(price), parseDecimal(unit))
}

const spread = { buy: parseDecimal('1.005'), sell: parseDecimal('0.995') }

export const renderExchangeRate = (midmarket: Decimal) => ({
  midmarket_rate: formatDecimal(midmarket),
  buy_rate: formatDecimal(multiply(midmarket, spread.buy)),
  sell_rate: formatDecimal(multiply(midmarket, spread.sell)),
})
