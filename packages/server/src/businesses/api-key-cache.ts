// Who holds an API key, kept for a second: without it every request would begin with a statement to the database. The end of a
// key empties the cache at once here, by a notification on the other replicas, and where that is lost after the second.

import { LRUCache } from 'lru-cache'
import type { KeyHolder } from './store.ts'

/** Half of the two seconds in which the end of a key has to hold everywhere; the rest is for the answer under way. */
const trustMs = 1_000
const keysMax = 10_000

export type ApiKeyCache = {
  /** @param read asks the database. An unknown key is not kept: it may be issued in the next moment */
  holderOf(key: string, read: () => Promise<KeyHolder | undefined>): Promise<KeyHolder | undefined>
  /** A key or its business has changed. */
  forget(): void
}

export function createApiKeyCache(): ApiKeyCache {
  // By the key itself, which goes with its entry after a second. How long a look takes tells nothing of other keys: only those
  // of the same hash are compared, and the hash has a seed of this process.
  const holders = new LRUCache<string, Promise<KeyHolder | undefined>>({
    max: keysMax,
    ttl: trustMs,
    ttlAutopurge: true,
    ttlResolution: 0,
  })
  return {
    holderOf(key, read) {
      const kept = holders.get(key)
      if (kept) return kept
      // Requests of the same moment wait for one answer. The second counts from the question.
      const holder = read()
      holders.set(key, holder)
      const drop = () => void (holders.peek(key) === holder && holders.delete(key))
      holder.then((row) => row || drop(), drop)
      return holder
    },
    forget: () => holders.clear(),
  }
}
