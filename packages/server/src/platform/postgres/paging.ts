// Keyset pages: newest first, `(created_at, id)` as the key. A list never reads past `limit + 1` rows.

import type { Query } from './query.ts'

export type PageRequest = { limit: number; after: PageKey | null }
export type PageKey = { createdAt: Date; id: string }
export type Page<T> = { items: T[]; next: PageKey | null }

/** The time filter that lists share; both ends are exclusive. */
export type TimeRange = { createdAfter?: Date; createdBefore?: Date }

/** The last clauses of a list: the time filter, what lies behind the page's key, the order, the limit. @param of the table's alias */
export function pageOf(query: Query, of: string, page: PageRequest, range: TimeRange = {}) {
  const [createdAt, id] = [query.names(`${of}.created_at`), query.names(`${of}.id`)]
  return query`
    and ${range.createdAfter ? query`${createdAt} > ${range.createdAfter}` : query`true`}
    and ${range.createdBefore ? query`${createdAt} < ${range.createdBefore}` : query`true`}
    and ${page.after ? query`(${createdAt}, ${id}) < (${page.after.createdAt}, ${page.after.id})` : query`true`}
    order by ${createdAt} desc, ${id} desc limit ${page.limit + 1}`
}

/** @param rows up to `limit + 1` rows in list order */
export function toPage<T extends { createdAt: Date; id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null }
}
