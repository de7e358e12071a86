// Finding objects by a label of their metadata. Each label has an entry in `lookup_terms`, in the order of the pages: a page
// reads as many entries as it has items, however many objects have the label. The join names no time, so no plan can walk
// through all objects beside the entries.

import type { Query } from './query.ts'

/**
 * Makes the clause that joins to `of` only what has the label, and names the alias by which pages are then made.
 * @param of alias of the table
 * @param metadata one label; without it nothing is joined
 */
export function withLabel(
  query: Query,
  table: 'end_users' | 'virtual_accounts',
  of: string,
  businessId: string,
  metadata: Readonly<Record<string, string>> | undefined,
) {
  const [label] = Object.entries(metadata ?? {})
  if (!label) return { joined: query``, pagedBy: of }
  const [key, value] = label
  const joined = query`
    join lookup_terms l on l.business_id = ${businessId} and l.term = lookup_term(${table}, ${key}, ${value})
      and l.id = ${query.names(`${of}.id`)} and ${query.names(`${of}.metadata`)} @> ${query.json(metadata)}`
  return { joined, pagedBy: 'l' }
}
