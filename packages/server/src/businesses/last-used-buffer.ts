// When API keys were last used: kept in memory and written in batches, because a write for each request would cost more than
// the request.

import type { Database } from '../platform/postgres/database.ts'
import { type ApiKeyId, touchApiKeys } from './store.ts'

const keysMax = 10_000

export class LastUsedBuffer {
  readonly #used = new Map<string, ApiKeyId>()

  add(key: ApiKeyId): void {
    if (this.#used.size < keysMax) this.#used.set(key.id, key)
  }

  /** Writes the keys used since the last flush. Keys whose batch was not written are written by the next flush. */
  async flush(db: Database): Promise<void> {
    const batch = [...this.#used.values()]
    if (batch.length === 0) return
    await db.transaction((tx) => touchApiKeys(tx, batch))
    for (const { id } of batch) this.#used.delete(id)
  }
}
