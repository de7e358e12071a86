// One worker of `serve --workers`: the service as the supervisor orders it, on the port that all workers share.

import cluster from 'node:cluster'
import { startServer } from '../../main.ts'
import type { Config } from '../../platform/config.ts'
import { takeSnapshot } from '../../platform/observe/combined-metrics.ts'
import { createLog, type Log } from '../../platform/observe/log.ts'
import type { ServerDeps } from '../context.ts'
import { connectionsOf, readServerFacts } from '../diagnostics.ts'
import type { Role } from '../loops.ts'
import { sharedPort } from './shared-port.ts'
import { stopRequested } from './signals.ts'
import { type ToSupervisor, type ToWorker, unwrap, wrap } from './worker-channel.ts'

/** A supervisor that is there answers at once. */
const orderMsMax = 10_000
/** The supervisor waits for 2 s for the other workers. */
const scrapeMsMax = 4_000

/** Runs a worker until the supervisor, or a signal, ends it. @throws ConfigError as `serve` does */
export async function runWorker(config: Config, role: Role): Promise<void> {
  const supervisor = new Supervisor()
  const stop = Promise.race([stopRequested(), supervisor.stop])
  try {
    const { place, count, database } = await supervisor.order
    const log = createLog(config.logLevel, undefined, { worker: place })
    const server = await startServer(config, log, database ?? undefined, role, {
      ownMetrics: () => supervisor.scrape(),
      listening: sharedPort,
    })
    supervisor.tell({ kind: 'listening', url: server.url })
    if (place === 1) await warnOfConnections(server.deps, log, count)
    await stop
    await server.stop()
  } finally {
    // The channel would keep the process alive.
    cluster.worker?.disconnect()
  }
}

/** Warns where the workers could together open more connections than the database has. */
async function warnOfConnections({ db, config }: ServerDeps, log: Log, count: number): Promise<void> {
  const facts = await db.read(readServerFacts).catch(() => null)
  const wanted = count * connectionsOf(config)
  if (facts === null || wanted <= facts.connectionsMax) return
  const { connectionsMax } = facts
  log.warn({ wanted, connectionsMax, count }, 'workers may open more connections than the database has')
}

/** The worker's end of the channel. */
class Supervisor {
  readonly order: Promise<Extract<ToWorker, { kind: 'start' }>>
  readonly stop: Promise<void>
  readonly #scrapes = new Map<number, (text: string) => void>()
  #asked = 0

  constructor() {
    const order = Promise.withResolvers<Extract<ToWorker, { kind: 'start' }>>()
    const stop = Promise.withResolvers<void>()
    this.order = order.promise
    this.stop = stop.promise
    const late = setTimeout(() => order.reject(new Error('no supervisor has given this worker an order')), orderMsMax)
    process.on('message', (received) => {
      const message = unwrap<ToWorker>(received)
      if (message?.kind === 'start') order.resolve(message)
      if (message?.kind === 'start') clearTimeout(late)
      if (message?.kind === 'stop') stop.resolve()
      if (message?.kind === 'metrics') this.#scrapes.get(message.id)?.(message.text)
      if (message?.kind === 'measure') void this.#measure(message.id)
    })
    this.tell({ kind: 'ready' })
  }

  tell(message: ToSupervisor): void {
    process.send?.(wrap(message))
  }

  /** @returns the metrics of all workers together; those of one that does not answer are left out by the supervisor */
  async scrape(): Promise<string> {
    const id = ++this.#asked
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const timer = setTimeout(() => reject(new Error('the supervisor does not answer')), scrapeMsMax)
    this.#scrapes.set(id, resolve)
    this.tell({ kind: 'scrape', id })
    return await promise.finally(() => {
      clearTimeout(timer)
      this.#scrapes.delete(id)
    })
  }

  async #measure(id: number): Promise<void> {
    this.tell({ kind: 'measured', id, snapshot: await takeSnapshot() })
  }
}
