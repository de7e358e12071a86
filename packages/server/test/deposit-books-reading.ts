// The books of a day as an accountant keeps them, and CSV as RFC 4180 defines it. Shares no code with the server.

import { dec, show } from './deposit-books-decimal.ts'
import { type Expected, pegs } from './deposit-books-story.ts'

export type Row = Record<string, unknown>
type Difference = { code: string; amount: { value: string; currency: string } }
export type Books = { paidIn: Row[]; sentOn: Row[]; differences: Map<string, Difference> }

type AmountName = 'gross' | 'developerFee' | 'exchangeFee' | 'subtotal' | 'feeAfter' | 'gas' | 'net' | 'refunded'

function sumOf(deposits: readonly Expected[], name: AmountName): bigint {
  return deposits.reduce((sum, deposit) => sum + (deposit[name]?.value ?? 0n), 0n)
}

export function booksOf(completed: readonly Expected[], refunded: readonly Expected[]): Books {
  const currencies = [...new Set([...completed, ...refunded].map(({ sourceCurrency }) => sourceCurrency))].sort()
  const coins = [...new Set(completed.map(({ destinationCurrency }) => destinationCurrency))].sort()
  return {
    paidIn: currencies.map((currency) => {
      const those = completed.filter(({ sourceCurrency }) => sourceCurrency === currency)
      const back = refunded.filter(({ sourceCurrency }) => sourceCurrency === currency)
      const paid = (name: AmountName) => sumOf(those, name)
      return {
        currency,
        count: those.length,
        grossAmount: show(paid('gross')),
        developerFee: show(paid('developerFee')),
        exchangeFee: show(paid('exchangeFee')),
        subtotalAmount: show(paid('subtotal')),
        difference: show(paid('gross') - paid('developerFee') - paid('exchangeFee') - paid('subtotal')),
        refundedCount: back.length,
        refundedAmount: show(sumOf(back, 'refunded')),
      }
    }),
    sentOn: coins.map((currency) => {
      const those = completed.filter(({ destinationCurrency }) => destinationCurrency === currency)
      return {
        currency,
        count: those.length,
        destinationExchangeFee: show(sumOf(those, 'feeAfter')),
        gasFee: show(sumOf(those, 'gas')),
        netAmount: show(sumOf(those, 'net')),
      }
    }),
    differences: new Map(
      completed.flatMap((deposit) => {
        const difference = differenceOf(deposit)
        return difference === null ? [] : [[deposit.providerDepositId, difference]]
      }),
    ),
  }
}

function differenceOf(deposit: Expected): Difference | null {
  const { sourceCurrency, destinationCurrency, gross, developerFee, exchangeFee, subtotal, feeAfter, gas, net } =
    deposit
  const amount = (value: bigint) => ({ value: show(value), currency: sourceCurrency })
  const worthOf = (one: Expected['gross']) => one?.value ?? 0n
  if ([gross, developerFee, exchangeFee, subtotal, net].includes(null)) {
    const left = worthOf(gross) - worthOf(developerFee) - worthOf(exchangeFee) - worthOf(subtotal)
    return { code: 'amount_unknown', amount: amount(left) }
  }
  if (pegs[destinationCurrency] !== sourceCurrency) return null
  const left = worthOf(subtotal) - worthOf(feeAfter) - worthOf(gas) - worthOf(net)
  const isOff = left >= dec('0.01') || -left >= dec('0.01')
  return isOff ? { code: 'net_differs', amount: amount(left) } : null
}

/** Reads a page of CSV: its first row names the columns. */
export function rowsOfCsv(csv: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
    if (end === '') break
  }
  const [names = [], ...cells] = rows
  return cells
    .filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, nth) => [name, row[nth] ?? ''])))
}
