// Keyset pages: newest first, `(created_at, id)` as the key. A list never reads past `limit + 1` rows.

export type PageRequest = { limit: number; after: PageKey | null }
export type PageKey = { createdAt: Date; id: string }
export type Page<T> = { items: T[]; next: PageKey | null }

/** @param rows up to `limit + 1` rows in list order */
export function toPage<T extends { createdAt: Date; id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? { createdAt: last.createdAt, id: last.id } : null }
}
