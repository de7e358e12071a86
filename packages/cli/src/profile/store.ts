// Profiles: addresses and keys of deployments, in one file that only its owner can read.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { type Env, readState, writeState } from '../local-state.ts'

export type Profile = { baseUrl: string; apiKey: string }
export type Profiles = { current: string | null; profiles: Readonly<Record<string, Profile>> }

const fileName = 'profiles.json'

/** The folder of what belongs to the person and not to a project (XDG Base Directory). */
export const configFolder = (env: Env): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'causeway')

export async function readProfiles(env: Env): Promise<Profiles> {
  const { current, profiles } = (await readState(configFolder(env), fileName)) ?? {}
  const known = Object.entries(isJsonObject(profiles) ? profiles : {}).flatMap(([name, profile]) =>
    isProfile(profile) ? [[name, { baseUrl: profile.baseUrl, apiKey: profile.apiKey }] as const] : [],
  )
  return {
    current: typeof current === 'string' ? current : null,
    // Without a prototype: `constructor` is the name of no profile.
    profiles: Object.assign(Object.create(null), Object.fromEntries(known)),
  }
}

const isProfile = (value: unknown): value is Profile =>
  isJsonObject(value) && typeof value['baseUrl'] === 'string' && typeof value['apiKey'] === 'string'

/** Replaces what is kept by what `change` makes of it. */
export async function changeProfiles(env: Env, change: (before: Profiles) => Profiles): Promise<void> {
  await writeState(configFolder(env), fileName, change(await readProfiles(env)))
}
