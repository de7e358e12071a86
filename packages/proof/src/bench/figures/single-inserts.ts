// The yardstick of durable writing: single-row inserts by 64 clients, each its own commit, by pgbench where it is
// installed, else by our driver.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { promisify } from 'node:util'
import { openDatabase } from '../../../../server/src/platform/postgres/db.ts'
import { processEnvironment } from '../../../../server/src/platform/settings.ts'
import type { BenchDatabase } from '../database-server.ts'

const clients = 64
const bodyChars = 1_000
const execute = promisify(execFile)

export type SingleInserts = { by: 'pgbench' | 'our driver'; run(seconds: number): Promise<number> }

/** @param directory for the script of pgbench @returns rows a second */
export async function prepareSingleInserts(
  { connection, db }: BenchDatabase,
  directory: string,
): Promise<SingleInserts> {
  await db.statement(
    (query) => query`create table single_rows (id bigint generated always as identity primary key, body text not null)`,
  )
  const env = processEnvironment()
  const isInstalled = await execute('pgbench', ['--version'], { env }).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return { by: 'our driver', run: (seconds) => insertByDriver(connection, seconds) }
  const script = join(directory, 'insert.sql')
  await writeFile(script, `insert into single_rows (body) values ('${'x'.repeat(bodyChars)}');\n`)
  const { host, port, username, password, database } = connection
  return {
    by: 'pgbench',
    async run(seconds) {
      const { stdout } = await execute(
        'pgbench',
        ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), '-f', script, database],
        { env: { ...env, PGHOST: host, PGPORT: String(port), PGUSER: username, PGPASSWORD: password } },
      )
      const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
      if (!(rate > 0)) throw new Error(`pgbench said no rate: ${stdout}`)
      return rate
    },
  }
}

async function insertByDriver(connection: BenchDatabase['connection'], seconds: number): Promise<number> {
  const db = openDatabase(connection, { poolMax: clients })
  const body = 'x'.repeat(bodyChars)
  await Promise.all(Array.from({ length: clients }, () => db.ping()))
  const startMs = performance.now()
  let rows = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - startMs < seconds * 1_000) {
        await db.statement((query) => query`insert into single_rows (body) values (${body})`)
        rows += 1
      }
    }),
  )
  const ms = performance.now() - startMs
  await db.close()
  return (rows * 1_000) / ms
}
