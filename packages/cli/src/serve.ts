// `causeway serve`: the service as an operator runs it, configured by the environment alone.

import type { Role } from '../../server/src/app/loops.ts'
import { startServer } from '../../server/src/main.ts'
import { type Config, ConfigError, parseConfig } from '../../server/src/platform/config.ts'
import { createLog } from '../../server/src/platform/observe/log.ts'
import type { Env } from './dev.ts'
import { localSecrets } from './local-state.ts'
import { untilToldToStop } from './signals.ts'

/** The configuration of this environment; a local sandbox deployment gets generated secrets. */
export async function loadConfig(env: Env): Promise<Config> {
  const mayGenerate = env['CAUSEWAY_MODE'] !== 'live' && !env['DATABASE_URL']
  return parseConfig(env, mayGenerate ? await localSecrets(env['CAUSEWAY_HOME'] || '.causeway') : undefined)
}

export async function serve(env: Env, role: Role): Promise<void> {
  const config = await loadConfig(env)
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new ConfigError([
      'DATABASE_URL is not set: a part of the service needs a database that the other part can reach',
    ])
  const stop = untilToldToStop()
  const server = await startServer(config, createLog(config.logLevel), undefined, role)
  const part = role === 'all' ? '' : `, ${role} only`
  console.log(`Causeway listens on ${server.url} (${config.mode} mode${part}).`)
  await stop
  await server.stop()
}
