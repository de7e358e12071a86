// Brings the schema up to date. The version row is inserted before the work, so replicas that start together do not
// conflict. A migration is identified by its text, not by its number.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, DatabaseError, only } from './database.ts'
import { transactionWithin } from './lock-order.ts'
import { makeWeeks, weeksFrom } from './partitions/partitions.ts'
import type { Query, Tx } from './query.ts'
import { isSecured, secureRows } from './row-security.ts'
import { migration } from './waiting/time-limits.ts'

const folder = new URL('./migrations/', import.meta.url)
const namePattern = /^(\d{4})_[a-z0-9_]+(?:\.concurrently|(\.breaking))?\.sql$/

/** `digest`: SHA-256 of its text in hexadecimal; null if it was applied before texts were compared. */
export type AppliedMigration = { version: number; name: string; breaking: boolean; digest: string | null }
export type Migration = { version: number; name: string; breaking: boolean; sql: string }

export const digestOf = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/**
 * Reads the migrations of this version.
 * @returns them in the order of their numbers
 * @throws Error if a file's name is not that of a migration, or its number is taken
 */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const twice = names.find((name, at) => names[at - 1]?.slice(0, 4) === name.slice(0, 4))
  if (twice) throw new Error(`migration ${twice}: another one has this number, so one of them would never run`)
  return await Promise.all(
    names.map(async (name) => {
      const parts = namePattern.exec(name)
      if (!parts)
        throw new Error(`migration ${name}: the name must read NNNN_words.sql, .breaking.sql or .concurrently.sql`)
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { version: Number(parts[1]), name, breaking: parts[2] !== undefined, sql }
    }),
  )
}

// The current week and the next, so that the first events find their partitions: 20 ms of a first start; five weeks
// take 60. The retention loop creates the others.
const weeksAhead = 1

const lockPauseMs = 1_000
const lockTriesMax = 60

/**
 * Applies the missing migrations, each in a separate transaction or, if its name ends with `.concurrently.sql`, outside
 * one. Then creates the first partitions of history, and secures rows.
 * @param known the migrations of this version
 * @returns the names that this call applied
 * @throws Error if a migration was applied with another text, or the database is ahead of this binary by a breaking
 * migration
 */
export async function migrate(db: Database, known?: readonly Migration[]): Promise<string[]> {
  const migrations = known ?? (await readMigrations())
  const present = (await db.read(listApplied)) ?? (await inBriefLocks(db, 'the table of migrations', createTable))
  const latest = migrations.at(-1)?.version ?? 0
  const newer = present.filter(({ version }) => version > latest)
  refuseOther(otherTextOf(present, migrations))
  refuseBreaking(newer)
  const applied: string[] = []
  const done = new Set(present.map(({ version }) => version))
  for (const missing of migrations.filter(({ version }) => !done.has(version))) {
    const isMine = isConcurrent(missing)
      ? await applyConcurrently(db, missing)
      : await inBriefLocks(db, missing.name, (tx) => apply(tx, missing))
    if (isMine) applied.push(missing.name)
  }
  const { ms } = only(
    await db.read((query) => query<{ ms: number }[]>`select extract(epoch from now())::float8 * 1000 as ms`),
  )
  await makeWeeks(db, weeksFrom(ms, weeksAhead))
  // On the schema of a newer version, that version's access rules apply.
  if (newer.length === 0 && !(await db.read(isSecured))) await inBriefLocks(db, 'row security', secureRows)
  return applied
}

/** Lists the applied migrations by version. @returns null if there is no schema yet */
export async function listApplied(query: Query): Promise<AppliedMigration[] | null> {
  const { exists } = only(
    await query<{ exists: boolean }[]>`select to_regclass('schema_migrations') is not null as exists`,
  )
  if (!exists) return null
  // Read through JSON, because an older table has no such column.
  return await query<AppliedMigration[]>`
    select version, name, breaking, to_jsonb(m) ->> 'digest' as digest from schema_migrations m order by version limit 10000`
}

/** @returns the first applied migration whose text differs in this version, or that is missing below its latest */
export function otherTextOf(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): AppliedMigration | undefined {
  const digests = new Map(migrations.map(({ version, sql }) => [version, digestOf(sql)]))
  const latest = migrations.at(-1)?.version ?? 0
  return applied.find(({ version, digest }) => version <= latest && digests.get(version) !== digest)
}

