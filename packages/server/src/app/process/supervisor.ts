// `serve --workers`: a process that serves nothing itself. It starts workers, each of which ends and is started again by itself,
// counts the limits of all of them, puts their metrics together, and stops them together.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../platform/config.ts'
import { countForWorkers } from '../../platform/http/limits/rate-limit.ts'
import { createLog, type Log } from '../../platform/observe/log.ts'
import { workerRestarts } from '../../platform/observe/metrics.ts'
import type { ConnectionOptions } from '../../platform/postgres/client.ts'
import type { Role } from '../loops.ts'
import { failuresAfter, isHopeless, pauseMsAfter } from './restart.rules.ts'
import { openForWorkers } from './shared-database.ts'
import { requireFreePort } from './shared-port.ts'
import { stopRequested } from './signals.ts'
import { type ToSupervisor, type ToWorker, unwrap, wrap } from './worker-channel.ts'
import { WorkerMetrics } from './worker-metrics.ts'

/** What a worker may take beyond its delay and its two graces: five steps of 3 s (`stopServer`), and a margin. */
const stopMarginMs = 17_000

/**
 * Runs the service in `count` processes until it is told to stop.
 * @returns the exit code: 0, 1 when a worker had to be killed or none could be started, or that of the first worker's start
 */
export async function superviseWorkers(config: Config, role: Role, count: number): Promise<number> {
  const stop = stopRequested()
  await requireFreePort(config.host, config.port)
  const log = createLog(config.logLevel, undefined, { worker: 'supervisor' })
  const database = await openForWorkers(config, log)
  try {
    countForWorkers()
    const workers = new Workers(config, log, count, database.connection)
    const refused = await Promise.race([workers.start(), stop.then(() => null)])
    if (refused === null) {
      const part = role === 'all' ? '' : `, ${role} only`
      if (workers.url) console.log(`Causeway listens on ${workers.url} (${config.mode} mode${part}, ${count} workers).`)
      await Promise.race([stop, workers.hopeless])
    }
    const isClean = await workers.stop()
    return refused ?? (workers.isHopeless || !isClean ? 1 : 0)
  } finally {
    await database.close()
  }
}

type Member = { worker: Worker; servingSinceMs: number | null; failures: number }

class Workers {
  /** Where they listen; empty before the first one does. */
  url = ''
  isHopeless = false
  /** Resolves when the supervisor gives up. */
  readonly hopeless: Promise<void>
  readonly #config: Config
  readonly #log: Log
  readonly #count: number
  readonly #database: ConnectionOptions | null
  readonly #members = new Map<number, Member>()
  readonly #metrics: WorkerMetrics
  readonly #giveUp: () => void
  #unserved = 0
  readonly #stopping = new AbortController()

  constructor(config: Config, log: Log, count: number, database: ConnectionOptions | null) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.hopeless = promise
    this.#giveUp = resolve
    this.#config = config
    this.#log = log
    this.#count = count
    this.#database = database
    this.#metrics = new WorkerMetrics(count)
  }

  /**
   * Starts the first worker, which brings the schema up to date and tells what is wrong with the settings; then the others.
   * @returns the exit code of a first worker that could not start; null when it serves
   */
  async start(): Promise<number | null> {
    const first = await this.#begin(1)
    if (first !== null || this.#stopping.signal.aborted) return first
    await Promise.all(Array.from({ length: this.#count - 1 }, (_, at) => this.#begin(at + 2)))
    return null
  }

  /** @returns the exit code when the worker ended before it listened, else null */
  #begin(place: number, failures = 0): Promise<number | null> {
    // With PORT=0 every later worker takes the port that the first one was given.
    const worker = cluster.fork(this.url === '' ? {} : { PORT: new URL(this.url).port })
    const member: Member = { worker, servingSinceMs: null, failures }
    this.#members.set(place, member)
    const { promise, resolve } = Promise.withResolvers<number | null>()
    // A message to a worker that is just dying fails: its exit tells all there is to know.
    worker.on('error', (err) => this.#log.debug({ err, place }, 'message to a worker failed'))
    worker.on('message', (received: unknown) => {
      const message = unwrap<ToSupervisor>(received)
      if (message?.kind === 'ready') {
        tell(worker, { kind: 'start', place, count: this.#count, database: this.#database })
        if (this.#stopping.signal.aborted) tell(worker, { kind: 'stop' })
      }
      if (message?.kind === 'listening') {
        this.url ||= message.url
        this.#unserved = 0
        member.servingSinceMs = performance.now()
        resolve(null)
      }
      if (message?.kind === 'measured') this.#metrics.answer(place, message.id, message.snapshot)
      if (message?.kind === 'scrape') void this.#scrape(worker, message.id)
    })
    worker.once('exit', (code, signal) => {
      resolve(code ?? 1)
      void this.#onExit(place, member, { code, signal })
    })
    return promise
  }

  async #scrape(asker: Worker, id: number): Promise<void> {
    const serving = [...this.#members].filter(([, { servingSinceMs }]) => servingSinceMs !== null)
    const text = await this.#metrics.write(new Map(serving.map(([place, { worker }]) => [place, worker])), tell)
    tell(asker, { kind: 'metrics', id, text })
  }

  async #onExit(place: number, member: Member, end: { code: number | null; signal: string | null }): Promise<void> {
    const { servingSinceMs } = member
    await this.#metrics.end(place)
    // A first start that fails is the failure of the whole.
    if (this.#stopping.signal.aborted || this.url === '') return
    member.servingSinceMs = null
    const servedMs = servingSinceMs === null ? null : performance.now() - servingSinceMs
    if (servedMs === null) this.#unserved += 1
    const serving = [...this.#members.values()].filter((other) => other.servingSinceMs !== null).length
    if (isHopeless(this.#unserved, serving)) {
      this.#log.fatal({ ...end, place, starts: this.#unserved }, 'workers cannot be started, giving up')
      this.isHopeless = true
      return this.#giveUp()
    }
    const failures = failuresAfter(member.failures, { servedMs })
    const pauseMs = pauseMsAfter(failures)
    this.#log.error({ ...end, place, pauseMs }, 'worker ended unasked, starting it again')
    workerRestarts.inc()
    await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    if (!this.#stopping.signal.aborted) await this.#begin(place, failures)
  }

  /** Stops all workers and waits for them. @returns whether all ended in time and well */
  async stop(): Promise<boolean> {
    this.#stopping.abort()
    const { shutdownDelayMs, shutdownGraceMs } = this.#config
    const running = [...this.#members.values()].map(({ worker }) => worker).filter((worker) => !worker.isDead())
    const ends = running.map(
      (worker) => new Promise<boolean>((resolve) => worker.once('exit', (code) => resolve(code === 0))),
    )
    for (const worker of running) tell(worker, { kind: 'stop' })
    const late = setTimeout(
      () => {
        this.#log.error('workers did not stop in time, killing them')
        for (const worker of running) worker.process.kill('SIGKILL')
      },
      shutdownDelayMs + 2 * shutdownGraceMs + stopMarginMs,
    )
    const all = await Promise.all(ends)
    clearTimeout(late)
    return all.every(Boolean)
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(wrap(message))
}
