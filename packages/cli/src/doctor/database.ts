// The database: reachable, new enough, ours to write, in the right state, with room, and what must be on is on.

import * as store from '../../../server/src/app/diagnostics.ts'
import type { Config } from '../../../server/src/platform/config.ts'
import { addressProblem } from '../../../server/src/platform/postgres/connecting/address-problems.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import {
  listApplied,
  otherTextOf,
  otherTextRemedy,
  readMigrations,
} from '../../../server/src/platform/postgres/migrate.ts'
import { databaseTextOf } from '../output/failure.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

const versionMin = 15
const clockSecondsMax = 2
const longSeconds = 300

/** Ends with the first finding when nobody answers. */
export async function checkDatabase(
  db: Database,
  direct: Database | null,
  config: Config,
  now: () => number,
): Promise<Finding[]> {
  const askedMs = now()
  let facts: store.ServerFacts
  try {
    facts = await db.read(store.readServerFacts)
  } catch (error) {
    const text = databaseTextOf(error) ?? 'It cannot be read.'
    return [problem('database', text, 'Check DATABASE_URL and that PostgreSQL runs and lets this host in.')]
  }
  const offsetSeconds = (facts.now.getTime() - (askedMs + now()) / 2) / 1000
  return [
    ok('database', `PostgreSQL ${facts.version} answers in ${Math.round(now() - askedMs)} ms`),
    checkVersion(facts),
    checkDurability(facts, config),
    await unlessRefused('database pooler', () => checkPooler(db, direct)),
    await unlessRefused('database rights', () => checkRights(db, facts)),
    await checkWriting(db, facts),
    await unlessRefused('schema', () => checkMigrations(db)),
    checkClock(offsetSeconds),
    checkConnections(facts, config),
    await unlessRefused('long transactions', () => checkTransactions(db)),
  ]
}

async function checkPooler(db: Database, direct: Database | null): Promise<Finding> {
  const check = 'database pooler'
  const pooling = await db.pooling()
  const fault = await addressProblem(pooling, db, direct)
  if (fault !== null) {
    const [what = '', remedy = ''] = fault.split(': ')
    return problem(check, `${what}.`, `${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`)
  }
  if (direct === null) return ok(check, pooling === 'none' ? 'none' : 'a pooler in session mode')
  if (pooling === 'transaction') return ok(check, 'a pooler in transaction mode, and the direct address')
  return warning(
    check,
    'DATABASE_URL does not lead to a pooler in transaction mode, so statements are planned anew each time for nothing.',
    'Unset DATABASE_DIRECT_URL.',
  )
}

/** A user without rights is a finding, too. */
async function unlessRefused(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return problem(
      check,
      `It cannot be read: ${databaseTextOf(error) ?? 'unknown'}`,
      'Look at the rights of this user.',
    )
  }
}

function checkVersion({ versionNumber, version }: store.ServerFacts): Finding {
  const check = 'database version'
  return versionNumber >= versionMin * 10_000
    ? ok(check, version)
    : problem(check, `PostgreSQL ${version} is too old.`, `Upgrade it to ${versionMin} or newer.`)
}

function checkDurability({ fsync, synchronousCommit, fullPageWrites }: store.ServerFacts, { mode }: Config): Finding {
  const check = 'database durability'
  const off = Object.entries({ fsync, synchronous_commit: synchronousCommit, full_page_writes: fullPageWrites })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  if (off.length === 0) return ok(check, 'what is committed stays')
  const message = `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: what was acknowledged can be lost.`
  return (mode === 'live' ? problem : warning)(check, message, 'Switch it on in the configuration of PostgreSQL.')
}

async function checkRights(db: Database, { mayCreate, isSuperuser }: store.ServerFacts): Promise<Finding> {
  const check = 'database rights'
  const forbidden = await db.read(store.listForbiddenTables)
  return firstOf(
    [
      forbidden.length > 0 &&
        problem(
          check,
          `This user may not read and write ${forbidden.slice(0, 3).join(', ')}${forbidden.length > 3 ? ' …' : ''}.`,
          'Connect as the user who made the tables, or grant their rights.',
        ),
      !mayCreate &&
        problem(
          check,
          'This user may not create tables, which migrations and the partitions of each week need.',
          'grant create on its schema to it.',
        ),
      isSuperuser &&
        warning(
          check,
          'This user is a superuser.',
          'Give Causeway a user of its own that owns its database and nothing else.',
        ),
    ],
    ok(check, 'may read, write and create'),
  )
}

