// Which deployment secrets stored values need, by their key ids, and which one each running server writes with.

import type { Query, Tx } from '../postgres/query.ts'
import { version } from '../version.ts'

export async function listNeededKeyIds(query: Query): Promise<string[]> {
  const rows = await query<{ keyId: string }[]>`
    select key_id from deployment_secrets where retired_at is null order by first_seen, key_id`
  return rows.map(({ keyId }) => keyId)
}

/** @param keyIds newest first: that one is written with from now on, even if it had been retired */
export async function noteKeyIds(tx: Tx, keyIds: readonly string[]): Promise<void> {
  await tx`
    insert into deployment_secrets (key_id) select unnest(${keyIds}::text[]) on conflict (key_id) do nothing`
  await tx`update deployment_secrets set retired_at = null where key_id = ${keyIds[0] ?? ''} and retired_at is not null`
}

export async function retireKeyIds(tx: Tx, keyIds: readonly string[]): Promise<void> {
  await tx`update deployment_secrets set retired_at = now() where key_id = any(${keyIds}::text[])`
}

/** @param role what it does of the service */
export type Writer = { server: string; keyId: string; role: string }

export async function noteWriter(tx: Tx, { server, keyId, role }: Writer, seconds: number): Promise<void> {
  await tx`delete from deployment_secret_writers where until < now()`
  await tx`
    insert into deployment_secret_writers (server, key_id, until, version, role)
    values (${server}, ${keyId}, now() + make_interval(secs => ${seconds}), ${version}, ${role})
    on conflict (server) do update set key_id = excluded.key_id, until = excluded.until`
}

export async function endWriter(tx: Tx, server: string): Promise<void> {
  await tx`delete from deployment_secret_writers where server = ${server}`
}

/** Servers that write with another secret than this one. */
export async function countOtherWriters(query: Query, keyId: string): Promise<number> {
  const rows = await query<{ count: number }[]>`
    select count(*)::int as count from deployment_secret_writers where key_id <> ${keyId} and until >= now()`
  return rows[0]?.count ?? 0
}
