// What the measurements say, by medians over interleaved rounds: this machine is shared, and a single round proves little.

import type { BacklogFigures } from './backlog-round.ts'
import type { Latencies } from './measured-load.ts'

export type Pair = { healthy: Latencies; hostile: Latencies }

const movedMax = 1.1
const besideMax = 2
/** Below it a difference is the scheduler's, not ours. */
const noiseMs = 5
/** A process that holds 1,024 sends, their bodies and 64 MiB of waiting events stays below it. */
const rssMibMax = 512

export type Verdict = {
  p99HealthyMs: number
  p99HostileMs: number
  /** Median of the pairs' ratios. */
  moved: number
  aloneP99Ms: number
  besideP99Ms: number
  beside: number
  faults: string[]
}

export function judge(pairs: readonly Pair[], backlogs: readonly BacklogFigures[], peakRssMib: number | null): Verdict {
  const healthyMs = median(pairs.map(({ healthy }) => healthy.p99Ms))
  const hostileMs = median(pairs.map(({ hostile }) => hostile.p99Ms))
  const moved = median(pairs.map(({ healthy, hostile }) => hostile.p99Ms / healthy.p99Ms))
  const aloneMs = median(backlogs.map(({ alone }) => alone.p99Ms))
  const besideMs = median(backlogs.map(({ beside }) => beside.p99Ms))
  const beside = besideMs / aloneMs
  const faults: string[] = []
  if (moved > movedMax && hostileMs - healthyMs > noiseMs)
    faults.push(`hostile receivers move the healthy p99 from ${round(healthyMs)} to ${round(hostileMs)} ms`)
  if (beside > besideMax && besideMs - aloneMs > noiseMs)
    faults.push(`a backlog moves its neighbour's p99 from ${round(aloneMs)} to ${round(besideMs)} ms`)
  if (peakRssMib !== null && peakRssMib > rssMibMax) faults.push(`the server held ${peakRssMib} MiB`)
  const measured = [
    ...pairs.flatMap(({ healthy, hostile }) => [healthy, hostile]),
    ...backlogs.flatMap(({ alone, beside: besides }) => [alone, besides]),
  ]
  if (measured.some(({ missing }) => missing > 0)) faults.push('events did not reach a healthy receiver')
  if (backlogs.some(({ left }) => left <= 0)) faults.push('the backlog was over too early to prove anything')
  return {
    p99HealthyMs: round(healthyMs),
    p99HostileMs: round(hostileMs),
    moved: round(moved),
    aloneP99Ms: round(aloneMs),
    besideP99Ms: round(besideMs),
    beside: round(beside),
    faults,
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[middle] ?? 0]
  return (low + high) / 2
}

const round = (value: number): number => Math.round(value * 100) / 100
