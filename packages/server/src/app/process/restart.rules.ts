// When a worker that ended is started again, and when there is no sense in it any more.

const pauseMsMin = 100
const pauseMsMax = 10_000
/** A worker that has served for so long did not end for what made it start. */
const steadyMs = 10_000
const failuresMax = 5

/** How long a worker served; null when it ended before it listened. */
export type End = { servedMs: number | null }

/** Counts the ends of the worker of one place. */
export const failuresAfter = (before: number, { servedMs }: End): number =>
  servedMs !== null && servedMs >= steadyMs ? 0 : before + 1

/** Milliseconds until the next start: at once after a long service, later with each failure in a row. */
export const pauseMsAfter = (failures: number): number =>
  Math.min(pauseMsMax, pauseMsMin * 2 ** Math.max(0, failures - 1))

/** @param unserved starts in a row, of all places, after which no worker listened */
export const isHopeless = (unserved: number, serving: number): boolean => serving === 0 && unserved >= failuresMax
