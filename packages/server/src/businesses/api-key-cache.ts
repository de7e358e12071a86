// Who holds an API key, kept for a second: without the cache every request would begin with a statement to the database. The
// end of a key empties the cache at once in this process, by a notification on the other replicas, and after a second where the
// notification is lost.

import { LRUCache } from 'lru-cache'
import type { KeyHolder } from './store.ts'

/** Half of the two seconds in which the end of a key has to hold everywhere; the rest is for the answer under way. */
const trustMs = 1_000
const keysMax = 10_000

export class ApiKeyCache {
  // Indexed by the key itself, which is dropped with its entry after a second. The time of a look-up tells nothing of other keys:
  // only keys of the same hash are compared, and the hash has a seed of this process.
  readonly #holders = new LRUCache<string, Promise<KeyHolder | undefined>>({
    max: keysMax,
    ttl: trustMs,
    ttlAutopurge: true,
    ttlResolution: 0,
  })

  /** Finds the holder of a key. @param read asks the database. An unknown key is not kept: it may be issued in the next moment */
  holderOf(key: string, read: () => Promise<KeyHolder | undefined>): Promise<KeyHolder | undefined> {
    const kept = this.#holders.get(key)
    if (kept) return kept
    // Requests of the same moment wait for one answer. The second counts from the question.
    const holder = read()
    this.#holders.set(key, holder)
    const drop = () => void (this.#holders.peek(key) === holder && this.#holders.delete(key))
    holder.then((row) => row || drop(), drop)
    return holder
  }

  /** Forgets every holder, because a key or its business has changed. */
  forget(): void {
    this.#holders.clear()
  }
}
