// Statistics of a business: counts by status and over time.

import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { readNowMs } from '../platform/postgres/query.ts'
import { decimalOf, formatDecimal } from '../platform/values/money.ts'
import { isoTime, isWritable } from '../platform/values/time.ts'
import * as store from './store.ts'

const spanMs = { hour: 3_600_000, day: 86_400_000 } as const
const spansDefault = { hour: 24, day: 30 } as const
export const spansMax = 400
export const backlogMax = 10_000

export type StatsQuery = { from?: string; to?: string; interval?: store.Span }

/**
 * Counts what a business has and did.
 * @returns sums of whole hours or days, UTC
 * @throws ApiError `invalid_query` for a range that ends before it starts, or has more than `spansMax` hours or days
 */
export async function readStats(deps: Core, business: Pick<Business, 'id'>, asked: StatsQuery) {
  const range = rangeOf(asked, await deps.db.read(readNowMs))
  const { endUsers, accounts, deposits, attempts, backlogs } = await deps.db.read(async (query) => ({
    endUsers: await store.countByState(query, business.id, 'end_user'),
    accounts: await store.countByState(query, business.id, 'virtual_account'),
    deposits: await store.countDeposits(query, business.id, range),
    attempts: await store.countAttempts(query, business.id, range),
    backlogs: await store.countBacklogs(query, business.id, backlogMax),
  }))
  return {
    from: isoTime(range.from),
    to: isoTime(range.to),
    interval: range.span,
    endUsers: byState(endUsers),
    virtualAccounts: byState(accounts),
    deposits: deposits.map(({ beginsAt, volume, ...deposit }) => ({
      at: isoTime(beginsAt),
      ...deposit,
      volume: { value: formatDecimal(decimalOf(volume)), currency: deposit.currency },
    })),
    endpoints: backlogs.map(({ endpointId, backlog }) => {
      const own = attempts.filter((row) => row.endpointId === endpointId)
      const all = own.find(({ beginsAt }) => beginsAt === null)
      return {
        webhookEndpointId: endpointId,
        backlog,
        ...(all ? deliveryStats(all) : { attempts: 0, successRate: null, p50Ms: null, p95Ms: null }),
        history: own.flatMap((row) => (row.beginsAt ? [{ at: isoTime(row.beginsAt), ...deliveryStats(row) }] : [])),
      }
    }),
  }
}

function deliveryStats({ attempts, successRate, p50Ms, p95Ms }: store.AttemptCount) {
  return { attempts, successRate, p50Ms, p95Ms }
}

function byState(rows: readonly { state: string; count: number }[]) {
  const present = rows.filter(({ count }) => count > 0).sort((a, b) => (a.state < b.state ? -1 : 1))
  return {
    total: present.reduce((sum, { count }) => sum + count, 0),
    byStatus: Object.fromEntries(present.map(({ state, count }) => [state, count])),
  }
}

/** A sum has as many decimals as the longest of its amounts. */

/** Reads the range, widened to whole hours or days. */
function rangeOf({ from, to, interval: span = 'day' }: StatsQuery, nowMs: number): store.Range {
  const ms = spanMs[span]
  const toMs = Math.ceil(timeOf('to', to ?? isoTime(nowMs)) / ms) * ms
  const fromMs = Math.floor((from === undefined ? toMs - spansDefault[span] * ms : timeOf('from', from)) / ms) * ms
  const spans = (toMs - fromMs) / ms
  if (spans <= 0) throw refuse('from', 'from must be before to.')
  if (spans > spansMax) throw refuse('from', `from must be at most ${spansMax} of the interval before to.`)
  return { span, from: new Date(fromMs), to: new Date(toMs) }
}

function timeOf(param: 'from' | 'to', text: string): number {
  const time = new Date(text)
  if (!isWritable(time)) throw refuse(param, `${param} must be a time from the year 1 to 9999, without a leap second.`)
  return time.getTime()
}

function refuse(param: 'from' | 'to', message: string) {
  return fail('invalid_query', { message, details: [{ param, code: 'invalid_value', message }] })
}
