// Duplicates that a run of kills and faults may cause.

const longRunKillsMin = 50
const unwrittenMax = 4

/**
 * Returns how many deliveries a run may repeat. In a long run, a kill repeats less than one on average. In a short run, each kill and
 * each fault may repeat as many as a replica sends before it stops because no outcome is written.
 */
export function duplicatesMax(kills: number, faults: number): number {
  return kills >= longRunKillsMin ? kills : unwrittenMax * (kills + faults)
}
