// The process that runs the world of a state folder, in a file that only the first `npm start` writes and a second one reads.

import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { isJsonObject } from '../../server/src/platform/values/json.ts'
import { readState, writeState } from './local-state.ts'

const name = 'running.json'
const answerMsMax = 1_000

export async function noteRunning(home: string, baseUrl: string): Promise<void> {
  await writeState(home, name, { pid: process.pid, baseUrl })
}

export async function forgetRunning(home: string): Promise<void> {
  await rm(join(home, name), { force: true })
}

/** @throws Error that names the address and process of the world that runs here */
export async function refuseSecondWorld(home: string): Promise<void> {
  const { pid, baseUrl } = (await readState(home, name)) ?? {}
  // A process that was killed leaves the file, and another program may have its port by now: so it has to answer as ours does.
  if (typeof pid !== 'number' || typeof baseUrl !== 'string' || !(await isCauseway(baseUrl))) return
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
