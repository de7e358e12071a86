// The known name that an unknown one was probably meant to be.

/** @returns the nearest of `known`, or undefined when none is near */
export function didYouMean(unknown: string, known: readonly string[]): string | undefined {
  if (unknown.length > 64) return undefined
  const plain = (name: string) => name.toLowerCase().replace(/[_\-\s]/g, '')
  const sameWords = known.find((name) => plain(name) === plain(unknown))
  if (sameWords !== undefined) return sameWords
  // One slip in three letters, two at most: beyond that a guess misleads.
  const slipsMax = Math.min(2, Math.floor(unknown.length / 3))
  let best: { name: string; slips: number } | undefined
  for (const name of known) {
    if (Math.abs(name.length - unknown.length) > slipsMax) continue
    const slips = editDistance(plain(unknown), plain(name))
    if (slips <= slipsMax && (best === undefined || slips < best.slips)) best = { name, slips }
  }
  return best?.name
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let least = Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, at(beforePrevious, column - 2) + 1)
      current.push(least)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY
}
