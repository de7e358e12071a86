// What the windows say: for each abuse the median of its rounds' ratios, since a single round on a shared machine proves little.

/**
 * `f1` many members in a body, `f2` parallel changes of an account, `f4` silent receivers, `f5` floods of interim answers; without
 * a key: `metrics` asked all the time, `events` of 900 KB with a stale signature.
 */
export const abuseNames = ['f1', 'f2', 'f4', 'f5', 'metrics', 'events'] as const
export type AbuseName = (typeof abuseNames)[number]

export type Window = {
  /** Of the victim's requests, or of its deliveries, in milliseconds. */
  p50Ms: number
  p99Ms: number
  samples: number
  /** Deliveries that did not arrive; requests without an answer. */
  missing: number
  /** What the abuser managed to send. */
  attacks: number
}

export type Pair = { name: AbuseName; calm: Window; abused: Window }

const ratioMax = 2
/** A calm p99 below it counts as it: smaller differences are the scheduler's, as for `proof:receivers`. */
const noiseMs = 5

export type Verdict = {
  victimP99Ratio: Partial<Record<AbuseName, number>>
  serverErrors: number
  deadlocks: number
  faults: string[]
}

export function judge(pairs: readonly Pair[], counts: { serverErrors: number; deadlocks: number }): Verdict {
  const faults: string[] = []
  const victimP99Ratio: Partial<Record<AbuseName, number>> = {}
  for (const name of abuseNames) {
    const own = pairs.filter((pair) => pair.name === name)
    if (own.length === 0) continue
    const ratio = round(median(own.map(({ calm, abused }) => abused.p99Ms / Math.max(calm.p99Ms, noiseMs))))
    victimP99Ratio[name] = ratio
    if (!(ratio < ratioMax)) faults.push(`${name}: the victim's p99 is ${ratio} times that of a calm window`)
    const missing = own.reduce((sum, { calm, abused }) => sum + calm.missing + abused.missing, 0)
    if (missing > 0) faults.push(`${name}: ${missing} of the victim's requests or deliveries were not answered`)
    if (own.some(({ calm, abused }) => calm.samples === 0 || abused.samples === 0)) faults.push(`${name}: no samples`)
    if (own.some(({ abused }) => abused.attacks === 0))
      faults.push(`${name}: nothing was attacked, so nothing is proven`)
  }
  if (counts.serverErrors > 0) faults.push(`${counts.serverErrors} answers were server errors`)
  if (counts.deadlocks > 0) faults.push(`PostgreSQL counted ${counts.deadlocks} deadlocks`)
  return { victimP99Ratio, ...counts, faults }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0]
  return (low + high) / 2
}

const round = (value: number): number => Math.round(value * 100) / 100