async function checkWriting(db: Database, { isReadOnly }: store.ServerFacts): Promise<Finding> {
  const check = 'database writes'
  if (isReadOnly)
    return problem(
      check,
      'The database is read-only.',
      'Connect to the primary; after a failover, check where DATABASE_URL leads.',
    )
  try {
    await db.transaction(store.tryWrite)
    return ok(check, 'work')
  } catch (error) {
    return problem(check, `A write failed: ${databaseTextOf(error) ?? 'unknown'}`, 'Look for a full disk first.')
  }
}

async function checkMigrations(db: Database): Promise<Finding> {
  const check = 'schema'
  const [applied, known] = await Promise.all([db.read(listApplied), readMigrations()])
  if (applied === null) return warning(check, 'There is no schema yet.', 'Run: causeway migrate. A start does it, too.')
  const done = new Set(applied.map(({ version }) => version))
  const missing = known.filter(({ version }) => !done.has(version))
  const latest = known.at(-1)?.version ?? 0
  const ahead = applied.filter(({ version }) => version > latest)
  const breaking = ahead.find((migration) => migration.breaking)
  const breaks = missing.some((migration) => migration.breaking)
  const other = otherTextOf(applied, known)
  return firstOf(
    [
      other !== undefined && problem(check, `An unreleased version created it (${other.name}).`, otherTextRemedy),
      breaking !== undefined &&
        problem(check, `A newer Causeway has changed it (${breaking.name}).`, 'Run the newer version.'),
      missing.length > 0 &&
        warning(
          check,
          `${missing.length} migrations are not applied (${missing.map(({ name }) => name).join(', ')}).`,
          breaks ? 'One is breaking: stop every older process, then run: causeway migrate' : 'Run: causeway migrate',
        ),
      ahead.length > 0 && warning(check, 'A newer Causeway has added to it; this one works.', 'Finish the upgrade.'),
    ],
    ok(check, `up to date (${known.length} migrations)`),
  )
}

function checkClock(offsetSeconds: number): Finding {
  const check = 'clock'
  const text = `The clock here is ${seconds(Math.abs(offsetSeconds))} ${offsetSeconds > 0 ? 'behind' : 'ahead of'} the database’s.`
  if (Math.abs(offsetSeconds) <= clockSecondsMax) return ok(check, 'the same as the database’s')
  const report = Math.abs(offsetSeconds) > 60 ? problem : warning
  return report(check, text, 'Keep both by NTP: signatures older than minutes are refused.')
}

function checkConnections({ connections, connectionsMax }: store.ServerFacts, config: Config): Finding {
  const check = 'database connections'
  const free = connectionsMax - connections
  const wanted = store.connectionsOf(config)
  const facts = `${free} of ${connectionsMax} are free; a process takes up to ${wanted}.`
  const remedy = 'Raise max_connections, or lower DATABASE_POOL_MAX.'
  if (free < wanted) return problem(check, facts, remedy)
  return free < 2 * wanted ? warning(check, `${facts} A rolling restart needs twice that.`, remedy) : ok(check, facts)
}

async function checkTransactions(db: Database): Promise<Finding> {
  const check = 'long transactions'
  const { count, oldestSeconds, prepared } = await db.read((query) => store.readLongTransactions(query, longSeconds))
  return firstOf(
    [
      count > 0 &&
        warning(
          check,
          `${count} open for more than ${seconds(longSeconds)}, the oldest for ${seconds(oldestSeconds)}: vacuum removes nothing newer.`,
          'Find them in pg_stat_activity by xact_start; end what is not a dump.',
        ),
      prepared > 0 && warning(check, `${prepared} prepared transactions are left open.`, 'See pg_prepared_xacts.'),
    ],
    ok(check, 'none'),
  )
}
