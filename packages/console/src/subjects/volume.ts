// The one definition of volume, for every page that shows it: deposits that have arrived and were not returned.

import type { DepositStats } from '@causeway/sdk'
import { sumOfDecimals } from '../components/chart/decimal-sum.ts'

/** A microdeposit is not converted, so it is no payment. */
const counted: ReadonlySet<string> = new Set(['received', 'in_review', 'payout_submitted', 'completed'])

export const volumeLeavesOut = 'Failed and refunded deposits and microdeposits are excluded.'
export const volumeMeans = `Deposits received. ${volumeLeavesOut}`

export type CurrencyVolume = { currency: string; total: string; count: number; rows: readonly DepositStats[] }

/** Sums deposits by currency, the currency with the most deposits first: amounts of two currencies have no common measure. */
export function volumesByCurrency(deposits: readonly DepositStats[]): CurrencyVolume[] {
  const byCurrency = Map.groupBy(
    deposits.filter(({ status }) => counted.has(status)),
    ({ currency }) => currency,
  )
  return [...byCurrency]
    .map(([currency, rows]) => ({
      currency,
      total: sumOfDecimals(rows.map(({ volume }) => volume.value)),
      count: rows.reduce((sum, { count }) => sum + count, 0),
      rows,
    }))
    .sort((one, other) => other.count - one.count)
}
