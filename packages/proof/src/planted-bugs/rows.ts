// The promises under failure, by row: what a planted bug breaks, and which of them no planted bug breaks.

import type { PlantedBug } from './planted-bug.ts'

export const rows: Readonly<Record<number, string>> = {
  1: 'acknowledged data survives any crash',
  2: 'one request creates at most one upstream object',
  3: 'unknown outcomes converge and are never guessed',
  4: 'every accepted event reaches its endpoint at least once',
  5: 'a forged event changes nothing and suppresses nothing',
  6: 'no connection is opened to a non-public address',
  7: 'a business cannot see or affect another',
  8: 'a revoked key stops working on every replica within 2 s',
  9: 'keys and secrets in a leaked database or log are useless',
  10: 'KYC data is in no log, error, table, WAL or metric',
  11: 'a bad receiver or a loud business slows nobody else',
  12: 'limits hold across replicas',
  13: 'no request causes a 5xx or a crash',
  14: 'an upgrade loses nothing',
  15: 'a stepped clock breaks nothing',
  16: 'every security-relevant action is in a tamper-evident log',
  17: 'the dependency tree is inert',
  18: 'one loud caller slows nobody else, whatever it sends',
  19: 'locks have one order',
  20: 'losing the primary loses no acknowledged data',
  21: 'the right to write is checked where the effect happens',
  22: "an account is payable exactly when the provider's facts allow it",
  23: 'nothing costs much before the caller is known',
  24: 'a page acts on what it shows',
  25: 'everything that a proof measures is judged',
}

/** @returns one line for each row that no bug of the list breaks */
export function rowsWithoutBug(bugs: readonly PlantedBug[]): string[] {
  const broken = new Set(bugs.map(({ row }) => row))
  return Object.entries(rows).flatMap(([row, promise]) =>
    broken.has(Number(row)) ? [] : [`${row.padStart(2)}  ${promise}`],
  )
}
