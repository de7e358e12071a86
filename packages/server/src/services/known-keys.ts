// Who holds an API key, remembered for a moment: without it every request would begin with a question to the database. A key
// that is ended is forgotten at once here, by a notification on the other replicas, and where that is lost when the moment is
// over. Nobody is let in on a memory older than that: a replica without a database lets nobody in.

import { hash } from 'node:crypto'
import type { KeyHolder } from '../store/businesses.ts'

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
  let known = new Map<string, Known>()
  const nameOf = (key: string): string => hash('sha256', key, 'base64') // of 190 random bits: nobody gets from it to the key
  return {
    recall(key) {
      const found = known.get(nameOf(key))
      return found && monotonicMs() < found.untilMs ? found.row : undefined
    },
    holderOf(key, read) {
      const name = nameOf(key)
      const nowMs = monotonicMs()
      const found = known.get(name)
      if (found && nowMs < found.untilMs) return found.holder
      const mine = known
      const holder = read()
      mine.delete(name)
      if (mine.size >= keysMax) mine.clear()
      // Whoever asks meanwhile waits for the same answer. It counts from the moment the question was asked.
      const mind: Known = { holder, row: undefined, untilMs: nowMs + trustMs }
      mine.set(name, mind)
      const drop = () => void (mine.get(name) === mind && mine.delete(name))
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
