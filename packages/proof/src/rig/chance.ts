// Chance that can be repeated: every attempt draws from its own stream, named by seed and index.

export type Chance = {
  /** 0 up to, and not including, `bound`. */
  below(bound: number): number
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T
  /** True about once in `times`. */
  oneIn(times: number): boolean
}

/** splitmix32 (Vigna 2015): small, and good enough to choose cases. Not for secrets. */
export function chanceOf(seed: number, index: number): Chance {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const below = (bound: number): number => Math.floor((next() / 0x1_0000_0000) * bound)
  return {
    below,
    pick(from) {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new RangeError('there is nothing to pick from')
      return picked
    },
    oneIn: (times) => below(times) === 0,
  }
}
