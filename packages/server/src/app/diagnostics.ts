// Facts about the database and its backlog, for the operator. Crosses businesses; only `tryWrite` writes, into a table that
// ends with its transaction.

import { ambiguousOwner } from '../events/work.store.ts'
import type { Config } from '../platform/config.ts'
import { only } from '../platform/postgres/database.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'

export type ServerFacts = {
  versionNumber: number
  version: string
  now: Date
  isReadOnly: boolean
  isSuperuser: boolean
  mayCreate: boolean
  connectionsMax: number
  connections: number
  fsync: string
  synchronousCommit: string
  fullPageWrites: string
  sizeBytes: number
}

export async function readServerFacts(query: Query): Promise<ServerFacts> {
  return only(
    await query<ServerFacts[]>`
      select current_setting('server_version_num')::int as version_number, current_setting('server_version') as version,
        clock_timestamp() as now,
        pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only,
        (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
        has_schema_privilege(current_schema(), 'CREATE') as may_create,
        least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
          nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
          nullif((select datconnlimit from pg_database where datname = current_database()), -1)) as connections_max,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
        current_setting('full_page_writes') as full_page_writes,
        pg_database_size(current_database())::float8 as size_bytes`,
  )
}

/** Maximum connections of a process: its pool, one for notifications, and two for `/readyz`. */
export const connectionsOf = ({ databasePoolMax }: Config): number => databasePoolMax + 3

/** Lists tables of this schema that this user may not read or write. */
export async function listForbiddenTables(query: Query): Promise<string[]> {
  const rows = await query<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p')
      and not (has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
        and has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE'))
    order by c.relname limit 100`
  return rows.map(({ name }) => name)
}

/** Writes into a temporary table. @throws DatabaseError, ApiError: full, read-only, or not allowed */
export async function tryWrite(tx: Tx): Promise<void> {
  await tx`create temporary table causeway_doctor (at timestamptz) on commit drop`
  await tx`insert into causeway_doctor select now() from generate_series(1, 1000)`
}

export type LongTransactions = { count: number; oldestSeconds: number; prepared: number }

/** Counts long transactions of others, as far as this user may see them. */
export async function readLongTransactions(query: Query, olderThanSeconds: number): Promise<LongTransactions> {
  return only(
    await query<LongTransactions[]>`
      select count(*)::int as count,
        coalesce(extract(epoch from max(clock_timestamp() - xact_start)), 0)::float8 as oldest_seconds,
        (select count(*)::int from pg_prepared_xacts where database = current_database()) as prepared
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and clock_timestamp() - xact_start > make_interval(secs => ${olderThanSeconds})`,
  )
}

export type WorkFacts = {
  /** Waiting deliveries, up to `countMax`; the age of the first of an open endpoint, and of a closed one. */
  deliveries: number
  oldestDeliverySeconds: number
  heldDeliverySeconds: number
  operations: number
  oldestOperationSeconds: number
  /** Open operations whose response cannot be read: the kind and the ID of each, the oldest first, ten at most. */
  operationsUnreadable: string[]
  eventsUnrouted: number
  /** Unrouted events whose IDs belong to several businesses, and the age of the first. */
  eventsAmbiguous: number
  oldestAmbiguousSeconds: number
  eventsQuarantined: number
  endpointsEnabled: number
  endpointsPaused: number
  endpointsDisabled: number
  endpointsFailing: number
}

/** Maximum that is counted of a backlog. */
export const countMax = 100_000

/**
 * Reads the backlog and its age: one index probe per endpoint, and counts that end at `countMax`.
 * @param failures consecutive failures from which an endpoint counts as failing
 */
export async function readWorkFacts(query: Query, failures: number): Promise<WorkFacts> {
  return only(
    await query<WorkFacts[]>`
      with fronts as (
        select l.open, d.created_at from endpoint_lanes l cross join lateral (
          select created_at from deliveries d where d.endpoint_id = l.endpoint_id order by sequence limit 1) d
        where l.wants_at is not null or not l.open
      ), open_operations as (
        select created_at from operations where state = 'unknown' limit ${countMax}
      ), unreadable_operations as (
        select kind || ' ' || id as name from operations where state in ('running', 'unknown') and must_be_read
        order by created_at limit 10
      ), held_events as (
        select event_id, error from event_work where state = 'pending' and error is not null limit ${countMax}
      ), endpoints as (
        select status, count(*)::int as count from webhook_endpoints group by status
      )
      select
        (select count(*)::int from (select 1 from deliveries limit ${countMax}) waiting) as deliveries,
        (select coalesce(extract(epoch from max(now() - created_at)), 0)::float8 from fronts where open)
          as oldest_delivery_seconds,
        (select coalesce(extract(epoch from max(now() - created_at)), 0)::float8 from fronts where not open)
          as held_delivery_seconds,
        (select count(*)::int from open_operations) as operations,
        (select coalesce(extract(epoch from max(now() - created_at)), 0)::float8 from open_operations)
          as oldest_operation_seconds,
        (select coalesce(array_agg(name), '{}') from unreadable_operations) as operations_unreadable,
        (select count(*)::int from held_events) as events_unrouted,
        (select count(*)::int from held_events where error = ${ambiguousOwner}) as events_ambiguous,
        coalesce((select extract(epoch from now() - created_at) from events
          where id = (select min(event_id) from held_events where error = ${ambiguousOwner})), 0)::float8
          as oldest_ambiguous_seconds,
        (select count(*)::int from (select 1 from event_work where state = 'quarantined' limit ${countMax}) put_aside)
          as events_quarantined,
        coalesce((select count from endpoints where status = 'enabled'), 0) as endpoints_enabled,
        coalesce((select count from endpoints where status = 'paused'), 0) as endpoints_paused,
        coalesce((select count from endpoints where status = 'disabled'), 0) as endpoints_disabled,
        (select count(*)::int from endpoint_lanes where open and failures >= ${failures}) as endpoints_failing`,
  )
}
