// Finds the name that a caller probably meant.

import { distance } from 'fastest-levenshtein'

/** Finds the known name that an unknown one was probably meant to be. @returns undefined when none is near */
export function didYouMean(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > 64) return undefined
  const plain = (name: string) => name.toLowerCase().replace(/[_\-\s]/g, '')
  // A swap of neighbours is two slips, so five letters have two. Beyond that a guess misleads.
  const slipsMax = Math.min(2, Math.floor(unknown.length / 2.5))
  const [nearest] = known
    .map((name) => ({ name, slips: distance(plain(unknown), plain(name)) }))
    .filter(({ slips }) => slips <= slipsMax)
    .sort((a, b) => a.slips - b.slips)
  if (nearest) return nearest.name
  const [longer, ...others] = known.filter((name) => unknown.length >= 3 && plain(name).endsWith(plain(unknown)))
  return others.length === 0 ? longer : undefined
}
