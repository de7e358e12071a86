// The bench's own PostgreSQL: the embedded one, with fsync as in earnest; databases with the product's schema in it; and
// what a measurement needs between two rounds.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetEmbedded, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { openDatabase } from '../../../server/src/platform/postgres/db.ts'
import { migrate } from '../../../server/src/platform/postgres/migrate.ts'

export type BenchDatabase = AsyncDisposable & { connection: ConnectionOptions; db: Database }

export type DatabaseServer = AsyncDisposable & {
  version: string
  /** @param hasSchema whether the product's tables are in it */
  create(name: string, hasSchema?: boolean): Promise<BenchDatabase>
}

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  const removeHome = () => rm(home, { recursive: true, force: true })
  const server = await startEmbedded({ home, durable: true }).catch(async (error: unknown) => {
    await removeHome()
    throw error
  })
  const admin = openDatabase(server.connection, { poolMax: 1, waitMs: 60_000 })
  return {
    version: server.version,
    async create(name, hasSchema = true) {
      await admin.statement((query) => query`create database ${query.names(name)}`)
      const connection = { ...server.connection, database: name }
      // A checkpoint, or the vacuum after ten million rows, may take longer than any query of the product may.
      const db = openDatabase(connection, { poolMax: 4, waitMs: 600_000 })
      if (hasSchema) await migrate(db)
      return { connection, db, [Symbol.asyncDispose]: () => db.close() }
    },
    async [Symbol.asyncDispose]() {
      await admin.close()
      await server.stop()
      await forgetEmbedded(home)
      await removeHome()
    },
  }
}

/** Nothing of the last round is left to be written while the next one is measured. */
export async function settleDisk(db: Database): Promise<void> {
  await db.statement((query) => query`checkpoint`)
}

/** Deletes waiting work, so the next round begins with an empty queue. History stays. */
export async function clearWaiting(db: Database): Promise<void> {
  await db.statement((query) => query`truncate deliveries, event_work`)
  await db.statement((query) => query`update endpoint_lanes set wants_at = null, owner = null`)
}
