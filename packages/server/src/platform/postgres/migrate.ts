// Brings the schema up to date. Claim first: the version row is inserted before the work, so racing replicas are safe.

import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, DatabaseError, only } from './db.ts'
import { makeWeeks } from './partitions/partitions.ts'
import { weeksFrom } from './partitions/week.ts'
import type { Tx } from './query.ts'
import { isSecured, secureRows } from './row-security.ts'

const folder = new URL('./migrations/', import.meta.url)
const namePattern = /^(\d{4})_[a-z0-9_]+(\.breaking)?\.sql$/

export type Migration = { version: number; name: string; breaking: boolean; sql: string }

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const twice = names.find((name, at) => names[at - 1]?.slice(0, 4) === name.slice(0, 4))
  if (twice) throw new Error(`migration ${twice}: another one has this number, so one of them would never run`)
  return await Promise.all(
    names.map(async (name) => {
      const parts = namePattern.exec(name)
      if (!parts) throw new Error(`migration ${name}: the name must read NNNN_words.sql or NNNN_words.breaking.sql`)
      return {
        version: Number(parts[1]),
        name,
        breaking: parts[2] !== undefined,
        sql: await readFile(new URL(name, folder), 'utf8'),
      }
    }),
  )
}

// The running week and the next, so that the first events find their partitions: 20 ms of a first start, where five weeks
// take 60. Those to come are made at leisure.
const weeksAhead = 1

// Whoever waits for a table's lock makes everybody behind it wait. So it waits briefly, lets them pass, and comes again.
const lockTimeoutMs = 2_000
const lockPauseMs = 1_000
const lockTriesMax = 60
const lockNotAvailable = '55P03'
const undefinedTable = '42P01'

/**
 * Applies what is missing, each migration in a transaction of its own, makes the first partitions of history, and sees
 * that rows are secured.
 * @returns the names that this call applied
 * @throws Error when the database is ahead of this binary by a breaking migration
 */
export async function migrate(db: Database): Promise<string[]> {
  const known = await readMigrations()
  const there = (await listApplied(db)) ?? (await begin(db))
  const latest = known.at(-1)?.version ?? 0
  const newer = there.filter(({ version }) => version > latest)
  refuseBreaking(newer)
  const applied: string[] = []
  // A version's row is committed together with its work: what has one needs no transaction any more.
  const done = new Set(there.map(({ version }) => version))
  for (const migration of known.filter(({ version }) => !done.has(version))) {
    const ours = await withoutHoldingUp(db, migration.name, async (tx) => {
      const claimed = await tx`
        insert into schema_migrations (version, name, breaking)
        values (${migration.version}, ${migration.name}, ${migration.breaking})
        on conflict (version) do nothing returning version`
      if (claimed.length === 0) return false
      await tx.unsafe(migration.sql)
      return true
    })
    if (ours) applied.push(migration.name)
  }
  const { ms } = only(
    await db.read((query) => query<{ ms: number }[]>`select extract(epoch from now())::float8 * 1000 as ms`),
  )
  await makeWeeks(db, weeksFrom(ms, weeksAhead))
  // Where a newer version has been, the rules of access are its own.
  if (newer.length === 0 && !(await isSecured(db))) await withoutHoldingUp(db, 'row security', secureRows)
  return applied
}

type Applied = Pick<Migration, 'version' | 'name' | 'breaking'>

/** null: there is no schema yet. */
async function listApplied(db: Database): Promise<Applied[] | null> {
  try {
    return await db.read(
      (query) => query<Applied[]>`select version, name, breaking from schema_migrations order by version`,
    )
  } catch (error) {
    if (error instanceof DatabaseError && error.code === undefinedTable) return null
    throw error
  }
}

async function begin(db: Database): Promise<Applied[]> {
  await db.transaction(async (tx) => {
    // Two racing `create table if not exists` can collide inside the catalogue: the lock makes them take turns.
    await tx`select pg_advisory_xact_lock(7238046)`
    await tx`create table if not exists schema_migrations (
      version integer primary key, name text not null, breaking boolean not null, applied_at timestamptz not null default now())`
  })
  return (await listApplied(db)) ?? []
}

/** @throws Error when somebody else holds a table for minutes */
async function withoutHoldingUp<T>(db: Database, name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${lockTimeoutMs}`)
        return await work(tx)
      })
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === lockNotAvailable)) throw error
      if (tries === lockTriesMax)
        throw new Error(
          `${name} could not be applied: a long transaction, such as a dump or a report, holds a table it changes. Repeat when that is over.`,
        )
      await delay(lockPauseMs)
    }
  }
}

function refuseBreaking(newer: readonly Applied[]): void {
  const breaking = newer.find((migration) => migration.breaking)
  if (breaking)
    throw new Error(
      `The database was upgraded by a newer Causeway (${breaking.name}), which this version can not work with. Start the newer version.`,
    )
}
