// Profiles: URLs and keys of deployments, in one file that only its owner can read.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { type Env, readState, UnreadableFile, writeState } from '../local-state.ts'

export type Profile = { baseUrl: string; apiKey: string }
export type Profiles = { current: string | null; profiles: Readonly<Record<string, Profile>> }

const fileName = 'profiles.json'

/** The configuration folder of the user, independent of a project (XDG Base Directory). */
export const configFolder = (env: Env): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'causeway')

export async function readProfiles(env: Env): Promise<Profiles> {
  const { current, profiles } = (await readState(configFolder(env), fileName).catch(nameRemedy)) ?? {}
  const known = Object.entries(isJsonObject(profiles) ? profiles : {}).flatMap(([name, profile]) =>
    isProfile(profile) ? [[name, { baseUrl: profile.baseUrl, apiKey: profile.apiKey }] as const] : [],
  )
  return {
    current: typeof current === 'string' ? current : null,
    // Without a prototype: `constructor` is not a profile.
    profiles: Object.assign(Object.create(null), Object.fromEntries(known)),
  }
}

function nameRemedy(error: unknown): never {
  if (!(error instanceof UnreadableFile)) throw error
  throw new UnreadableFile(error.path, error.reason, 'Correct the file, or delete it and run `causeway login`.')
}

const isProfile = (value: unknown): value is Profile =>
  isJsonObject(value) && typeof value['baseUrl'] === 'string' && typeof value['apiKey'] === 'string'

export async function changeProfiles(env: Env, change: (before: Profiles) => Profiles): Promise<void> {
  await writeState(configFolder(env), fileName, change(await readProfiles(env)))
}
