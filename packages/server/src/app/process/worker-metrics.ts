// `/metrics` of several workers: whichever of them is asked, the answer is of all.

import type { Worker } from 'node:cluster'
import { CombinedMetrics, type MetricsSnapshot, takeSnapshot } from '../../platform/observe/combined-metrics.ts'
import { workers as workersGauge } from '../../platform/observe/metrics.ts'
import type { ToWorker } from './worker-channel.ts'

/** A worker whose event loop stands for longer is left out. */
const answerMsMax = 2_000

type Round = { missing: Set<number>; answered: Set<number>; done: () => void }

export class WorkerMetrics {
  readonly #count: number
  readonly #combined = new CombinedMetrics()
  readonly #rounds = new Map<number, Round>()
  #asked = 0

  constructor(count: number) {
    this.#count = count
  }

  answer(place: number, id: number, snapshot: MetricsSnapshot): void {
    this.#combined.note(place, snapshot)
    const round = this.#rounds.get(id)
    if (!round?.missing.delete(place)) return
    round.answered.add(place)
    if (round.missing.size === 0) round.done()
  }

  async end(place: number): Promise<void> {
    for (const round of this.#rounds.values()) if (round.missing.delete(place) && round.missing.size === 0) round.done()
    await this.#combined.end(place)
  }

  /** @param serving the workers that listen, by place */
  async write(
    serving: ReadonlyMap<number, Worker>,
    tell: (worker: Worker, message: ToWorker) => void,
  ): Promise<string> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<void>()
    const round: Round = { missing: new Set(serving.keys()), answered: new Set(), done: resolve }
    this.#rounds.set(id, round)
    const timer = setTimeout(resolve, answerMsMax)
    for (const worker of serving.values()) tell(worker, { kind: 'measure', id })
    await promise
    clearTimeout(timer)
    this.#rounds.delete(id)
    workersGauge.set({ state: 'serving' }, round.answered.size)
    workersGauge.set({ state: 'silent' }, round.missing.size)
    workersGauge.set({ state: 'away' }, this.#count - serving.size)
    return await this.#combined.write(round.answered, await takeSnapshot())
  }
}
