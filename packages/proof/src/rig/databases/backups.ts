// Backups as an operator takes them with PostgreSQL's own programs: a base backup with the archive of the WAL, brought back to
// a point in time; and a dump, brought back under another login.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, runProgram, untilProgram } from '../programs.ts'
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

export type Dump = { file: string }

/** @param args beside what names the database and the file */
export async function dump(connection: Connection, home: Home, args: readonly string[] = []): Promise<Dump> {
  const file = join(home.folder(`dump-${dumps++}`), 'causeway.dump')
  await runProgram({
    file: programOf('pg_dump'),
    args: [...addressOf(connection), '-d', connection.database, '-Fc', '-f', file, ...args],
    env: { PGPASSWORD: connection.password },
  })
  return { file }
}

let dumps = 0

/**
 * Brings a dump back into a cluster that has never seen the old login.
 * @returns the connection of the new login, which owns everything and may nothing else
 */
export async function restoreDump(into: DebianPostgres, { file }: Dump): Promise<Connection> {
  const { connection } = into
  const login = { ...connection, username: 'another_login', password: 'of the other login', database: 'restored' }
  // What decision record 28 asks of an administrator: the role of one business, given to the login.
  const steps = [
    `create role ${login.username} login password '${login.password}'`,
    'create role causeway_business nologin',
    `grant causeway_business to ${login.username}`,
    `create database ${login.database} owner ${login.username}`,
  ]
  for (const step of steps) await askOn(urlOf(connection), step)
  // Policies name the old login, which is not here. Causeway makes them anew at its first start.
  const list = `${file}.list`
  const entries = await runProgram({ file: programOf('pg_restore'), args: ['-l', file] })
  writeFileSync(list, entries.replace(/^.* POLICY .*\n/gm, ''))
  await runProgram({
    file: programOf('pg_restore'),
    args: [...addressOf(login), '-d', login.database, '--no-owner', '--no-privileges', '-L', list, file],
    env: { PGPASSWORD: login.password },
  })
  return login
}
