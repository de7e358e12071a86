// The database of a configuration: where it is, its schema, and the way it is let go.

import { startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/observe/log.ts'
import { hideFromLogs } from '../platform/observe/redaction.ts'
import type { ConnectionOptions } from '../platform/postgres/client.ts'
import { type Database, openDatabase } from '../platform/postgres/db.ts'
import { migrate } from '../platform/postgres/migrate.ts'

export type OpenStore = {
  db: Database
  /** No other process can work with it as long as this one lives: the embedded database. */
  isOurs: boolean
  /** Shutdown has begun: a database that exits is not restarted, and no query waits long for it. */
  beginShutdown(): void
  close(): Promise<void>
}

// A pool that works hands out a connection within milliseconds; a few such waits in a row are still only seconds.
const waitMsAtEnd = 2_000

/** Of an embedded database that somebody else in this process has started. */
export type OwnDatabase = { isOurs: true; connection: Promise<ConnectionOptions> }

/** A database that is running already or coming up, instead of the configured one. */
export type GivenDatabase = ConnectionOptions | Promise<ConnectionOptions> | OwnDatabase

/** The database of this configuration, started if it is the embedded one, with its schema up to date. */
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

/** The same at once: what does not ask the database goes on meanwhile. `ready` fails as `openStore` does. */
export function beginStore(config: Config, log: Log, given?: GivenDatabase): OpenStore & { ready: Promise<void> } {
  hideFromLogs(secretsOf(config))
  const embedded =
    given || config.databaseUrl
      ? null
      : startEmbedded({
          home: config.home,
          log: (line) => log.debug({ source: 'postgres' }, line),
          ...(config.pgBin === undefined ? {} : { binaries: config.pgBin }),
        })
  const isOurs = embedded !== null || (given !== undefined && 'isOurs' in given)
  const running = given !== undefined && 'isOurs' in given ? given.connection : given
  const target = running ?? embedded?.then(({ connection }) => connection) ?? { url: config.databaseUrl ?? '' }
  const db = openDatabase(target, { poolMax: config.databasePoolMax })
  const bringUpToDate = async () => {
    await target
    const applied = await migrate(db)
    if (applied.length > 0) log.info({ applied }, 'the database schema was brought up to date')
  }
  const ready = bringUpToDate()
  ready.catch(() => {}) // it is waited for by whoever opens the store, but maybe not yet
  const started = embedded?.catch(() => null)
  return {
    db,
    isOurs,
    ready,
    beginShutdown() {
      void started?.then((server) => server?.beginShutdown())
      db.beginShutdown(waitMsAtEnd)
    },
    async close() {
      await db.close()
      await (await started)?.stop()
    },
  }
}

function secretsOf(config: Config): string[] {
  const { databaseUrl, providerApiKey, adminSecret, deploymentSecrets } = config
  const password = databaseUrl ? decodeURIComponent(new URL(databaseUrl).password) : ''
  return [password, providerApiKey ?? '', adminSecret, ...deploymentSecrets]
}
