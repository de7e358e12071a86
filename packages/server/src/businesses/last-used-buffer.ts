// When keys were last used, with their digests under a newer deployment secret. Kept in memory and written in batches: a write a
// request would cost more than the request.

import type { Database } from '../platform/postgres/db.ts'
import { touchApiKeys, type UsedKey } from './store.ts'

export type LastUsedBuffer = {
  /** Whether adding the key would change nothing, or the buffer is full. */
  has(id: string): boolean
  add(key: UsedKey): void
  /** Writes what was added since the last call. */
  flush(db: Database): Promise<void>
}

const keysMax = 10_000

export function createLastUsedBuffer(): LastUsedBuffer {
  let used = new Map<string, UsedKey>()
  return {
    has: (id) => used.has(id) || used.size >= keysMax,
    add: (key) => void used.set(key.id, key),
    async flush(db) {
      if (used.size === 0) return
      const batch = [...used.values()]
      used = new Map()
      await db.transaction((tx) => touchApiKeys(tx, batch))
    },
  }
}
