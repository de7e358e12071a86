// The configuration of an operator's commands: of the environment alone.

import { type Config, parseConfig } from '../../server/src/platform/config.ts'
import type { Env } from './dev.ts'
import { localSecrets } from './local-state.ts'

/** @returns the configuration of this environment; a local sandbox deployment gets generated secrets */
export async function loadConfig(env: Env): Promise<Config> {
  const mayGenerate = env['CAUSEWAY_MODE'] !== 'live' && !env['DATABASE_URL']
  return parseConfig(env, mayGenerate ? await localSecrets(env['CAUSEWAY_HOME'] || '.causeway') : undefined)
}
