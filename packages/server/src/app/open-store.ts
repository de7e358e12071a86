// Opens and closes the database of a configuration, the embedded one by default.

import { type EmbeddedPostgres, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/observe/log.ts'
import { hideFromLogs } from '../platform/observe/redaction.ts'
import type { ConnectionOptions } from '../platform/postgres/client.ts'
import { requireAddresses } from '../platform/postgres/connecting/address-problems.ts'
import { readAddresses } from '../platform/postgres/connecting/addresses.ts'
import { openDatabase } from '../platform/postgres/db.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import type { Refusal } from '../platform/postgres/waiting/refusals.ts'

export type OpenStore = ReturnType<typeof beginStore>

// A working pool returns a connection within milliseconds.
const shutdownWaitMs = 2_000

/**
 * A running database instead of the configured one, or the embedded database that another part of this process starts.
 */
export type GivenDatabase = ConnectionOptions | { isOurs: true; connection: Promise<ConnectionOptions> }

/** Starts the embedded database of a configuration. */
function startEmbeddedStore(config: Config, log: Log): Promise<EmbeddedPostgres> {
  return startEmbedded({ home: config.home, log: (line) => log.debug({ source: 'postgres' }, line) })
}

/** Opens the database with its schema up to date; starts the embedded one. */
export async function openStore(config: Config, log: Log, given?: ConnectionOptions): Promise<OpenStore> {
  const store = beginStore(config, log, given)
  try {
    await store.ready
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the database without waiting for it: `ready` rejects as `openStore` does. */
export function beginStore(config: Config, log: Log, given?: GivenDatabase) {
  hideFromLogs(secretsOf(config))
  const isGivenOurs = given !== undefined && 'isOurs' in given
  const embedded = given || config.databaseUrl ? null : startEmbeddedStore(config, log)
  const target = isGivenOurs
    ? given.connection
    : (given ?? embedded?.then(({ connection }) => connection) ?? { url: config.databaseUrl ?? '' })
  const direct = given || config.databaseDirectUrl === undefined ? undefined : { url: config.databaseDirectUrl }
  const onRefusal = (refusal: Refusal) => log.error({ ...refusal }, 'database refused work')
  const db = openDatabase(target, { poolMax: config.databasePoolMax, direct, onRefusal })
  const beside = direct ? openDatabase(direct, { poolMax: 3 }) : null // for the time of the start
  const check = async () => {
    await target
    if (!given) await requireAddresses(config, db, beside)
  }
  const usable = check()
  const bringUpToDate = async () => {
    await usable
    const applied = await migrate(beside ?? db).finally(() => beside?.close())
    if (applied.length > 0) log.info({ applied }, 'database schema updated')
  }
  const ready = bringUpToDate()
  for (const promise of [usable, ready]) promise.catch(() => {}) // thrown where it is awaited
  const started = embedded?.catch(() => null)
  return {
    db,
    /** The embedded database: no other process can use it while this one lives. */
    isOurs: embedded !== null || isGivenOurs,
    /** Checks that the service can work with the database URLs; must run before any other query. */
    usable,
    ready,
    /** From now on, a database that exits is not restarted, and no query waits long for it. */
    beginShutdown(): void {
      void started?.then((server) => server?.beginShutdown())
      db.beginShutdown(shutdownWaitMs)
    },
    async close(): Promise<void> {
      await Promise.all([db.close(), beside?.close()])
      await (await started)?.stop()
    },
  }
}

function secretsOf(config: Config): string[] {
  const { databaseUrl, databaseDirectUrl, providerApiKey, adminSecret, deploymentSecrets, metricsToken } = config
  const passwords = [databaseUrl, databaseDirectUrl].map((url) => (url ? readAddresses(url).password : ''))
  return [...passwords, providerApiKey ?? '', adminSecret, metricsToken ?? '', ...deploymentSecrets]
}