/** Remedy for an operator whose database has another text of a migration. */
export const otherTextRemedy =
  'In a local environment, run: npm start -- --reset, which deletes its data. Elsewhere, use an empty database.'

async function createTable(tx: Tx): Promise<AppliedMigration[]> {
  // Two concurrent `create table if not exists` can collide inside the catalog, so the lock serializes them.
  await tx`select pg_advisory_xact_lock(7238046)`
  await tx`create table if not exists schema_migrations (
    version integer primary key, name text not null, breaking boolean not null, digest text not null,
    applied_at timestamptz not null default now())`
  return (await listApplied(tx)) ?? []
}

/** @returns false if another process has applied it */
async function apply(tx: Tx, missing: Migration): Promise<boolean> {
  if (!(await claim(tx, missing))) return false
  await tx.unsafe(missing.sql)
  return true
}

/** @returns false if another process has claimed the version */
async function claim(query: Query, { version, name, breaking, sql }: Migration): Promise<boolean> {
  const claimed = await query`
    insert into schema_migrations (version, name, breaking, digest) values (${version}, ${name}, ${breaking}, ${digestOf(sql)})
    on conflict (version) do nothing returning version`
  return claimed.length > 0
}

const isConcurrent = ({ name }: Migration): boolean => name.endsWith('.concurrently.sql')

// One process builds at a time. The others ask again instead of waiting for the lock: a waiting statement holds a
// snapshot, which `create index concurrently` waits for in turn.
const buildLock = 7238047
const indexPattern = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)\s/i

/** A comment may contain a semicolon. */
function statementsOf(sql: string): string[] {
  const statements = sql.replace(/--.*$/gm, '').split(';')
  return statements.map((text) => text.trim()).filter(Boolean)
}

/** @returns false if another process has applied it */
async function applyConcurrently(db: Database, missing: Migration): Promise<boolean> {
  for (;;) {
    const outcome = await db.alone(async (query) => {
      if (!only(await query<{ held: boolean }[]>`select pg_try_advisory_lock(${buildLock}::int) as held`).held)
        return 'busy'
      const present = await query`select 1 from schema_migrations where version = ${missing.version}`
      if (present.length > 0) return 'present'
      for (const statement of statementsOf(missing.sql)) await buildIndex(query, statement)
      return (await claim(query, missing)) ? 'applied' : 'present'
    })
    if (outcome !== 'busy') return outcome === 'applied'
    await delay(lockPauseMs)
  }
}

/** A build that was killed leaves an invalid index under its name, which `if not exists` would accept as complete. */
async function buildIndex(query: Query, statement: string): Promise<void> {
  const name = indexPattern.exec(statement)?.[1]
  if (name === undefined)
    throw new Error(`a .concurrently.sql holds nothing but "create index concurrently if not exists": ${statement}`)
  const invalid = await query`select 1 from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`
  if (invalid.length > 0) await query.unsafe(`drop index concurrently ${name}`)
  await query.unsafe(statement)
}

/** @throws Error if another transaction holds a table for minutes */
async function inBriefLocks<T>(db: Database, name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; tries <= lockTriesMax; tries++) {
    if (tries > 1) await delay(lockPauseMs)
    const done = await transactionWithin(
      db,
      migration,
      async (tx) => ({ result: await work(tx) }),
      () => null,
    ).catch(giveWay)
    if (done) return done.result
  }
  throw new Error(
    `${name} could not be applied: a long transaction, such as a dump or a report, holds a table it changes. Repeat when that is over.`,
  )
}

/**
 * Requests lock tables in another order than a migration that changes many. If they deadlock, the migration retries.
 */
function giveWay(error: unknown): null {
  if (error instanceof DatabaseError && error.code === '40P01') return null
  throw error
}

function refuseOther(other: AppliedMigration | undefined): void {
  if (other)
    throw new Error(
      `The database was created by an unreleased version of Causeway: its ${other.name} has another text than that of this version. ${otherTextRemedy}`,
    )
}

function refuseBreaking(newer: readonly AppliedMigration[]): void {
  const breaking = newer.find((migration) => migration.breaking)
  if (breaking)
    throw new Error(
      `The database was upgraded by a newer Causeway (${breaking.name}), which this version cannot work with. Start the newer version.`,
    )
}
