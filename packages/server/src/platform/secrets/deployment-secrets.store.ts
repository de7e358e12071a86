// Which deployment secrets stored values need, by their marks, and which one each running server writes with.

import type { Query, Tx } from '../postgres/query.ts'

export async function listNeededMarks(query: Query): Promise<string[]> {
  const rows = await query<{ mark: string }[]>`
    select mark from deployment_secrets where retired_at is null order by first_seen, mark`
  return rows.map(({ mark }) => mark)
}

/** @param marks newest first: that one is written with from now on, even if it had been retired */
export async function noteMarks(tx: Tx, marks: readonly string[]): Promise<void> {
  await tx`
    insert into deployment_secrets (mark) select unnest(${marks}::text[]) on conflict (mark) do nothing`
  await tx`update deployment_secrets set retired_at = null where mark = ${marks[0] ?? ''} and retired_at is not null`
}

export async function retireMarks(tx: Tx, marks: readonly string[]): Promise<void> {
  await tx`update deployment_secrets set retired_at = now() where mark = any(${marks}::text[])`
}

export async function noteWriter(tx: Tx, server: string, mark: string, seconds: number): Promise<void> {
  await tx`delete from deployment_secret_writers where until < now()`
  await tx`
    insert into deployment_secret_writers (server, mark, until)
    values (${server}, ${mark}, now() + make_interval(secs => ${seconds}))
    on conflict (server) do update set mark = excluded.mark, until = excluded.until`
}

export async function endWriter(tx: Tx, server: string): Promise<void> {
  await tx`delete from deployment_secret_writers where server = ${server}`
}

/** Servers that write with another secret than this one. */
export async function countOtherWriters(query: Query, mark: string): Promise<number> {
  const rows = await query<{ count: number }[]>`
    select count(*)::int as count from deployment_secret_writers where mark <> ${mark} and until >= now()`
  return rows[0]?.count ?? 0
}
