// The only access to PostgreSQL: pools for different kinds of work, retries, metrics, and the mapping of database
// failures to API errors.

import { type ApiError, fail } from '../errors.ts'
import { databaseConnectionsMax, databaseDuration, databaseUnderWay } from '../observe/metrics.ts'
import { type ComingTarget, openClient, type Pool } from './client.ts'
import { readPooling } from './connecting/pooling.ts'
import { openPools, sessionParameters } from './connecting/pools.ts'
import { type BusinessDatabase, type Database, DatabaseError, type TimeLimits, type Use } from './database.ts'
import { type Listener, startListener } from './listening/listener.ts'
import type { Query, Tx } from './query.ts'
import { ConnectionError, endsConnection, isServerError, isStalePlan, type Session } from './session.ts'
import { DeadlineTracker } from './waiting/deadline-tracker.ts'
import type { Refusal } from './waiting/refusals.ts'
import { Semaphore } from './waiting/semaphore.ts'
import { limitParameters, silenceMsOf } from './waiting/time-limits.ts'

const conflictRetriesMax = 5
const stalePlan = 'STALE_PLAN'
const conflictCodes = new Set(['40001', '40P01', stalePlan])
/**
 * SQLSTATE classes that mean "not now": connection, refused login, missing database, resources, operator intervention
 * (57014: statement timeout), system. Also a database that is read-only (25006) or closed to connections (55000), and a
 * lock that was not free in time (55P03).
 */
const unavailablePattern = /^(08|28|3D|53|57|58)|^(25006|55000|55P03)$/

// Reads are short: after 10 s without a response, the database is unavailable or the pool is exhausted.
const waitMsMax = 10_000
/** A transaction waits for its beginning and for the response to its COMMIT: together no longer than a read. */
const writeWaitMsMax = 5_000

export type DatabaseOptions = {
  poolMax: number
  applicationName?: string
  /** Time limit of a read, and of a transaction's wait for its connection. */
  waitMs?: number
  /** The address of PostgreSQL itself, for `listen`, if the target is a pooler in transaction mode. */
  direct?: ComingTarget | undefined
  /**
   * Called once a minute per SQLSTATE, when PostgreSQL refuses for lack of space, memory, connections or permission.
   */
  onRefusal?: (refusal: Refusal) => void
}

/** Opens the pools of a database. They connect on first use. */
export function openDatabase(target: ComingTarget, options: DatabaseOptions): Database {
  const { poolMax, applicationName = 'causeway', waitMs = waitMsMax, direct, onRefusal = () => {} } = options
  databaseConnectionsMax.set(poolMax)
  const pools = openPools(target, { poolMax, applicationName, waitMs, isPooled: direct !== undefined, onRefusal })
  const { general, single, byIndex } = pools
  const places = new Semaphore(pools.transactionsMax)
  const deadlines = new DeadlineTracker(waitMs, () => unavailable(new DatabaseError('NO_ANSWER', null, null)))
  const listeners: Listener[] = []
  const reading =
    (kind: string, pool: Pool, businessId: string | null = null): Use =>
    (work) =>
      measured(kind, () => unlessConflict(() => deadlines.bound(() => runOn(pool, businessId, work))))
  const inPlace = async <T>(businessId: string | null, work: (tx: Tx) => PromiseLike<T>, limits?: TimeLimits) => {
    const { ended } = await deadlines.bound(async (_, isLate) => {
      await places.enter(isLate)
      const session = await begin(general, businessId, isLate, limits).catch((error: unknown) => {
        places.leave()
        throw error
      })
      void session.ended.then(() => places.leave())
      const ended = commit(session, work, (committed) => deadlines.bound(() => committed, writeWaitMsMax))
      await Promise.race([session.opened, ended])
      return { ended }
    }, writeWaitMsMax)
    return await ended
  }
  const seenBy = (businessId: string | null): BusinessDatabase => ({
    read: reading('read', general, businessId),
    transaction: (work, limits) =>
      measured('transaction', () => unlessConflict(() => inPlace(businessId, work, limits))),
    statement: businessId === null ? reading('statement', single) : reading('statement', general, businessId),
  })

  return {
    ...seenBy(null),
    of: seenBy,
    byIndex: reading('by_index', byIndex),
    alone: (work) => runAlone(direct ?? target, applicationName, work),
    async listen(handlers, audience) {
      const open = async (closing: AbortSignal) =>
        openClient(await (direct ?? target), { applicationName, parameters: sessionParameters }, closing)
      listeners.push(await startListener(open, handlers, audience).catch(refuse))
    },
    ping: () =>
      deadlines
        .bound(() => runOn(general, null, (query) => query`select 1`))
        .then(() => true)
        .catch(() => false),
    health: () => pools.readiness.look(),
    pooling: async () => await readPooling(await target, applicationName).catch(refuse),
    beginShutdown: (limitMs) => deadlines.shorten(limitMs),
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()))
      await pools.close()
    },
  }
}

