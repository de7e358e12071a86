// The database of several workers: where no other is configured the supervisor holds the embedded one and tells them its address.

import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/observe/log.ts'
import { databaseConnectionsMax } from '../../platform/observe/metrics.ts'
import type { ConnectionOptions } from '../../platform/postgres/client.ts'
import { takeLanesFromDead } from '../../webhooks/delivery/lanes.store.ts'
import { openStore, startEmbeddedStore } from '../open-store.ts'

export type SharedDatabase = { connection: ConnectionOptions | null; close(): Promise<void> }

/** Starts the embedded database unless another one is configured, and frees what a former start has held of it. */
export async function openForWorkers(config: Config, log: Log): Promise<SharedDatabase> {
  if (config.databaseUrl !== undefined) return { connection: null, close: async () => {} }
  const embedded = await startEmbeddedStore(config, log)
  try {
    // Before any worker claims a lane: no process but these workers can use this database.
    const store = await openStore(config, log, embedded.connection)
    await store.db.statement(takeLanesFromDead).finally(() => store.close())
    databaseConnectionsMax.set(0) // of this process, which is closed
    return { connection: embedded.connection, close: () => embedded.stop() }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}
