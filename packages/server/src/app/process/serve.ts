// The service as a process, or as several that share a port: starts, prints its address, and stops on request.

import cluster from 'node:cluster'
import { startServer } from '../../main.ts'
import { type Config, ConfigError } from '../../platform/config.ts'
import { createLog } from '../../platform/observe/log.ts'
import type { Role } from '../loops.ts'
import { stopRequested } from './signals.ts'

/**
 * Starts the service, prints where it listens, and stops it on request.
 * @param workers processes that share the port; with more than one this process supervises them, or is one of them
 * @returns the exit code
 * @throws ConfigError when a part of the service is asked for and no database that the other part can reach is configured
 */
export async function serve(config: Config, role: Role, workers = 1): Promise<number> {
  if (role !== 'all' && config.databaseUrl === undefined)
    throw new ConfigError([
      'DATABASE_URL is not set: a part of the service needs a database that the other part can reach',
    ])
  if (workers > 1 && cluster.isWorker) {
    const { runWorker } = await import('./worker.ts')
    await runWorker(config, role)
    return 0
  }
  if (workers > 1) {
    const { superviseWorkers } = await import('./supervisor.ts')
    return await superviseWorkers(config, role, workers)
  }
  const stop = stopRequested()
  const server = await startServer(config, createLog(config.logLevel), undefined, role)
  const part = role === 'all' ? '' : `, ${role} only`
  console.log(`Causeway listens on ${server.url} (${config.mode} mode${part}).`)
  await stop
  await server.stop()
  return 0
}
