// The world of the fuzz as its starter sees it: where it listens, what it logs, what it holds, and whether it still lives.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { WorldFacts } from '../../../cli/src/world/world.ts'
import type { FixedLimits } from '../../../server/src/platform/config.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { testDatabase } from '../../../server/test/test-database.ts'
import { echoIn } from './marks.ts'
import type { WorldOrder } from './world-process.ts'

export type Held = { heapMiB: number; residentMiB: number; openFiles: number; handles: number }

export type FuzzWorld = AsyncDisposable & {
  facts: WorldFacts
  inboxUrl: string
  sandboxUrl: string
  database: ConnectionOptions
  /** The marks of requests that the log repeated. */
  logEchoes: string[]
  /** Lines of level `error` and above: nothing that is sent may cause one. */
  logErrors: string[]
  isRunning(): boolean
  /** After a collection, by /metrics. */
  held(): Promise<Held>
}

const entry = fileURLToPath(new URL('./world-process.ts', import.meta.url))
const stopMsMax = 15_000

/** A world that refuses no request because of how many there are. */
export const openUnlimitedWorld = (): Promise<FuzzWorld> =>
  openFuzzWorld(
    { RATE_LIMIT_REQUESTS: '10000000', KYC_SUBMISSIONS_PER_MINUTE: '10000' },
    { businessKycSubmissionsPerMinute: 100_000, failedAuthPerMinute: 100_000 },
  )

/** @param env settings in addition to those of a fuzz run */
export async function openFuzzWorld(
  env: Readonly<Record<string, string>>,
  limits: Partial<FixedLimits> = {},
): Promise<FuzzWorld> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-fuzz-'))
  const database = await testDatabase()
  const order: WorldOrder = { home, database: database.connection, env: { DATABASE_POOL_MAX: '10', ...env }, limits }
  const child = fork(entry, [JSON.stringify(order)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { logEchoes, logErrors, complaint } = listen(child)
  const exited = once(child, 'exit')
  const close = async (): Promise<void> => {
    const cut = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
    clearTimeout(cut)
    await database.drop()
    await rm(home, { recursive: true, force: true })
  }
  try {
    const begun = exited.then(() => Promise.reject(new Error(`the world did not start: ${complaint()}`)))
    const [ready] = (await Promise.race([once(child, 'message'), begun])) as [
      Pick<FuzzWorld, 'facts' | 'inboxUrl' | 'sandboxUrl'>,
    ]
    const held = async (): Promise<Held> => {
      child.send('collect')
      await once(child, 'message')
      return readHeld(await (await fetch(`${ready.facts.baseUrl}/metrics`)).text())
    }
    return {
      ...ready,
      database: database.connection,
      logEchoes,
      logErrors,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      held,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const linesKeptMax = 50
const errorLevel = 50

function listen(child: ChildProcess): { logEchoes: string[]; logErrors: string[]; complaint: () => string } {
  const logEchoes: string[] = []
  const logErrors: string[] = []
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-4_000)
    if (echoIn(complaint)) logEchoes.push(complaint)
  })
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const echoed = echoIn(line)
      if (echoed && logEchoes.length < linesKeptMax) logEchoes.push(line.slice(0, 2_000))
      const level = Number(/"level":(\d+)/.exec(line)?.[1] ?? errorLevel)
      if (level >= errorLevel && logErrors.length < linesKeptMax) logErrors.push(line.slice(0, 2_000))
    })
  return { logEchoes, logErrors, complaint: () => complaint }
}

function readHeld(metrics: string): Held {
  const of = (name: string): number =>
    Number(new RegExp(`^causeway_${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN)
  const mib = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10
  return {
    heapMiB: mib(of('nodejs_heap_size_used_bytes')),
    residentMiB: mib(of('process_resident_memory_bytes')),
    openFiles: of('process_open_fds'),
    handles: of('nodejs_active_handles_total'),
  }
}
