// Finding objects by a label of their metadata. Each label has an entry in `lookup_terms`, in the order of the pages: a page
// reads as many entries as it has items, however many objects have the label. `limit` in the lateral query leaves the planner
// nothing but the index: a join it may make by reading all objects.

import { newestFirst, rowsReadMax } from './paging.ts'
import type { Query } from './query.ts'

/** Each entry is looked up: 10,000 take some 70 ms, five times as long as so many rows in the order of a table. */
const entriesReadMax = 10_000

/**
 * Makes what a list selects: all objects, or those that have the label. `pagedBy` is the alias by which pages are made, `order`
 * names the columns of the result that have their order, and a page looks through `scannedMax` rows.
 * @param of alias of the table
 * @param metadata one label
 */
export function withLabel(
  query: Query,
  table: 'end_users' | 'virtual_accounts',
  of: string,
  businessId: string,
  metadata: Readonly<Record<string, string>> | undefined,
) {
  const [objects, alias] = [query.names(table), query.names(of)]
  const [label] = Object.entries(metadata ?? {})
  if (!label) {
    const selected = query`${alias}.* from ${objects} ${alias}`
    return { selected, pagedBy: of, order: newestFirst(query), scannedMax: rowsReadMax }
  }
  const [key, value] = label
  const selected = query`
    ${alias}.*, l.created_at as listed_at, l.id as listed_id
    from (
      select created_at, id from lookup_terms where business_id = ${businessId} and term = lookup_term(${table}, ${key}, ${value})
    ) l cross join lateral (
      select * from ${objects} where business_id = ${businessId} and id = l.id and metadata @> ${query.json(metadata)} limit 1
    ) ${alias}`
  return { selected, pagedBy: 'l', order: query`listed_at desc, listed_id desc`, scannedMax: entriesReadMax }
}
