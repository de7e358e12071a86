// Checks of the database: reachable, supported version, writable, migrated, with free connections, and with durable settings.

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

/** Returns only the first finding when the database cannot be read. */
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
    const text = databaseTextOf(error) ?? 'The database cannot be read.'
    return [
      problem(
        'database',
        text,
        'Check DATABASE_URL, that PostgreSQL is running, and that it accepts connections from this host.',
      ),
    ]
  }
  const offsetSeconds = (facts.now.getTime() - (askedMs + now()) / 2) / 1000
  return [
    ok('database', `PostgreSQL ${facts.version} responds in ${Math.round(now() - askedMs)} ms`),
    checkVersion(facts),
    checkDurability(facts, config),
    await unlessRefused('database pooler', () => checkPooler(db, direct)),
    await unlessRefused('database permissions', () => checkRights(db, facts)),
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
  if (pooling === 'transaction') return ok(check, 'a pooler in transaction mode, and a direct URL')
  return warning(
    check,
    'DATABASE_DIRECT_URL is set, but DATABASE_URL does not connect to a pooler in transaction mode. Statements are planned each time without need.',
    'Unset DATABASE_DIRECT_URL.',
  )
}

/** Missing permissions are a finding, too. */
async function unlessRefused(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return problem(
      check,
      `This check failed: ${databaseTextOf(error) ?? 'unknown error'}`,
      'Check the permissions of the database user.',
    )
  }
}

function checkVersion({ versionNumber, version }: store.ServerFacts): Finding {
  const check = 'database version'
  return versionNumber >= versionMin * 10_000
    ? ok(check, version)
    : problem(check, `PostgreSQL ${version} is too old.`, `Upgrade PostgreSQL to version ${versionMin} or newer.`)
}

function checkDurability({ fsync, synchronousCommit, fullPageWrites }: store.ServerFacts, { mode }: Config): Finding {
  const check = 'database durability'
  const off = Object.entries({ fsync, synchronous_commit: synchronousCommit, full_page_writes: fullPageWrites })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  if (off.length === 0) return ok(check, 'committed data survives a crash')
  const message = `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a crash can lose acknowledged data.`
  return (mode === 'live' ? problem : warning)(check, message, 'Turn it on in the PostgreSQL configuration.')
}

async function checkRights(db: Database, { mayCreate, isSuperuser }: store.ServerFacts): Promise<Finding> {
  const check = 'database permissions'
  const forbidden = await db.read(store.listForbiddenTables)
  return firstOf(
    [
      forbidden.length > 0 &&
        problem(
          check,
          `The database user cannot read and write ${forbidden.slice(0, 3).join(', ')}${forbidden.length > 3 ? ' …' : ''}.`,
          'Connect as the user that created the tables, or grant permissions on them.',
        ),
      !mayCreate &&
        problem(
          check,
          'The database user cannot create tables. Migrations and weekly partitions need this permission.',
          'Grant the user CREATE on its schema.',
        ),
      isSuperuser &&
        warning(
          check,
          'The database user is a superuser.',
          'Use a separate user that owns only the database of Causeway.',
        ),
    ],
    ok(check, 'can read, write and create tables'),
  )
}

async function checkWriting(db: Database, { isReadOnly }: store.ServerFacts): Promise<Finding> {
  const check = 'database writes'
  if (isReadOnly)
    return problem(
      check,
      'The database is read-only.',
      'Connect to the primary. After a failover, check which server DATABASE_URL connects to.',
    )
  try {
    await db.transaction(store.tryWrite)
    return ok(check, 'the database is writable')
  } catch (error) {
    return problem(
      check,
      `A write failed: ${databaseTextOf(error) ?? 'unknown error'}`,
      'Check first whether the disk is full.',
    )
  }
}

async function checkMigrations(db: Database): Promise<Finding> {
  const check = 'schema'
  const [applied, known] = await Promise.all([db.read(listApplied), readMigrations()])
  if (applied === null)
    return warning(
      check,
      'There is no schema yet.',
      'Run: causeway migrate. Or start the server, which creates the schema.',
    )
  const done = new Set(applied.map(({ version }) => version))
  const missing = known.filter(({ version }) => !done.has(version))
  const latest = known.at(-1)?.version ?? 0
  const ahead = applied.filter(({ version }) => version > latest)
  const breaking = ahead.find((migration) => migration.breaking)
  const breaks = missing.some((migration) => migration.breaking)
  const other = otherTextOf(applied, known)
  return firstOf(
    [
      other !== undefined &&
        problem(check, `An unreleased version of Causeway created the schema (${other.name}).`, otherTextRemedy),
      breaking !== undefined &&
        problem(check, `A newer version of Causeway changed the schema (${breaking.name}).`, 'Run the newer version.'),
      missing.length > 0 &&
        warning(
          check,
          `Migrations not applied: ${missing.map(({ name }) => name).join(', ')}.`,
          breaks
            ? 'One migration is breaking. Stop every older process, then run: causeway migrate'
            : 'Run: causeway migrate',
        ),
      ahead.length > 0 &&
        warning(
          check,
          'A newer version of Causeway extended the schema. This version still works.',
          'Finish the upgrade.',
        ),
    ],
    ok(check, `up to date (${known.length} migrations)`),
  )
}

function checkClock(offsetSeconds: number): Finding {
  const check = 'clock'
  const text = `The clock of this host is ${seconds(Math.abs(offsetSeconds))} ${offsetSeconds > 0 ? 'behind' : 'ahead of'} the clock of the database.`
  if (Math.abs(offsetSeconds) <= clockSecondsMax) return ok(check, 'matches the database')
  const report = Math.abs(offsetSeconds) > 60 ? problem : warning
  return report(check, text, 'Run NTP on both hosts. Signatures that are off by more than 5 minutes are rejected.')
}

function checkConnections({ connections, connectionsMax }: store.ServerFacts, config: Config): Finding {
  const check = 'database connections'
  const free = connectionsMax - connections
  const wanted = store.connectionsOf(config)
  const facts = `${free} of ${connectionsMax} connections are free. A process uses up to ${wanted}.`
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
          `${count} open for more than ${seconds(longSeconds)}, the oldest for ${seconds(oldestSeconds)}. Vacuum cannot remove rows that were deleted since then.`,
          'Find them in pg_stat_activity by xact_start, and end them unless they are dumps.',
        ),
      prepared > 0 &&
        warning(check, `Prepared transactions left open: ${prepared}.`, 'Run: select * from pg_prepared_xacts'),
    ],
    ok(check, 'none'),
  )
}
