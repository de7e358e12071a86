// The promises that no planted bug breaks.

import { promises } from '../promises.ts'
import type { PlantedBug } from './planted-bug.ts'

/** @returns one line for each row that no bug of the list breaks */
export function rowsWithoutBug(bugs: readonly PlantedBug[]): string[] {
  const broken = new Set(bugs.map(({ row }) => row))
  return promises.flatMap(({ row, promise }) => (broken.has(row) ? [] : [`${String(row).padStart(2)}  ${promise}`]))
}
