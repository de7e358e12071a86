// The metrics of several processes as those of one: figures are added, or the highest counts, as each metric says. What a
// process has counted stays counted after its end: a counter that went down would look like a restart of everything.

import { AggregatorRegistry } from 'prom-client'
import { metrics } from './metrics.ts'

export type MetricsSnapshot = readonly { name: string; type: unknown }[]

/** Reads what this process alone has measured. */
export const takeSnapshot = (): Promise<MetricsSnapshot> => metrics.getMetricsAsJSON()

export class CombinedMetrics {
  readonly #latest = new Map<number, MetricsSnapshot>()
  #ended: MetricsSnapshot = []

  /** @param process names it: a later snapshot replaces an earlier one */
  note(process: number, snapshot: MetricsSnapshot): void {
    this.#latest.set(process, snapshot)
  }

  /** The process has ended: of its last snapshot the counters stay, and what was true of it at the time goes. */
  async end(process: number): Promise<void> {
    const last = this.#latest.get(process)
    if (!last) return
    this.#latest.delete(process)
    const counted = last.filter(isCounted)
    this.#ended = await together([this.#ended, counted]).getMetricsAsJSON()
  }

  /**
   * Writes the metrics in the format of Prometheus.
   * @param answered processes whose gauges are of now; of the others the counters alone are told
   * @param own snapshot of the process that asks
   */
  write(answered: ReadonlySet<number>, own: MetricsSnapshot): Promise<string> {
    const known = [...this.#latest].map(([process, snapshot]) =>
      answered.has(process) ? snapshot : snapshot.filter(isCounted),
    )
    return together([own, this.#ended, ...known]).metrics()
  }
}

const isCounted = ({ type }: MetricsSnapshot[number]): boolean => type !== 'gauge'

const together = (snapshots: readonly MetricsSnapshot[]) =>
  AggregatorRegistry.aggregate(snapshots.map((snapshot) => [...snapshot]))
