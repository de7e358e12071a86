// Chance that fast-check draws and repeats.

import fc, { type GeneratorValue } from 'fast-check'

export type Chance = {
  /** 0 up to, and not including, `bound`. */
  below(bound: number): number
  pick<T>(from: readonly T[]): T
  /** True about once in `times`. */
  oneIn(times: number): boolean
}

const natBelow = (bound: number) => fc.noBias(fc.nat({ max: bound - 1 }))

export function chanceOf(generate: GeneratorValue): Chance {
  const below = (bound: number): number => generate(natBelow, bound)
  return {
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    oneIn: (times) => below(times) === 0,
  }
}
