// From statistics to what the charts draw. Drawn heights are rounded; what is written stays to the last digit.

import type { Stats, StatsInterval } from '@causeway/sdk'
import type { Column } from '../../components/chart/bar-chart.tsx'
import { sumOfDecimals } from '../../components/chart/decimal-sum.ts'
import { groupDigits } from '../../components/money.tsx'
import { volumesByCurrency } from '../../subjects/volume.ts'
import { spansOf } from './range.ts'

type Counted = Pick<Stats, 'from' | 'to' | 'interval' | 'deposits' | 'endpoints'>

export type Volume = { currency: string; total: string; count: number; columns: readonly Column[] }

/** One series a currency. */
export function volumesOf({ from, to, interval, deposits }: Counted): Volume[] {
  return volumesByCurrency(deposits).map(({ currency, total, count, rows }) => {
    const columns = spansOf(from, to, interval).map((at) => {
      const here = rows.filter((row) => row.at === at)
      const sum = sumOfDecimals(here.map(({ volume }) => volume.value))
      const label = labelOf(at, interval)
      const words = `${label}: ${groupDigits(sum)} ${currency.toUpperCase()}`
      return { at, label, words, values: { volume: Number(sum) }, texts: { volume: groupDigits(sum) } }
    })
    return { currency, total, count, columns }
  })
}

export type Attempts = { delivered: number; failed: number; columns: readonly Column[] }

/** The attempts of all endpoints, delivered and failed. */
export function attemptsOf({ from, to, interval, endpoints }: Counted): Attempts {
  const all = endpoints.flatMap(({ history }) => history)
  const columns = spansOf(from, to, interval).map((at) => {
    const here = all.filter((one) => one.at === at)
    const attempts = here.reduce((sum, one) => sum + one.attempts, 0)
    const delivered = here.reduce((sum, one) => sum + Math.round(one.attempts * (one.successRate ?? 0)), 0)
    const values = { delivered, failed: attempts - delivered }
    const label = labelOf(at, interval)
    return { at, label, words: `${label}: ${delivered} delivered, ${values.failed} failed`, values }
  })
  const sumOf = (key: 'delivered' | 'failed') => columns.reduce((sum, { values }) => sum + values[key], 0)
  return { delivered: sumOf('delivered'), failed: sumOf('failed'), columns }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Days and hours of UTC, as they are summed up. */
const labelOf = (at: string, interval: StatsInterval): string =>
  interval === 'hour' ? at.slice(11, 16) : dayFormat.format(new Date(at))
