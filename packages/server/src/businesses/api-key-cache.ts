// Who holds an API key, remembered for a moment: without it every request would begin with a question to the database. A key
// that is ended is forgotten at once here, by a notification on the other replicas, and where that is lost when the moment is
// over. Nobody is let in on a memory older than that: a replica without a database lets nobody in.

import type { KeyHolder } from './store.ts'

/** Half of the two seconds in which the end of a key has to hold everywhere; the rest is for the answer under way. */
const trustMs = 1_000
const keysMax = 10_000

export type KnownKeys = {
  /** What is remembered of it, at once. */
  recall(key: string): KeyHolder | undefined
  /** @param read asks the database. An unknown key is not remembered: it may be made in the next moment */
  holderOf(key: string, read: () => Promise<KeyHolder | undefined>): Promise<KeyHolder | undefined>
  /** Some key or its business has changed. */
  forget(): void
}

type Known = { holder: Promise<KeyHolder | undefined>; row: KeyHolder | undefined; untilMs: number }

/** @param monotonicMs a clock that nobody sets */
export function createKnownKeys(monotonicMs: () => number): KnownKeys {
  // By the key itself, for the moment in which the request's own headers lie in memory, too. How long a look takes tells nobody
  // about other keys: only those of the same hash are compared, and that is under a seed of this process.
  let known = new Map<string, Known>()
  return {
    recall(key) {
      const found = known.get(key)
      return found && monotonicMs() < found.untilMs ? found.row : undefined
    },
    holderOf(key, read) {
      const nowMs = monotonicMs()
      const found = known.get(key)
      if (found && nowMs < found.untilMs) return found.holder
      const mine = known
      const holder = read()
      mine.delete(key)
      if (mine.size >= keysMax) mine.clear()
      // Whoever asks meanwhile waits for the same answer. It counts from the moment the question was asked.
      const mind: Known = { holder, row: undefined, untilMs: nowMs + trustMs }
      mine.set(key, mind)
      const drop = () => void (mine.get(key) === mind && mine.delete(key))
      setTimeout(drop, trustMs).unref()
      holder.then((row) => {
        mind.row = row
        if (!row) drop()
      }, drop)
      return holder
    },
    forget() {
      known = new Map()
    },
  }
}
