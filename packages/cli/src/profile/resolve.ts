// The deployment and the key of a command: from options, then the environment, then a profile, then the local environment of this
// folder. URL and key always come from the same source: a key is never sent to a URL that it does not belong to.

import { type Context, type Flags, type Terminal, UsageError } from '../command.ts'
import { type Env, readState } from '../local-state.ts'
import { readProfiles } from './store.ts'

export type Target = {
  /** The profile's name, or `environment` or `dev`. Positions of `listen` are kept by it. */
  name: string
  baseUrl: string
  apiKey: string | null
  adminSecret: string | null
}

/** No API key, or an invalid one. */
export class NotSignedIn extends Error {}

/** @throws NotSignedIn, UsageError */
export async function resolveTarget({ env, flags, terminal }: Context): Promise<Target> {
  const given = await givenTarget(env, flags, async () => String((await terminal.readInput?.()) ?? '').trim())
  if (given !== null) return given
  const target = await storedTarget(env, flags)
  const { CAUSEWAY_API_KEY: ignored } = env
  if (ignored && ignored !== target.apiKey && flags['profile'] === undefined) warnOfIgnoredKey(target, flags, terminal)
  return target
}

async function storedTarget(env: Env, flags: Flags): Promise<Target> {
  const { current, profiles } = await readProfiles(env)
  const name = flags['profile'] ?? env['CAUSEWAY_PROFILE'] ?? current
  if (typeof name === 'string') {
    const profile = profiles[name]
    if (profile) return { name, adminSecret: null, ...profile }
    throw new NotSignedIn(`There is no profile ${name}. Run \`causeway login --profile ${name}\`.`)
  }
  return await devTarget(env)
}

function warnOfIgnoredKey({ name, baseUrl, apiKey }: Target, { json }: Flags, { complain }: Terminal): void {
  const source = name === 'dev' ? 'the local environment of this folder' : `the profile ${name}`
  const message = `CAUSEWAY_API_KEY is ignored because CAUSEWAY_URL is not set. Using ${source}: ${baseUrl} with the key ${masked(apiKey ?? '')}.`
  complain(json ? JSON.stringify({ warning: { code: 'api_key_ignored', message } }) : `Warning: ${message}`)
}

/** Shows enough of a key to distinguish it from others. */
export const masked = (key: string): string => (key.length < 20 ? '…' : `${key.slice(0, 9)}…${key.slice(-4)}`)

async function givenTarget(env: Env, flags: Flags, readKey: () => Promise<string>): Promise<Target | null> {
  const { CAUSEWAY_URL, CAUSEWAY_API_KEY, CAUSEWAY_ADMIN_SECRET } = env
  if (flags['apiKey'] !== undefined && flags['apiKey'] !== '-')
    throw new UsageError('--api-key takes "-" and reads the key from standard input: other users can read arguments')
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
      'No API key found. Run `causeway login`, start the local environment with `npm start`, or set CAUSEWAY_URL and CAUSEWAY_API_KEY.',
    )
  return { name: 'dev', baseUrl, apiKey, adminSecret }
}

/** @throws NotSignedIn */
export function requireKey({ apiKey, baseUrl }: Target): string {
  if (apiKey) return apiKey
  throw new NotSignedIn(`No API key for ${baseUrl}. Set CAUSEWAY_API_KEY, or run \`causeway login\`.`)
}

/** @throws NotSignedIn */
export function requireAdminSecret({ adminSecret, baseUrl }: Target): string {
  if (adminSecret) return adminSecret
  throw new NotSignedIn(`No operator secret for ${baseUrl}. Set CAUSEWAY_ADMIN_SECRET.`)
}
