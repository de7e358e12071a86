// When a key was last used, and what is known of it only then: its digest under a newer deployment secret. Noted in memory, written in batches, because a write per request would cost more than the request.

import type { Database } from '../platform/postgres/db.ts'
import { touchApiKeys, type UsedKey } from './store.ts'

export type UsedKeys = {
  /** Whether a use of it would change nothing. */
  isNoted(id: string): boolean
  note(key: UsedKey): void
  /** Writes what was noted since the last call. */
  flush(db: Database): Promise<void>
}

const keysMax = 10_000

export function createUsedKeys(): UsedKeys {
  let noted = new Map<string, UsedKey>()
  return {
    isNoted: (id) => noted.has(id) || noted.size >= keysMax,
    note(key) {
      noted.set(key.id, key)
    },
    async flush(db) {
      if (noted.size === 0) return
      const batch = [...noted.values()]
      noted = new Map()
      await db.transaction((tx) => touchApiKeys(tx, batch))
    },
  }
}
