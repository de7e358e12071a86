// How far back the charts of the first page look.

import type { StatsInterval } from '@causeway/sdk'

export const ranges = {
  day: { words: '24 hours', interval: 'hour', spans: 24 },
  week: { words: '7 days', interval: 'day', spans: 7 },
  month: { words: '30 days', interval: 'day', spans: 30 },
  quarter: { words: '90 days', interval: 'day', spans: 90 },
} as const satisfies Record<string, { words: string; interval: StatsInterval; spans: number }>

export type Range = keyof typeof ranges
export const rangeDefault: Range = 'month'

const isRange = (value: unknown): value is Range => typeof value === 'string' && Object.hasOwn(ranges, value)

/** @returns undefined for what is no range, and for the default, which needs no place in the address */
export const rangeOf = (value: unknown): Range | undefined =>
  isRange(value) && value !== rangeDefault ? value : undefined

const spanMs = { hour: 3_600_000, day: 86_400_000 } as const

/** The hours or days of a range, UTC, the oldest first; the last one is not over yet. */
export function spansOf(from: string, to: string, interval: StatsInterval): string[] {
  const ms = spanMs[interval]
  const [first, end] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((end - first) / ms) }, (_, at) => new Date(first + at * ms).toISOString())
}

/** When a range began, in whole hours or days: the same query for everybody who asks within one. */
export function beginningOf(range: Range, nowMs: number): string {
  const { interval, spans } = ranges[range]
  const ms = spanMs[interval]
  return new Date(Math.ceil(nowMs / ms) * ms - spans * ms).toISOString()
}
