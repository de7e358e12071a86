// Draws some bugs of a list by a seed: the same seed draws the same.

import { chanceOf } from '../rig/chance.ts'

/** Draws from different rows first, so that a small sample breaks different promises. */
export function draw<T extends { row: number | null }>(list: readonly T[], count: number, seed: number): T[] {
  const shuffled = list
    .map((item, index) => ({ item, lot: chanceOf(seed, index).below(0x1_0000_0000) }))
    .sort((left, right) => left.lot - right.lot)
    .map(({ item }) => item)
  const drawn = new Map<number | null, number>()
  return shuffled
    .map((item, lot) => {
      const turn = drawn.get(item.row) ?? 0
      drawn.set(item.row, turn + 1)
      return { item, turn, lot }
    })
    .sort((left, right) => left.turn - right.turn || left.lot - right.lot)
    .slice(0, count)
    .map(({ item }) => item)
}
