// What a run of kills and faults may repeat.

const longRunKillsMin = 50
const unwrittenMax = 4

/**
 * How many deliveries a run may repeat. In a long run a kill repeats less than one in the mean. In a short one each kill and each
 * fault may repeat as many as a replica sends before it stops because nothing is written down any more (ADR 17).
 */
export function duplicatesMax(kills: number, faults: number): number {
  return kills >= longRunKillsMin ? kills : unwrittenMax * (kills + faults)
}
