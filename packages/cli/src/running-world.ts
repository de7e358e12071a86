// The process that runs the world of a state folder, in a file that only the first `npm start` writes and a second one reads.

import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { ConnectionOptions } from '../../server/src/platform/postgres/client.ts'
import { isJsonObject } from '../../server/src/platform/values/json.ts'
import { readState, writeState } from './local-state.ts'

const name = 'running.json'
const answerMsMax = 1_000

/** `connection` leads to its embedded database; null when the world has another one. */
export type RunningWorld = { pid: number; baseUrl: string; connection: ConnectionOptions | null }

export async function noteRunning(home: string, world: Omit<RunningWorld, 'pid'>): Promise<void> {
  await writeState(home, name, { pid: process.pid, ...world })
}

/** @returns the world that runs in a state folder, or null */
export async function findRunning(home: string): Promise<RunningWorld | null> {
  const { pid, baseUrl, connection } = (await readState(home, name)) ?? {}
  // A process that was killed leaves the file, and another program may have its port by now: so it has to answer as ours does.
  if (typeof pid !== 'number' || typeof baseUrl !== 'string' || !(await isCauseway(baseUrl))) return null
  return { pid, baseUrl, connection: isConnection(connection) ? connection : null }
}

const isConnection = (value: unknown): value is ConnectionOptions =>
  isJsonObject(value) && typeof value['host'] === 'string' && typeof value['port'] === 'number'

export async function forgetRunning(home: string): Promise<void> {
  await rm(join(home, name), { force: true })
}

/** @throws Error that names the address and process of the world that runs here */
export async function refuseSecondWorld(home: string): Promise<void> {
  const running = await findRunning(home)
  if (running === null) return
  const { pid, baseUrl } = running
  throw new Error(
    `Another npm start already works with the database of ${home}: process ${pid}, ${baseUrl}. ` +
      'Stop it first (Ctrl-C in its terminal), or set CAUSEWAY_HOME, PORT and SANDBOX_PORT to begin a second world.',
  )
}

async function isCauseway(baseUrl: string): Promise<boolean> {
  try {
    const headers = { accept: 'application/json' }
    const answer: unknown = await (await fetch(baseUrl, { headers, signal: AbortSignal.timeout(answerMsMax) })).json()
    return isJsonObject(answer) && answer['name'] === 'Causeway'
  } catch {
    return false
  }
}

/** Looks before anything starts, so that two taken ports cost one start. @throws Error that names each taken port */
export async function refuseTakenPorts(ports: Readonly<Record<string, number>>): Promise<void> {
  const problems: string[] = []
  for (const [setting, port] of Object.entries(ports)) {
    if (port !== 0 && (await isTaken(port)))
      problems.push(`Port ${port} is in use already. Set ${setting} to another one; 0 picks a free one.`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)))
  })
}
