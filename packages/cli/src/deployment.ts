// The deployment of an operator: of the environment, of the running local environment, or of a database without a server.

import type { Config } from '../../server/src/platform/config.ts'
import type { ConnectionOptions } from '../../server/src/platform/postgres/client.ts'
import { parseConfig } from '../../server/src/platform/settings.ts'
import { type Env, loadConfig, localSecrets, readState } from './local-state.ts'
import { findRunning } from './running-world.ts'

export type Server = { baseUrl: string; adminSecret: string }
/** `connection` is for the embedded database of a running local environment, which no second process can start. */
export type Deployment = { config: Config; connection: ConnectionOptions | null }

export const homeOf = (env: Env): string => env['CAUSEWAY_HOME'] || '.causeway'

/** An environment with a database is the operator's deployment, even if a local environment runs in the folder. */
export const namesDatabase = (env: Env): boolean => Boolean(env['DATABASE_URL']) || env['CAUSEWAY_MODE'] === 'live'

/** @returns the server that the operator can call: of CAUSEWAY_URL, or of the local environment in this folder */
export async function findServer(env: Env): Promise<Server | null> {
  const { CAUSEWAY_URL: baseUrl, CAUSEWAY_ADMIN_SECRET: adminSecret } = env
  if (baseUrl && adminSecret) return { baseUrl, adminSecret }
  if (namesDatabase(env) || (await findRunning(homeOf(env))) === null) return null
  const facts = (await readState(homeOf(env), 'dev.json')) ?? {}
  const { baseUrl: devUrl, adminSecret: devSecret } = facts
  return typeof devUrl === 'string' && typeof devSecret === 'string'
    ? { baseUrl: devUrl, adminSecret: devSecret }
    : null
}

export async function findDeployment(env: Env): Promise<Deployment> {
  const home = homeOf(env)
  const running = namesDatabase(env) ? null : await findRunning(home)
  if (running?.connection == null) return { config: await loadConfig(env), connection: null }
  const { providerUrl, providerApiKey } = (await readState(home, 'dev.json')) ?? {}
  const settings = {
    PROVIDER_KIND: 'sandbox',
    PROVIDER_URL: String(providerUrl),
    PROVIDER_API_KEY: String(providerApiKey),
    PORT: new URL(running.baseUrl).port,
  }
  return { config: parseConfig({ ...settings, ...env }, await localSecrets(home)), connection: running.connection }
}
