// The state of a local deployment beside its database: generated secrets and the first business; and the configuration of a
// command, with these secrets in it.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../server/src/platform/config.ts'
import { type LocalSecrets, parseConfig } from '../../server/src/platform/settings.ts'
import { isJsonObject } from '../../server/src/platform/values/json.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Reads the configuration of an operator's command. @returns that of `env`; a local sandbox gets generated secrets */
export async function loadConfig(env: Env): Promise<Config> {
  const mayGenerate = env['CAUSEWAY_MODE'] !== 'live' && !env['DATABASE_URL']
  return parseConfig(env, mayGenerate ? await localSecrets(env['CAUSEWAY_HOME'] || '.causeway') : undefined)
}

/** Reads the generated secrets of a state folder, or makes them. */
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
  const value: unknown = JSON.parse(text)
  return isJsonObject(value) ? value : null
}

/** Whole or not at all, and readable by its owner only: it holds secrets. */
export async function writeState(home: string, name: string, value: Record<string, unknown>): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const path = join(home, name)
  const draft = `${path}.${process.pid}.new`
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, path)
}
