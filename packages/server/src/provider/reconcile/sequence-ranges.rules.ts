// Which numbers of a sequence have come, as ranges: what is missing in between is what may have been lost.

/** First and last number, both included. */
export type SequenceRange = readonly [first: number, last: number]

/** Ascending, apart from each other by at least one number. */
export type SequenceRanges = readonly SequenceRange[]

// Where every second number is meant for somebody else there is no end of gaps. One more is as good as a thousand more.
export const rangesMax = 500

/** All numbers of both. Of more than `rangesMax` ranges all but the first are taken as one: the lowest gap is kept. */
export function joinRanges(one: SequenceRanges, other: SequenceRanges): SequenceRanges {
  const joined: [number, number][] = []
  for (const [first, last] of [...one, ...other].toSorted((left, right) => left[0] - right[0])) {
    const end = joined.at(-1)
    if (end && first <= end[1] + 1) end[1] = Math.max(end[1], last)
    else joined.push([first, last])
  }
  const [lowest, next, ...rest] = joined
  if (rest.length + 2 <= rangesMax || !lowest || !next) return joined
  return [lowest, [next[0], rest.at(-1)?.[1] ?? next[1]]]
}

/** The number before the lowest gap; null when nothing is missing. */
export function lowestGap(ranges: SequenceRanges): number | null {
  const [lowest, next] = ranges
  return lowest && next ? lowest[1] : null
}

/** Everything up to and including `last` is accounted for, whether it came or not. */
export function closeGapsUpTo(ranges: SequenceRanges, last: number): SequenceRanges {
  const [lowest] = ranges
  return lowest && lowest[0] <= last ? joinRanges(ranges, [[lowest[0], last]]) : ranges
}

export function lastNumber(ranges: SequenceRanges): number | null {
  return ranges.at(-1)?.[1] ?? null
}
