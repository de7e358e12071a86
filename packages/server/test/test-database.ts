// A separate database for each test file: cloned from a migrated template, dropped at the end. `npm test` starts the
// cluster; a file that is run alone starts one.

import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetEmbedded, startEmbedded } from '../../embedded-postgres/src/embedded.ts'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'
import { openClient } from '../src/platform/postgres/client.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { migrate, readMigrations } from '../src/platform/postgres/migrate.ts'
import type { Query } from '../src/platform/postgres/query.ts'
import { readRules } from '../src/platform/postgres/row-security.ts'

export type TestDatabase = { connection: ConnectionOptions; drop(): Promise<void> }

type Cluster = { connection: ConnectionOptions; stop(): Promise<void> }

async function openCluster(running: ConnectionOptions | undefined): Promise<Cluster> {
  if (running) return { connection: running, stop: async () => {} }
  const given = process.env['CAUSEWAY_TEST_PG']
  if (given === undefined) return await startCluster()
  return { connection: JSON.parse(given) as ConnectionOptions, stop: async () => {} }
}

/** Starts a PostgreSQL that no other test uses. */
export async function startCluster(): Promise<Cluster> {
  const homes = process.env['CAUSEWAY_TEST_HOMES'] // `npm test` empties it, whatever becomes of this process
  const home = await mkdtemp(join(homes ?? tmpdir(), 'causeway-one-test-'))
  const server = await startEmbedded({ home, durable: false })
  return {
    connection: server.connection,
    async stop() {
      await server.stop()
      await forgetEmbedded(home)
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** @param running a cluster to make it in, instead of that of the tests */
export async function testDatabase(running?: ConnectionOptions): Promise<TestDatabase> {
  const cluster = await openCluster(running)
  const { query: admin, close } = await openClient(cluster.connection, { applicationName: 'test' })
  const name = `t_${randomBytes(6).toString('hex')}`
  const template = await migratedTemplate(admin, cluster.connection)
  // By copying files: through the log it takes five times as long.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  return {
    connection: { ...cluster.connection, database: name },
    async drop() {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
      await close()
      await cluster.stop()
    },
  }
}

/** Made once per cluster and state of the migrations; files that start side by side wait for the first. */
async function migratedTemplate(admin: Query, connection: ConnectionOptions): Promise<string> {
  const sources = [...(await readMigrations()).map((migration) => migration.sql), await readRules()].join('\n')
  const name = `template_${createHash('sha256').update(sources).digest('hex').slice(0, 12)}`
  await admin`select pg_advisory_lock(hashtext(${name}))`
  try {
    const found = await admin`select 1 from pg_database where datname = ${name}`
    if (found.length > 0) return name
    const draft = `${name}_draft`
    await admin.unsafe(`drop database if exists ${draft} with (force)`)
    await admin.unsafe(`create database ${draft}`)
    const db = openDatabase({ ...connection, database: draft }, { poolMax: 2 })
    await migrate(db)
    await db.close()
    await admin.unsafe(`alter database ${draft} rename to ${name}`)
    return name
  } finally {
    await admin`select pg_advisory_unlock(hashtext(${name}))`
  }
}
