// Finds a running service, or starts one that ends with this process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  /** The operator secret, if known. */
  readonly adminSecret?: string
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..')

/** `CAUSEWAY_URL` and `CAUSEWAY_API_KEY`, else the values that `npm start` stored. */
export function findService(): Service {
  const { CAUSEWAY_URL: url, CAUSEWAY_API_KEY: key, CAUSEWAY_HOME: home = join(ROOT, '.causeway') } = process.env
  const { CAUSEWAY_ADMIN_SECRET, ADMIN_SECRET: adminSecret = CAUSEWAY_ADMIN_SECRET } = process.env
  const stop = async () => {} // it is not ours
  if (url !== undefined && key !== undefined)
    return { baseUrl: url, apiKey: key, ...(adminSecret !== undefined && { adminSecret }), stop }
  return { ...readDev(home), stop }
}

/**
 * Starts a database, the sandbox and the server, on free ports and in a separate folder.
 * @param settings by their names in the environment
 */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-example-'))
  const env = { ...process.env, ...settings, CAUSEWAY_HOME: home, PORT: '0', SANDBOX_PORT: '0' }
  // Not `npm start`, which does not pass signals on.
  const child = spawn(process.execPath, ['packages/cli/bin/causeway.js', 'dev'], { cwd: ROOT, env, stdio: 'pipe' })
  const output: string[] = []
  child.stderr.on('data', (chunk) => output.push(String(chunk)))

  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    for (const path of [...(await databaseOf(home)), home]) await rm(path, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(1)))

  for await (const line of createInterface({ input: child.stdout })) {
    output.push(`${line}\n`)
    if (line.includes('Causeway is ready')) {
      child.stdout.resume() // the process continues to write, and nobody reads it
      return { ...readDev(home), stop }
    }
  }
  await stop()
  throw new Error(`The service did not start:\n${output.join('')}`)
}

function readDev(home: string): Omit<Service, 'stop'> {
  const file = join(home, 'dev.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(
      `No service found: ${file} is not there. Is npm start running? Or set CAUSEWAY_URL and CAUSEWAY_API_KEY.`,
      { cause },
    )
  }
}

/** If root started the database, its folder is elsewhere: `postgres.json` contains the path (/docs/run/deploy). */
async function databaseOf(home: string): Promise<string[]> {
  const pointer = await readFile(join(home, 'postgres.json'), 'utf8').catch(() => null)
  return pointer === null ? [] : [JSON.parse(pointer).directory]
}
