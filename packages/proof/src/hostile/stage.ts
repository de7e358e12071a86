// What both proofs stand on: a database, one server, and receivers in processes of their own.

import { readFile } from 'node:fs/promises'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import { type Deployment, openDeployment } from '../relay-world/deployment.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { startLineProcess } from '../rig/line-process.ts'
import type { Arrival } from './healthy-receiver.ts'
import type { HostileKind } from './hostile-kinds.ts'

export type Stage = AsyncDisposable & {
  deployment: Deployment
  server: ServeProcess
  arrivals: Arrival[]
  healthyUrl(name: string): string
  hostileUrl(kind: HostileKind): string
  /** The most memory that the server has held at once, in MiB; null where the system does not tell. */
  peakRssMib(): Promise<number | null>
}

// Everything as in production, but that a send is given up after 3 s instead of 15: so that a round of half a minute
// sees time-outs, repeats and the breaker.
const settings = {
  WEBHOOK_TIMEOUT_MS: '3000',
  WEBHOOK_RETRY_SECONDS: '1,2,4,8,16,32',
  LOG_LEVEL: 'error',
}

export async function openStage(): Promise<Stage> {
  const arrivals: Arrival[] = []
  await using opened = new AsyncDisposableStack()
  const healthy = opened.use(
    await startLineProcess<Arrival & { port: number }>(
      new URL('./healthy-receiver.ts', import.meta.url),
      [],
      (arrival) => arrivals.push(arrival),
    ),
  )
  const hostile = opened.use(
    await startLineProcess<{ port: number; neverReadPort: number }>(
      new URL('./hostile-receivers.ts', import.meta.url),
      [],
    ),
  )
  const database = opened.use(await startKillableDatabase())
  const deployment = opened.use(await openDeployment(database.connection, settings))
  const server = opened.use(await deployment.serve())
  const held = opened.move()
  return {
    deployment,
    server,
    arrivals,
    healthyUrl: (name) => `http://127.0.0.1:${healthy.ready.port}/${name}`,
    hostileUrl(kind) {
      const port = kind === 'never-read' ? hostile.ready.neverReadPort : hostile.ready.port
      return `http://127.0.0.1:${port}/${kind}`
    },
    async peakRssMib() {
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8').catch(() => '')
      const kib = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
      return kib === undefined ? null : Math.round(Number(kib) / 1_024)
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
