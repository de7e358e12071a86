// The state files of a local deployment: generated secrets and the first business. Also the configuration of a command, with
// these secrets.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../server/src/platform/config.ts'
import { type LocalSecrets, parseConfig } from '../../server/src/platform/settings.ts'
import { isJsonObject } from '../../server/src/platform/values/json.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Reads the configuration of an operator command from `env`. A local sandbox gets generated secrets. */
export async function loadConfig(env: Env): Promise<Config> {
  const mayGenerate = env['CAUSEWAY_MODE'] !== 'live' && !env['DATABASE_URL']
  return parseConfig(env, mayGenerate ? await localSecrets(env['CAUSEWAY_HOME'] || '.causeway') : undefined)
}

/** Reads the generated secrets of a state folder, or generates them. */
export async function localSecrets(home: string): Promise<LocalSecrets> {
  const kept = await readState(home, 'secrets.json')
  const { deploymentSecret, adminSecret } = kept ?? {}
  if (typeof deploymentSecret === 'string' && typeof adminSecret === 'string') return { deploymentSecret, adminSecret }
  const made = {
    deploymentSecret: randomBytes(32).toString('base64url'),
    adminSecret: randomBytes(24).toString('base64url'),
  }
  await writeState(home, 'secrets.json', made)
  return made
}

export async function readState(home: string, name: string): Promise<Record<string, unknown> | null> {
  let text: string
  try {
    text = await readFile(join(home, name), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const value = parsed(text, join(home, name))
  return isJsonObject(value) ? value : null
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreadableFile(path, (error as Error).message)
  }
}

/** One of our files that is not valid, because someone edited the file or the disk was full. */
export class UnreadableFile extends Error {
  readonly path: string
  readonly reason: string
  constructor(path: string, reason: string, next = 'Correct the file, or restore it from a backup.') {
    super(`The file ${path} is not valid JSON: ${reason}. ${next}`)
    this.path = path
    this.reason = reason
  }
}

/** Writes the whole file or nothing, readable only by its owner because it has secrets. */
export async function writeState(home: string, name: string, value: Record<string, unknown>): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const path = join(home, name)
  const draft = `${path}.${process.pid}.new`
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, path)
}
