// The deposits that were completed in a span of time, by the provider's clock, in the order of their completion; and their sums.

import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query } from '../platform/postgres/query.ts'
import { type DepositRow, joined } from './store.ts'

/** From its beginning up to, not including, its end. */
export type Span = { from: Date; to: Date }

export async function listCompleted(
  query: Query,
  businessId: string,
  { from, to }: Span,
  page: PageRequest,
): Promise<Page<DepositRow>> {
  const rows = await query<(DepositRow & { completedAt: Date })[]>`
    ${joined(query)}
    where d.business_id = ${businessId} and d.completed_at >= ${from} and d.completed_at < ${to}
      and ${page.after ? query`(d.completed_at, d.id) > (${page.after.at}, ${page.after.id})` : query`true`}
    order by d.completed_at, d.id limit ${page.limit + 1}`
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  return { items, next: rows.length > page.limit && last ? { at: last.completedAt, id: last.id } : null }
}

export async function listDiffering(
  query: Query,
  businessId: string,
  { from, to }: Span,
  limit: number,
): Promise<DepositRow[]> {
  return await query<DepositRow[]>`
    ${joined(query)}
    where d.business_id = ${businessId} and d.completed_at >= ${from} and d.completed_at < ${to} and d.difference is not null
    order by d.completed_at, d.id limit ${limit}`
}

type SumsOf<Amounts extends string> = { currency: string; count: number } & Record<Amounts, string>
/** By the currency paid in. `differing`: how many deposits do not add up. Amounts that are not known count as 0. */
export type PaidInSum = SumsOf<'grossAmount' | 'developerFee' | 'exchangeFee' | 'subtotalAmount'> & {
  differing: number
}
/** By the coin sent on. */
export type SentOnSum = SumsOf<'destinationExchangeFee' | 'gasFee' | 'netAmount'>

export type RefundSum = { currency: string; refundedCount: number; refundedAmount: string }

/** Reads each deposit of the span once, for both groupings. */
export async function sumCompleted(
  query: Query,
  businessId: string,
  { from, to }: Span,
): Promise<{ paidIn: PaidInSum[]; sentOn: SentOnSum[] }> {
  const sums = await query<(PaidInSum & SentOnSum & { isPaidIn: boolean })[]>`
    select coalesce(source_currency, destination_currency) as currency, grouping(source_currency) = 0 as is_paid_in,
      count(*)::int as count, count(difference)::int as differing,
      coalesce(sum(gross_amount), 0)::text as gross_amount, coalesce(sum(developer_fee), 0)::text as developer_fee,
      coalesce(sum(exchange_fee), 0)::text as exchange_fee, coalesce(sum(subtotal_amount), 0)::text as subtotal_amount,
      coalesce(sum(destination_exchange_fee), 0)::text as destination_exchange_fee,
      coalesce(sum(gas_fee), 0)::text as gas_fee, coalesce(sum(net_amount), 0)::text as net_amount
    from deposits
    where business_id = ${businessId} and completed_at >= ${from} and completed_at < ${to}
    group by grouping sets ((source_currency), (destination_currency))
    order by currency`
  return { paidIn: sums.filter(({ isPaidIn }) => isPaidIn), sentOn: sums.filter(({ isPaidIn }) => !isPaidIn) }
}

/**
 * Adds up the refunds of the span by the currency paid in. A refund counts on its own day: most refunded deposits are never
 * completed, and the sums of a day that was closed before the refund stay as they were.
 */
export async function sumRefunded(query: Query, businessId: string, { from, to }: Span): Promise<RefundSum[]> {
  return await query<RefundSum[]>`
    select source_currency as currency, count(*)::int as refunded_count,
      coalesce(sum(refunded_amount), 0)::text as refunded_amount
    from deposits
    where business_id = ${businessId} and refunded_at >= ${from} and refunded_at < ${to}
    group by source_currency`
}
