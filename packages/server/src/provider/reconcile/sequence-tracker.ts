// Which numbers the provider's verified events carried: noted in memory as they are stored, and handed over in batches,
// because a number that was jumped over shows only when all replicas put together what they saw.

import { joinRanges, type SequenceRange, type SequenceRanges } from './sequence-ranges.rules.ts'

export type SeenSequences = {
  /** Only of an event that is stored, and that the provider signed: a forged number would make us look for nothing. */
  note(sequence: number): void
  /** What was noted since the last call. */
  take(): SequenceRanges
}

// A write in two seconds at most, however many events come.
const gatherMs = 2_000

/** @param gathered called some time after the first note since the last `take`; null where nobody takes, and nothing is noted */
export function createSeenSequences(gathered: (() => void) | null): SeenSequences {
  let noted: SequenceRange[] = []
  return {
    note(sequence) {
      if (gathered === null) return
      if (noted.length === 0) setTimeout(gathered, gatherMs).unref()
      const last = noted.at(-1)
      if (last && sequence === last[1] + 1) noted[noted.length - 1] = [last[0], sequence]
      else noted.push([sequence, sequence])
    },
    take() {
      const ranges = joinRanges(noted, [])
      noted = []
      return ranges
    },
  }
}