/** Runs on a separate connection, without time limits. */
async function runAlone<T>(target: ComingTarget, applicationName: string, work: (query: Query) => PromiseLike<T>) {
  const parameters = { ...sessionParameters, ...limitParameters({ lockMs: 0, statementMs: 0 }) }
  const client = await openClient(await target, { applicationName, parameters }).catch(refuse)
  try {
    return await work(client.query)
  } catch (error) {
    throw meaningOf(error)
  } finally {
    await client.close()
  }
}

async function runOn<T>(pool: Pool, businessId: string | null, work: (query: Query) => PromiseLike<T>): Promise<T> {
  const session = await pool.take(businessId)
  try {
    return await work(session.query)
  } finally {
    session.end()
  }
}

/** A connection that comes after its deadline does nothing: the caller already has an error. */
async function begin(
  pool: Pool,
  businessId: string | null,
  isLate: () => boolean,
  limits: TimeLimits = {},
): Promise<Session> {
  const session = await pool.take(businessId)
  const { statementMs } = limits
  const silenceMs = statementMs === undefined ? undefined : silenceMsOf(statementMs)
  session.begin(limitParameters(limits), isLate, silenceMs)
  if (!isLate()) return session
  session.end()
  throw new Error('the connection came too late')
}

/** @param wait bounds the wait for the response to COMMIT; the connection itself keeps waiting */
async function commit<T>(
  session: Session,
  work: (tx: Tx) => PromiseLike<T>,
  wait: (committed: Promise<void>) => Promise<void>,
): Promise<T> {
  let result: T
  try {
    result = await work(session.query as Tx)
  } catch (error) {
    throw await session.rollBack(error)
  }
  await wait(session.commit())
  return result
}

/** Calls that wait for a connection count as in progress: more of them than connections means an exhausted pool. */
async function measured<T>(kind: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  databaseUnderWay.inc({ kind })
  try {
    return await work()
  } finally {
    databaseUnderWay.dec({ kind })
    databaseDuration.observe({ kind }, (performance.now() - startedAt) / 1000)
  }
}

/** Retries work that PostgreSQL rolled back because of another transaction, which is over now. */
async function unlessConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const meaning = meaningOf(error)
      const isConflict = meaning instanceof DatabaseError && conflictCodes.has(meaning.code)
      if (!isConflict || attempt >= conflictRetriesMax) throw meaning
    }
  }
}

function refuse(error: unknown): never {
  throw meaningOf(error)
}

function meaningOf(error: unknown): unknown {
  if (error instanceof ConnectionError) return unavailable(new DatabaseError(error.code, null, null))
  if (!isServerError(error)) return error
  const code = isStalePlan(error) ? stalePlan : (error.code ?? 'XX000')
  const safe = new DatabaseError(code, error.constraint ?? null, error.table ?? error.routine ?? null)
  // A full disk can end a new connection with XX000: a file that each connection writes at its start has no space.
  return unavailablePattern.test(code) || endsConnection(error) ? unavailable(safe) : safe
}

function unavailable(cause: DatabaseError): ApiError {
  return fail('database_unavailable', { retryAfterSeconds: 2, cause })
}
