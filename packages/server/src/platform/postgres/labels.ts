// Finds objects by an entry of their metadata. Each entry has a row in `lookup_terms`, in the order of the pages: a
// page reads as many rows as it has items, however many objects match. `limit` in the lateral query forces the planner
// to use the index: a join could read all objects.

import { newestFirst, rowsReadMax } from './paging.ts'
import type { Query } from './query.ts'

/** Each entry is looked up: 10,000 take about 70 ms, five times as long as as many rows in table order. */
const entriesReadMax = 10_000

/**
 * Builds the selection of a list: all objects, or those with the metadata entry. `pagedBy` is the alias that pages use,
 * `order` names the result's columns in list order, and a page looks through `scannedMax` rows.
 * @param of alias of the table
 * @param metadata one entry
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
