// `causeway serve`: the service as an operator runs it, configured by the environment alone.

import { type Config, parseConfig } from '../config.ts'
import { startServer } from '../main.ts'
import { createLog } from '../observe/log.ts'
import type { Env } from './dev.ts'
import { localSecrets } from './local-state.ts'
import { untilToldToStop } from './signals.ts'

/** The configuration of this environment; a local sandbox deployment gets generated secrets. */
export async function loadConfig(env: Env): Promise<Config> {
  const mayGenerate = env['CAUSEWAY_MODE'] !== 'live' && !env['DATABASE_URL']
  return parseConfig(env, mayGenerate ? await localSecrets(env['CAUSEWAY_HOME'] || '.causeway') : undefined)
}

export async function serve(env: Env): Promise<void> {
  const config = await loadConfig(env)
  const stop = untilToldToStop()
  const server = await startServer(config, createLog(config.logLevel))
  console.log(`Causeway listens on ${server.url} (${config.mode} mode).`)
  await stop
  await server.stop()
}
