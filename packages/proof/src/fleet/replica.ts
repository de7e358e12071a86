// A replica of a fleet: dies, stops, freezes, and comes back under the same address.

import type { ServeProcess, ServeProgram } from '../../../server/test/serve-process.ts'
import type { Deployment } from '../relay-world/deployment.ts'
import { startDespiteOutages } from '../relay-world/restart.ts'
import { freePort } from '../rig/ports.ts'

export type ReplicaStart = {
  env: Readonly<Record<string, string>>
  /** Of `causeway serve`. */
  args?: readonly string[]
  command?: NonNullable<ServeProgram['command']>
}

export type Replica = {
  name: string
  /** The same after a restart. */
  url: string
  pid(): number
  kill(): Promise<void>
  /** SIGTERM. @returns its exit code; null when a signal ended it */
  terminate(): Promise<number | null>
  freeze(): void
  thaw(): void
  /**
   * Starts the replica once it is down; again and again while it does not come up, as a supervisor does.
   * @param change of the program or its settings, from now on
   */
  restart(change?: Partial<ReplicaStart>): Promise<void>
  /** The end of what it wrote. */
  log(): string
  /** The first lines that tell of a fault of its own: why it answered 500. */
  unexpected(): readonly string[]
  /** The first lines that say why PostgreSQL refuses work. */
  refusals(): readonly string[]
}

const logCharsMax = 20_000
const unexpectedMax = 3
const refusalsMax = 10

export async function startReplica(deployment: Deployment, name: string, start: ReplicaStart): Promise<Replica> {
  const port = await freePort()
  let written = ''
  const unexpected: string[] = []
  const refusals: string[] = []
  let current = start
  const launch = (): Promise<ServeProcess> =>
    deployment.serve(
      { ...current.env, PORT: String(port) },
      {
        ...(current.command ? { command: current.command } : {}),
        hear: (text) => {
          written = (written + text).slice(-logCharsMax)
          const lines = text.split('\n').filter((line) => line.includes('"message":"unexpected error"'))
          unexpected.push(...lines.slice(0, unexpectedMax - unexpected.length))
          const causes = text.split('\n').filter((line) => line.includes('"message":"database refuses work"'))
          refusals.push(...causes.slice(0, refusalsMax - refusals.length))
        },
      },
      current.args,
    )
  let running = await launch()
  return {
    name,
    url: running.url,
    pid: () => running.pid,
    kill: () => running.kill(),
    terminate: () => running.terminate(),
    freeze: () => running.freeze(),
    thaw: () => void process.kill(running.pid, 'SIGCONT'),
    async restart(change = {}) {
      current = { ...current, ...change }
      running = await startDespiteOutages(launch)
    },
    log: () => written,
    unexpected: () => unexpected,
    refusals: () => refusals,
  }
}
