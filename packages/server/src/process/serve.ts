// The service as a process: starts, prints its address, and stops on request.

import type { Role } from '../app/loops.ts'
import { startServer } from '../main.ts'
import { type Config, ConfigError } from '../platform/config.ts'
import { createLog } from '../platform/observe/log.ts'
import { returnIdleMemory } from './idle-memory.ts'
import { stopRequested } from './signals.ts'

/**
 * Starts the service, prints its URL, and stops it on request.
 * @throws ConfigError if a part of the service is requested without a database that the other part can reach
 */
export async function serve(config: Config, role: Role): Promise<void> {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new ConfigError(['DATABASE_URL is not set: the api and relay parts need a shared database'])
  const stop = stopRequested()
  returnIdleMemory()
  const server = await startServer(config, createLog(config.logLevel), undefined, role)
  const part = role === 'all' ? '' : `, ${role} only`
  console.log(`Causeway listens on ${server.url} (${config.mode} mode${part}).`)
  await stop
  await server.stop()
}
