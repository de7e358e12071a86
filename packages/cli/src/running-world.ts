// The process of the local environment of a state folder, in a file that the first `npm start` writes and a second one reads.

import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { ConnectionOptions } from '../../server/src/platform/postgres/client.ts'
import { isJsonObject } from '../../server/src/platform/values/json.ts'
import { readState, writeState } from './local-state.ts'

const name = 'running.json'
const answerMsMax = 1_000

/** `connection` is for its embedded database; null with another database. */
export type RunningWorld = { pid: number; baseUrl: string; connection: ConnectionOptions | null }

export async function noteRunning(home: string, world: Omit<RunningWorld, 'pid'>): Promise<void> {
  await writeState(home, name, { pid: process.pid, ...world })
}

/** @returns the running local environment of a state folder, or null */
export async function findRunning(home: string): Promise<RunningWorld | null> {
  const { pid, baseUrl, connection } = (await readState(home, name)) ?? {}
  // A killed process leaves its state file, and its port may belong to another program now. Check that the server is Causeway.
  if (typeof pid !== 'number' || typeof baseUrl !== 'string' || !(await isCauseway(baseUrl))) return null
  return { pid, baseUrl, connection: isConnection(connection) ? connection : null }
}

const isConnection = (value: unknown): value is ConnectionOptions =>
  isJsonObject(value) && typeof value['host'] === 'string' && typeof value['port'] === 'number'

export async function forgetRunning(home: string): Promise<void> {
  await rm(join(home, name), { force: true })
}

/** @throws Error with the URL and process of the local environment that runs here */
export async function refuseSecondWorld(home: string): Promise<void> {
  const running = await findRunning(home)
  if (running === null) return
  const { pid, baseUrl } = running
  throw new Error(
    `Another \`npm start\` already uses the database of ${home}: process ${pid}, ${baseUrl}. ` +
      'Stop it first (Ctrl-C in its terminal), or set CAUSEWAY_HOME, PORT and SANDBOX_PORT for a second local environment.',
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

/** Checks the ports before the start, so that two used ports are reported together. @throws Error with each used port */
export async function refuseTakenPorts(ports: Readonly<Record<string, number>>): Promise<void> {
  const problems: string[] = []
  for (const [setting, port] of Object.entries(ports)) {
    if (port !== 0 && (await isTaken(port)))
      problems.push(`Port ${port} is already in use. Set ${setting} to another port; 0 picks a free one.`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)))
  })
}
