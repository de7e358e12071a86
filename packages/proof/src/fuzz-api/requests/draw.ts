// Chance that can be repeated: every story draws from its own stream, named by seed and index.

import fc from 'fast-check'

export type Draw = {
  of<T>(arbitrary: fc.Arbitrary<T>): T
  /** From 0 up to, and not including, `bound`. */
  below(bound: number): number
  pick<T>(from: readonly T[]): T
  /** True about once in `times`. */
  oneIn(times: number): boolean
}

export function drawOf(seed: number, index: number): Draw {
  const mixed = Math.imul(seed ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b)
  const [generate] = fc.sample(fc.gen(), { seed: mixed, numRuns: 1 })
  if (!generate) throw new Error('fast-check drew nothing')
  const of = <T>(arbitrary: fc.Arbitrary<T>): T => generate(() => arbitrary)
  const below = (bound: number): number => of(fc.noBias(fc.nat({ max: bound - 1 })))
  return {
    of,
    below,
    pick(from) {
      if (from.length === 0) throw new RangeError('there is nothing to pick from')
      return from[below(from.length)] as (typeof from)[number]
    },
    oneIn: (times) => below(times) === 0,
  }
}
