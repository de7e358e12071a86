// Some of a list, drawn by a seed: the same seed draws the same.

import { chanceOf } from '../rig/chance.ts'

export function draw<T>(list: readonly T[], count: number, seed: number): T[] {
  return list
    .map((item, index) => ({ item, lot: chanceOf(seed, index).below(0x1_0000_0000) }))
    .sort((left, right) => left.lot - right.lot)
    .slice(0, count)
    .map(({ item }) => item)
}
