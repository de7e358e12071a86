// The log of a business's requests, in weeks. A request's id carries its time, so the order of ids is that of time.

import type { Page, PageRequest, TimeRange } from '../../platform/postgres/paging.ts'
import type { Query } from '../../platform/postgres/query.ts'
import { idPrefixes, idTime, timeOfId } from '../../platform/values/ids.ts'

export type RequestRow = {
  id: string
  businessId: string
  /** The caller's own id of the request, where it has sent one. */
  requestId: string | null
  keyId: string
  /** The session of the console that used the key. */
  sessionId: string | null
  method: string
  /** The pattern of the route: paths may name people. */
  path: string
  status: number
  errorCode: string | null
  durationMs: number
  isReplay: boolean
}

export async function insertRequests(query: Query, rows: readonly RequestRow[]): Promise<void> {
  await query`
    insert into requests (id, business_id, request_id, key_id, session_id, method, path, status, error_code, duration_ms, is_replay)
    select * from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.businessId)}::text[],
      ${rows.map((row) => row.requestId)}::text[], ${rows.map((row) => row.keyId)}::text[],
      ${rows.map((row) => row.sessionId)}::text[], ${rows.map((row) => row.method)}::text[],
      ${rows.map((row) => row.path)}::text[], ${rows.map((row) => row.status)}::int[],
      ${rows.map((row) => row.errorCode)}::text[], ${rows.map((row) => row.durationMs)}::float8[],
      ${rows.map((row) => row.isReplay)}::boolean[])`
}

export type RequestFilter = TimeRange & {
  requestId?: string
  keyId?: string
  /** The id of a key, or of a session of the console. */
  by?: string
  method?: string
  path?: string
  /** From one status to another, both included. */
  statuses?: readonly [from: number, to: number]
}

/** A page looks through so many rows, which takes some 30 ms: no index serves a filter by path or key. */
export const rowsReadMax = 50_000
/** Refused requests lie scattered among the others: each takes a block of its own. */
const refusedReadMax = 10_000

/**
 * Lists requests, the newest first. A page of a filter that fits few requests may have fewer than `limit`, or none, and still
 * be followed by another.
 */
export async function listRequests(
  query: Query,
  businessId: string,
  filter: RequestFilter,
  page: PageRequest,
): Promise<Page<RequestRow>> {
  const { requestId, keyId, by, method, path, statuses, createdAfter, createdBefore } = filter
  const isRefused = statuses !== undefined && statuses[0] >= 400
  const readMax = isRefused ? refusedReadMax : rowsReadMax
  // What an index serves: the place in time, an id, and that a request was refused.
  const range = query`
    business_id = ${businessId}
    and ${createdAfter ? query`id >= ${firstIdOf(createdAfter.getTime() + 1)}` : query`true`}
    and ${createdBefore ? query`id < ${firstIdOf(createdBefore.getTime())}` : query`true`}
    and ${page.after ? query`id < ${page.after.id}` : query`true`}
    and ${requestId === undefined ? query`true` : query`(id = ${requestId} or request_id = ${requestId})`}
    and ${isRefused ? query`status >= 400` : query`true`}`
  const rows = await query<RequestRow[]>`
    select * from (select * from requests where ${range} order by id desc limit ${readMax}) r
    where ${keyId === undefined ? query`true` : query`key_id = ${keyId}`}
      and ${by === undefined ? query`true` : query`(key_id = ${by} or session_id = ${by})`}
      and ${method === undefined ? query`true` : query`method = ${method}`}
      and ${path === undefined ? query`true` : query`path = ${path}`}
      and ${statuses ? query`status between ${statuses[0]} and ${statuses[1]}` : query`true`}
    order by id desc limit ${page.limit + 1}`
  const items = rows.slice(0, page.limit)
  if (rows.length > page.limit) return { items, next: keyOf(items.at(-1)) }
  const [lastRead] = await query<{ id: string }[]>`
    select id from requests where ${range} order by id desc offset ${readMax - 1} limit 1`
  return { items, next: keyOf(lastRead) }
}

const firstIdOf = (timeMs: number): string => `${idPrefixes.request}_${idTime(timeMs)}`

function keyOf(row: { id: string } | undefined) {
  return row ? { at: new Date(timeOfId(row.id)), id: row.id } : null
}
