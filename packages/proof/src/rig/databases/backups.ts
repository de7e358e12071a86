// Backups as an operator takes them with PostgreSQL's own programs: a base backup with the archive of the WAL, brought back to
// a point in time; and a dump, brought back under another login.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Home, openHome, runProgram, untilProgram } from '../programs.ts'
import type { Database, DatabasePlan, Dump } from './database.ts'
import { type DebianPostgres, programOf, startDebianPostgres } from './debian.ts'
import { askOn, type Connection, urlOf } from './session.ts'

export type Archive = { folder: string; settings: Readonly<Record<string, string>> }

/** @returns what a server archives its WAL with */
export function openArchive(home: Home): Archive {
  const folder = home.folder('archive')
  const command = `test ! -f ${folder}/%f && cp %p ${folder}/%f`
  return { folder, settings: { wal_level: 'replica', archive_mode: 'on', archive_command: command } }
}

const addressOf = ({ host, port, username }: Connection) => ['-h', host, '-p', String(port), '-U', username]

/** @returns the folder of the backup */
export async function takeBaseBackup({ connection }: DebianPostgres, home: Home): Promise<string> {
  const folder = home.folder('base')
  await runProgram({
    file: programOf('pg_basebackup'),
    args: [...addressOf(connection), '-D', folder, '-X', 'stream', '-c', 'fast'],
    env: { PGPASSWORD: connection.password },
  })
  return folder
}

/** Starts a base backup as it was at `time`, under the address of the server that it was taken of, which is gone. */
export async function restoreTo(
  time: Date,
  { connection }: Pick<DebianPostgres, 'connection'>,
  { backup, archive }: { backup: string; archive: Archive },
): Promise<DebianPostgres> {
  writeFileSync(join(backup, 'recovery.signal'), '')
  const restored = await startDebianPostgres({
    dataFolder: backup,
    password: connection.password,
    port: connection.port,
    settings: {
      restore_command: `cp ${archive.folder}/%f %p`,
      recovery_target_time: time.toISOString().replace('T', ' ').replace('Z', '+00'),
      recovery_target_action: 'promote',
    },
  })
  const server = { name: 'PostgreSQL', isRunning: restored.isRunning, log: restored.log }
  await untilProgram('was promoted', server, async () => {
    const [row] = await askOn<{ is: boolean }>(urlOf(connection), 'select not pg_is_in_recovery() as is')
    return row?.is === true
  })
  return restored
}

const archivedMsMax = 30_000

export async function untilArchived(url: string): Promise<void> {
  const [last] = await askOn<{ file: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as file')
  const deadline = performance.now() + archivedMsMax
  for (;;) {
    const [row] = await askOn<{ file: string | null }>(url, 'select last_archived_wal as file from pg_stat_archiver')
    if ((row?.file ?? '') >= (last?.file ?? '')) return
    if (performance.now() > deadline) throw new Error('the WAL was not archived in time')
    await delay(200)
  }
}

async function dump(connection: Connection, file: string, args: readonly string[]): Promise<void> {
  await runProgram({
    file: programOf('pg_dump'),
    args: [...addressOf(connection), '-d', connection.database, '-Fc', '-f', file, ...args],
    env: { PGPASSWORD: connection.password },
  })
}

export async function takeDump(connection: Connection, home: Home, counted: readonly string[]): Promise<Dump> {
  const file = join(home.folder('dump'), 'causeway.dump')
  const client = new pg.Client({ connectionString: urlOf(connection), application_name: 'proof' })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read')
    const shown = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
    await dump(connection, file, [`--snapshot=${shown.rows[0]?.snapshot}`])
    const rows: Record<string, number> = {}
    for (const table of counted)
      rows[table] = Number((await client.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]?.count)
    return { file, rows }
  } finally {
    await client.end()
  }
}

export type Restored = Database & {
  /** Takes a dump by the login that owns everything. @throws Error with what pg_dump wrote */
  dump(...args: readonly string[]): Promise<void>
}

/** A dump, restored into another cluster under another login. */
export function restoredDump({ file }: Dump): DatabasePlan<Restored> {
  return {
    needs: [['postgres', 'postgresql-15']],
    async open(stack) {
      const cluster = stack.use(await startDebianPostgres())
      const home = stack.use(openHome())
      const login = await restoreDump(cluster, file, home)
      const url = urlOf(login)
      const out = join(home.folder('dump'), 'causeway.dump')
      return {
        url,
        ask: (sql, values) => askOn(url, sql, values),
        ends: () => 0,
        heal: async () => {},
        dump: (...args) => dump(login, out, args),
        [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
      }
    },
  }
}

/** @returns the new login, which owns everything in its database and has no other right */
async function restoreDump({ connection }: DebianPostgres, file: string, home: Home): Promise<Connection> {
  const login = { ...connection, username: 'another_login', password: 'of the other login', database: 'restored' }
  // The steps of an administrator for a login without CREATEROLE (decision record 28): create the role of a business, and grant
  // it.
  const steps = [
    `create role ${login.username} login password '${login.password}'`,
    'create role causeway_business nologin',
    `grant causeway_business to ${login.username}`,
    `create database ${login.database} owner ${login.username}`,
  ]
  for (const step of steps) await askOn(urlOf(connection), step)
  // Policies name the old login, which this cluster does not have. Causeway creates them at its first start.
  const list = join(home.folder('list'), 'causeway.list')
  const entries = await runProgram({ file: programOf('pg_restore'), args: ['-l', file] })
  writeFileSync(list, entries.replace(/^.* POLICY .*\n/gm, ''))
  await runProgram({
    file: programOf('pg_restore'),
    args: [...addressOf(login), '-d', login.database, '--no-owner', '--no-privileges', '-L', list, file],
    env: { PGPASSWORD: login.password },
  })
  return login
}
