// What can be paid in and where it can be sent: fiat currencies with their deposit rails and endorsements,
// blockchains with their tokens and address form. A table in code; an operator may add to it (`extendRails`).

/** A further fiat currency needs code as well as a row: its bank details have a shape of their own. */
export const fiatCurrencies = ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const
export type FiatCurrency = (typeof fiatCurrencies)[number]

export type AddressFamily = 'evm' | 'solana' | 'stellar' | 'tron' | 'xdc'

export type FiatRow = {
  /** Bank rails a payer may use. */
  depositRails: readonly string[]
  /** Provider endorsements of which one, approved, opens the currency. The first is the one to request. */
  endorsements: readonly string[]
}

export type ChainRow = {
  addressFamily: AddressFamily
  /** Whether a payment may carry a memo beside the address. */
  memo: boolean
  /** Tokens that can be delivered there. */
  currencies: readonly string[]
}

export type RailTable = {
  fiat: Readonly<Record<FiatCurrency, FiatRow>>
  chains: Readonly<Record<string, ChainRow>>
}
