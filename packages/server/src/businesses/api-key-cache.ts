// Caches the holder of an API key for a second: without the cache every request would begin with a database query. The
// end of a key clears the cache at once in this process, by a notification on other replicas, and after a second if the
// notification is lost.

import { LRUCache } from 'lru-cache'
import type { KeyHolder } from './store.ts'

/**
 * Half of the two seconds within which the end of a key must take effect everywhere; the rest is for the response in
 * progress.
 */
const trustMs = 1_000
const keysMax = 10_000

export class ApiKeyCache {
  // Indexed by the key itself, which is dropped with its entry after a second. The time of a look-up reveals nothing
  // about other keys: only keys with the same hash are compared, and the hash has a seed of this process.
  readonly #holders = new LRUCache<string, Promise<KeyHolder | undefined>>({
    max: keysMax,
    ttl: trustMs,
    ttlAutopurge: true,
    ttlResolution: 0,
  })

  /**
   * Finds the holder of a key. @param read queries the database. An unknown key is not cached: it may be issued in the
   * next moment
   */
  holderOf(key: string, read: () => Promise<KeyHolder | undefined>): Promise<KeyHolder | undefined> {
    const kept = this.#holders.get(key)
    if (kept) return kept
    // Concurrent requests wait for one query. The second counts from the start of the query.
    const holder = read()
    this.#holders.set(key, holder)
    const drop = () => void (this.#holders.peek(key) === holder && this.#holders.delete(key))
    holder.then((row) => row || drop(), drop)
    return holder
  }

  /** Clears the cache, because a key or its business has changed. */
  forget(): void {
    this.#holders.clear()
  }
}
