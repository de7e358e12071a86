// A dump that was taken under load, brought back into another cluster under another login: everything is there, the wall
// between businesses stands, and a server starts on it and works.

import { type ConnectionOptions, openClient } from '../../../server/src/platform/postgres/client.ts'
import { request } from '../../../server/test/caller.ts'
import { startServe } from '../../../server/test/serve-process.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Dump, dump, restoreDump } from '../rig/databases/backups.ts'
import { type DebianPostgres, startDebianPostgres } from '../rig/databases/debian.ts'
import { askOn, urlOf } from '../rig/databases/session.ts'
import type { Home } from '../rig/programs.ts'
import { operatorOf } from './operator.ts'

export type DumpFigures = { dumpRowsDiffering: number; dumpRequestsServed: number; dumpRefusedToOwner: number }

/** Tables in which nothing changes behind the point in time that a dump shows. */
const kept = ['businesses', 'webhook_endpoints', 'audit_log', 'end_users', 'virtual_accounts', 'operations']

/** A dump, with the number of rows that the same moment shows. */
export type Taken = { dump: Dump; rows: Readonly<Record<string, number>> }

/** Takes a dump under load, on the snapshot that the rows are counted in. */
export async function takeDump(primary: DebianPostgres, home: Home): Promise<Taken> {
  const client = await openClient(primary.connection, { applicationName: 'proof' })
  try {
    await client.query.unsafe('begin isolation level repeatable read')
    const [shown] = await client.query.unsafe<{ snapshot: string }[]>('select pg_export_snapshot() as snapshot')
    const taken = await dump(primary.connection, home, [`--snapshot=${shown?.snapshot}`])
    const rows = await rowsOf(async (sql) => [...(await client.query.unsafe<{ count: number }[]>(sql))])
    await client.query.unsafe('commit')
    return { dump: taken, rows }
  } finally {
    await client.close()
  }
}

async function rowsOf(read: (sql: string) => Promise<readonly { count: number }[]>): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of kept) rows[table] = (await read(`select count(*)::int as count from ${table}`))[0]?.count ?? -1
  return rows
}

export async function proveDump(fleet: Fleet, { dump: taken, rows }: Taken, home: Home): Promise<DumpFigures> {
  await using cluster = await startDebianPostgres()
  const login = await restoreDump(cluster, taken)
  const operator = operatorOf(fleet, login)
  // No server of this copy may act beside the other one: the provider is a port at which nobody answers.
  const settings = { PROVIDER_URL: 'http://127.0.0.1:9/v0', RECONCILE_PERIOD_SECONDS: '0' }
  const after = await operator('after-restore')
  if (after.code !== 0) throw new Error(`after-restore refused the dump: ${after.stderr}`)
  const world = { database: login, inside: { config: fleet.deployment.deps.config } }
  await using server = await startServe(world, settings, ['--only', 'api'])
  const { served, key } = await useServer(server.url, operator, fleet.business.id)
  const found = await rowsOf((sql) => asBusinessOwner(login, sql))
  return {
    dumpRowsDiffering: kept.filter((table) => differs(table, rows[table] ?? -1, found[table] ?? -1, served)).length,
    dumpRequestsServed: key === null ? 0 : served,
    dumpRefusedToOwner: await isRefusedToOwner(login, home),
  }
}

const asBusinessOwner = (login: ConnectionOptions, sql: string) => askOn<{ count: number }>(urlOf(login), sql)

/** The command, the new key and the write that was served have added to these. */
function differs(table: string, before: number, now: number, served: number): boolean {
  if (table === 'audit_log') return now <= before
  if (table === 'end_users') return now !== before + (served > 0 ? 1 : 0)
  return now !== before
}

async function useServer(
  url: string,
  operator: ReturnType<typeof operatorOf>,
  businessId: string,
): Promise<{ served: number; key: string | null }> {
  const issued = (await operator('key', 'issue', '--customer', businessId)).answer as { key?: string } | null
  const key = issued?.key ?? null
  const headers = { authorization: `Bearer ${key}` }
  const answers = [
    await request('POST', `${url}/v0/end-users`, { externalUserId: 'after-the-dump' }, { headers }),
    await request('GET', `${url}/v0/end-users/after-the-dump`, undefined, { headers }),
    await request('GET', `${url}/v0/events?limit=5`, undefined, { headers }),
    await request('GET', `${url}/v0/audit-log?limit=5`, undefined, { headers }),
  ]
  return { served: answers.filter(({ status }) => status === 200).length, key }
}

/** The owner of the tables is behind the wall as well: PostgreSQL refuses an incomplete dump instead of writing it. */
async function isRefusedToOwner(login: ConnectionOptions, home: Home): Promise<number> {
  const refused = await dump(login, home).then(
    () => false,
    (error: Error) => error.message.includes('row-level security'),
  )
  await dump(login, home, ['--enable-row-security'])
  return refused ? 1 : 0
}
