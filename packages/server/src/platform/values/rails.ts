// Supported routes of money: fiat currencies with their deposit rails and endorsements, blockchains with their tokens
// and address form. A table in code; an operator may add to it (`extendRails`).

import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'

/** A new fiat currency needs code as well as a row: its bank details have their own shape. */
export const fiatCurrencies = ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const
export type FiatCurrency = (typeof fiatCurrencies)[number]

const addressFamilies = ['evm', 'solana', 'stellar', 'tron', 'xdc'] as const
export type AddressFamily = (typeof addressFamilies)[number]

const closed = { additionalProperties: false }
const names = Type.Array(Type.String())
const fiatRow = Type.Object({
  /** Bank rails a payer may use. */
  depositRails: names,
  /** The smallest amount that is converted: less is a microdeposit. */
  minimumAmount: Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,2})?$' }),
  /** Provider endorsements: one of them, approved, opens the currency. The first is the one to request. */
  endorsements: names,
})
const chainRow = Type.Object({
  addressFamily: Type.Enum(addressFamilies),
  /** Whether a payment may carry a memo in addition to the address. */
  memo: Type.Boolean(),
  /** Tokens that can be delivered on this chain. */
  currencies: names,
})
/** A new chain must name its `addressFamily`. */
const railExtension = Type.Object(
  {
    fiat: Type.Optional(Type.Partial(Type.Record(Type.Enum(fiatCurrencies), Type.Partial(fiatRow, closed)), closed)),
    chains: Type.Optional(Type.Record(Type.String(), Type.Partial(chainRow, closed))),
  },
  closed,
)

export type FiatRow = Static<typeof fiatRow>
export type ChainRow = Static<typeof chainRow>
export type RailExtension = Static<typeof railExtension>

export type RailTable = {
  fiat: Readonly<Record<FiatCurrency, FiatRow>>
  chains: Readonly<Record<string, ChainRow>>
}

const namePattern = /^[a-z][a-z0-9_]{0,31}$/

/** Returns a new table with the additions; nothing is removed. @throws RangeError for an unusable row */
export function extendRails(table: RailTable, extra: RailExtension): RailTable {
  const fiat = { ...table.fiat }
  for (const currency of fiatCurrencies) {
    const added = extra.fiat?.[currency]
    fiat[currency] = {
      depositRails: joinNames(fiat[currency].depositRails, added?.depositRails),
      minimumAmount: added?.minimumAmount ?? fiat[currency].minimumAmount,
      endorsements: joinNames(fiat[currency].endorsements, added?.endorsements),
    }
  }
  const chains = { ...table.chains }
  for (const [name, added] of Object.entries(extra.chains ?? {})) {
    const current = chainOf(table, name)
    const addressFamily = current?.addressFamily ?? added.addressFamily
    if (addressFamily === undefined) throw new RangeError(`the new payment rail ${name} needs an addressFamily`)
    chains[checkedName(name)] = {
      addressFamily,
      memo: added.memo ?? current?.memo ?? false,
      currencies: joinNames(current?.currencies ?? [], added.currencies),
    }
  }
  return { fiat, chains }
}

export function isFiatCurrency(text: string): text is FiatCurrency {
  return fiatCurrencies.some((currency) => currency === text)
}

/** Finds the row of a blockchain by its `destination.payment_rail`. */
export function chainOf(table: RailTable, paymentRail: string): ChainRow | null {
  // Own rows only: a caller may send `constructor`.
  return Object.hasOwn(table.chains, paymentRail) ? (table.chains[paymentRail] ?? null) : null
}

export type PairFault = {
  param: 'source.currency' | 'destination.payment_rail' | 'destination.currency'
  code: 'unsupported_currency' | 'unsupported_payment_rail'
  message: string
  allowed: string[]
}

/** Checks a currency, rail and token. If the pair is not possible, returns every word to change, and to what. */
export function checkPair(
  table: RailTable,
  pair: { sourceCurrency: string; paymentRail: string; currency: string },
):
  | { ok: true; sourceCurrency: FiatCurrency; fiat: FiatRow; chain: ChainRow }
  | { ok: false; faults: [PairFault, ...PairFault[]] } {
  const source = checkSource(pair.sourceCurrency)
  const target = checkTarget(table, pair)
  if (!source.ok) return { ok: false, faults: 'code' in target ? [...source.faults, target] : source.faults }
  if ('code' in target) return { ok: false, faults: [target] }
  const { sourceCurrency } = source
  return { ok: true, sourceCurrency, fiat: table.fiat[sourceCurrency], chain: target }
}

/** Returns whether money of this currency can be deposited, whatever the destination. */
export function checkSource(
  sourceCurrency: string,
): { ok: true; sourceCurrency: FiatCurrency } | { ok: false; faults: [PairFault] } {
  if (isFiatCurrency(sourceCurrency)) return { ok: true, sourceCurrency }
  return { ok: false, faults: [refuse('source.currency', 'unsupported_currency', [...fiatCurrencies])] }
}

function checkTarget(table: RailTable, pair: { paymentRail: string; currency: string }): ChainRow | PairFault {
  const { paymentRail, currency } = pair
  const chain = chainOf(table, paymentRail)
  const carriers = Object.keys(table.chains).filter((name) => chainOf(table, name)?.currencies.includes(currency))
  if (carriers.length === 0) {
    const tokens = chain === null ? Object.values(table.chains).flatMap((row) => row.currencies) : chain.currencies
    return refuse('destination.currency', 'unsupported_currency', [...new Set(tokens)])
  }
  if (chain === null) return refuse('destination.payment_rail', 'unsupported_payment_rail', carriers)
  if (!chain.currencies.includes(currency)) {
    return refuse('destination.payment_rail', 'unsupported_payment_rail', carriers, ' for this destination.currency')
  }
  return chain
}

function refuse(param: PairFault['param'], code: PairFault['code'], allowed: string[], condition = ''): PairFault {
  const message = `${param} must be one of ${allowed.join(', ')} (lower case)${condition}.`
  return { param, code, message, allowed }
}

function joinNames(current: readonly string[], added: readonly string[] = []): string[] {
  return [...new Set([...current, ...added.map(checkedName)])]
}

function checkedName(name: string): string {
  if (!namePattern.test(name)) throw new RangeError('names of rails and currencies are lower case, digits and _')
  return name
}

/**
 * Reads an operator's additions from the configuration: JSON of the shape of `RailExtension`.
 * @throws RangeError for another shape, SyntaxError for text that is not JSON
 */
export function readRailExtension(text: string): RailExtension {
  const extension: unknown = JSON.parse(text)
  const check = new Ajv().compile<RailExtension>(railExtension)
  if (check(extension)) return extension
  const [error] = check.errors ?? []
  const unknown = error?.params['additionalProperty']
  throw new RangeError(`${error?.instancePath}${unknown ? `/${unknown} is unknown` : ` ${error?.message}`}`)
}
