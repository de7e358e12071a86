// Which deployment a command talks to, and with which key: options, then the environment, then a profile, then the world of
// this folder. Address and key always come from the same place: a key never goes to an address that it was not given for.

import type { Context, Flags } from '../command.ts'
import { UsageError } from '../command.ts'
import { type Env, readState } from '../local-state.ts'
import { readProfiles } from './store.ts'

export type Target = {
  /** The profile's name, or `environment` or `dev`. Positions of `listen` are kept by it. */
  name: string
  baseUrl: string
  apiKey: string | null
  adminSecret: string | null
}

/** There is no key to work with. */
export class NotSignedIn extends Error {}

/** @throws NotSignedIn, UsageError */
export async function resolveTarget({ env, flags, terminal }: Context): Promise<Target> {
  const given = await givenTarget(env, flags, async () => String((await terminal.readInput?.()) ?? '').trim())
  if (given !== null) return given
  const { current, profiles } = await readProfiles(env)
  const name = flags['profile'] ?? env['CAUSEWAY_PROFILE'] ?? current
  if (typeof name === 'string') {
    const profile = profiles[name]
    if (profile) return { name, adminSecret: null, ...profile }
    throw new NotSignedIn(`There is no profile ${name}. Next: causeway login --profile ${name}`)
  }
  return await devTarget(env)
}

async function givenTarget(env: Env, flags: Flags, readKey: () => Promise<string>): Promise<Target | null> {
  const { CAUSEWAY_URL, CAUSEWAY_API_KEY, CAUSEWAY_ADMIN_SECRET } = env
  if (flags['apiKey'] !== undefined && flags['apiKey'] !== '-')
    throw new UsageError('--api-key takes "-" and reads the key from standard input: others can read arguments')
  if (flags['profile'] !== undefined && flags['baseUrl'] === undefined) return null
  const baseUrl = typeof flags['baseUrl'] === 'string' ? flags['baseUrl'] : CAUSEWAY_URL
  if (!baseUrl) {
    if (flags['apiKey'] === undefined) return null
    throw new UsageError('--api-key needs --base-url or CAUSEWAY_URL')
  }
  const apiKey = flags['apiKey'] === '-' ? await readKey() : CAUSEWAY_API_KEY || null
  return { name: 'environment', baseUrl, apiKey, adminSecret: CAUSEWAY_ADMIN_SECRET || null }
}

async function devTarget(env: Env): Promise<Target> {
  const home = env['CAUSEWAY_HOME'] || '.causeway'
  const { baseUrl, apiKey, adminSecret } = (await readState(home, 'dev.json')) ?? {}
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string' || typeof adminSecret !== 'string')
    throw new NotSignedIn(
      'There is no key to work with. Next: causeway login, or npm start in this folder, or set CAUSEWAY_URL and CAUSEWAY_API_KEY',
    )
  return { name: 'dev', baseUrl, apiKey, adminSecret }
}

/** @throws NotSignedIn */
export function requireKey({ apiKey, baseUrl }: Target): string {
  if (apiKey) return apiKey
  throw new NotSignedIn(`There is no key for ${baseUrl}. Next: set CAUSEWAY_API_KEY, or causeway login`)
}

/** @throws NotSignedIn */
export function requireAdminSecret({ adminSecret, baseUrl }: Target): string {
  if (adminSecret) return adminSecret
  throw new NotSignedIn(`There is no operator secret for ${baseUrl}. Next: set CAUSEWAY_ADMIN_SECRET`)
}
