// The report of a day: what was completed, what it comes to, and what does not add up.

import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import { decimalOf, formatDecimal } from '../platform/values/money.ts'
import { isWritable } from '../platform/values/time.ts'
import { type Difference, differenceOf, differencesMax } from './report.rules.ts'
import * as store from './report.store.ts'
import { type DepositView, depositView } from './service.ts'
import type { DepositRow } from './store.ts'

const dayMs = 86_400_000

/** Lists the deposits that were completed on a day of UTC, in the order of their completion. @throws ApiError `invalid_query` */
export async function listCompletedDeposits(
  deps: Core,
  business: Business,
  day: string,
  page: PageRequest,
): Promise<Page<DepositView & { difference: Difference | null }>> {
  const span = spanOf(day)
  const { items, next } = await deps.db.read((query) => store.listCompleted(query, business.id, span, page))
  return { items: items.map(reported), next }
}

function reported(row: DepositRow) {
  const view = depositView(row)
  return { ...view, difference: differenceOf(view) }
}

/** Adds up the deposits that were completed on a day of UTC. @throws ApiError `invalid_query` */
export async function sumCompletedDeposits(deps: Core, business: Business, day: string) {
  const span = spanOf(day)
  const { paidIn, sentOn, refunds, differing } = await deps.db.transaction(async (tx) => {
    // One snapshot: deposits that complete between two statements would be in the sums and not in the differences.
    await tx`set transaction isolation level repeatable read read only`
    return {
      ...(await store.sumCompleted(tx, business.id, span)),
      refunds: await store.sumRefunded(tx, business.id, span),
      differing: await store.listDiffering(tx, business.id, span, differencesMax),
    }
  })
  return {
    day,
    paidIn: paidInViews(paidIn, refunds),
    sentOn: sentOn.map(({ currency, count, ...sums }) => ({
      currency,
      count,
      destinationExchangeFee: canonical(sums.destinationExchangeFee),
      gasFee: canonical(sums.gasFee),
      netAmount: canonical(sums.netAmount),
    })),
    differenceCount: paidIn.reduce((count, { differing }) => count + differing, 0),
    // The store finds these by the stored code. The amount is computed here, by the same rule: each has one.
    differences: differing.flatMap((row) => {
      const { id, providerDepositId, difference } = reported(row)
      return difference ? [{ depositId: id, providerDepositId, ...difference }] : []
    }),
  }
}

/** A currency with refunds alone has a line as well: a day may have refunds and no completed deposit. */
function paidInViews(completed: readonly store.PaidInSum[], refunds: readonly store.RefundSum[]) {
  const currencies = new Set([...completed, ...refunds].map(({ currency }) => currency))
  return [...currencies].sort().map((currency) => {
    const isHere = (sum: { currency: string }) => sum.currency === currency
    return { currency, ...completedView(completed.find(isHere)), ...refundedView(refunds.find(isHere)) }
  })
}

function completedView(sums: store.PaidInSum | undefined) {
  const gross = decimalOf(sums?.grossAmount ?? '0')
  const [developerFee, exchangeFee, subtotal] = [
    decimalOf(sums?.developerFee ?? '0'),
    decimalOf(sums?.exchangeFee ?? '0'),
    decimalOf(sums?.subtotalAmount ?? '0'),
  ]
  return {
    count: sums?.count ?? 0,
    grossAmount: formatDecimal(gross),
    developerFee: formatDecimal(developerFee),
    exchangeFee: formatDecimal(exchangeFee),
    subtotalAmount: formatDecimal(subtotal),
    difference: formatDecimal(gross.minus(developerFee).minus(exchangeFee).minus(subtotal)),
  }
}

const refundedView = (sum: store.RefundSum | undefined) => ({
  refundedCount: sum?.refundedCount ?? 0,
  refundedAmount: canonical(sum?.refundedAmount ?? '0'),
})

const canonical = (sum: string): string => formatDecimal(decimalOf(sum))

function spanOf(day: string): store.Span {
  const from = new Date(`${day}T00:00:00.000Z`)
  const to = new Date(from.getTime() + dayMs)
  if (isWritable(from) && isWritable(to)) return { from, to }
  const message = 'day must be a day from the year 1 to 9999.'
  throw fail('invalid_query', { message, details: [{ param: 'day', code: 'invalid_value', message }] })
}
