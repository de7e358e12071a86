// The request log of a business, partitioned by week. A request's ID contains its time, so IDs sort by time.

import type { Page, PageRequest, TimeRange } from '../../platform/postgres/paging.ts'
import type { Query } from '../../platform/postgres/query.ts'
import { idPrefixes, idTime, timeOfId } from '../../platform/values/ids.ts'

export type RequestRow = {
  id: string
  businessId: string
  /** The caller's own ID of the request, if sent. */
  requestId: string | null
  /** ID of the API key, or of the staff member. */
  credentialId: string
  /** The console session of the request. */
  sessionId: string | null
  method: string
  /** The pattern of the route: paths may contain names. */
  path: string
  /** A Causeway ID: of the object in the path, or of the object that the request created. */
  objectId: string | null
  /** The end-user in the path. Stored as our ID, so the caller's ID is gone once the end-user is erased. */
  externalUserId: string | null
  status: number
  errorCode: string | null
  durationMs: number
  isReplay: boolean
}

export async function insertRequests(query: Query, rows: readonly RequestRow[]): Promise<void> {
  await query`
    insert into requests (id, business_id, request_id, credential_id, session_id, method, path, status, error_code, duration_ms, is_replay,
      object_id, end_user_id)
    select r.id, r.business_id, request_id, credential_id, session_id, method, path, status, error_code, duration_ms, is_replay,
      object_id, coalesce(u.id, case when starts_with(object_id, ${`${idPrefixes.endUser}_`}) then object_id end)
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.businessId)}::text[],
      ${rows.map((row) => row.requestId)}::text[], ${rows.map((row) => row.credentialId)}::text[],
      ${rows.map((row) => row.sessionId)}::text[], ${rows.map((row) => row.method)}::text[],
      ${rows.map((row) => row.path)}::text[], ${rows.map((row) => row.status)}::int[],
      ${rows.map((row) => row.errorCode)}::text[], ${rows.map((row) => row.durationMs)}::float8[],
      ${rows.map((row) => row.isReplay)}::boolean[], ${rows.map((row) => row.objectId)}::text[],
      ${rows.map((row) => row.externalUserId)}::text[]) as r (id, business_id, request_id, credential_id, session_id, method, path,
        status, error_code, duration_ms, is_replay, object_id, external_user_id)
      left join end_users u on u.business_id = r.business_id and u.external_user_id = r.external_user_id`
}

/** `console`: a console session; `api`: a key. */
export const clients = ['api', 'console'] as const
type Client = (typeof clients)[number]

export type RequestFilter = TimeRange & {
  requestId?: string
  credentialId?: string
  /** The ID of a key, a staff member, or a console session. */
  by?: string
  method?: string
  path?: string
  /** An error code, or `*` for any. */
  error?: string
  kind?: 'read' | 'write'
  client?: Client
  /** A range of statuses, inclusive. */
  statuses?: readonly [from: number, to: number]
}

/** Most rows that a page looks through, which takes about 30 ms: no index serves a filter by path or key. */
export const rowsReadMax = 50_000
/** Failed requests are scattered among the others: each is in a separate block. */
const refusedReadMax = 10_000

/**
 * Lists requests, newest first. A page of a rarely matching filter may have fewer than `limit` requests, or none, and
 * still be followed by another.
 */
export async function listRequests(
  query: Query,
  businessId: string,
  filter: RequestFilter,
  page: PageRequest,
): Promise<Page<RequestRow>> {
  const { requestId, credentialId, by, method, path, statuses, error, kind, client } = filter
  const isRefused = error !== undefined || (statuses !== undefined && statuses[0] >= 400)
  const readMax = isRefused ? refusedReadMax : rowsReadMax
  // Conditions with an index: the position in time, an ID, and whether a request failed.
  const range = query`
    business_id = ${businessId} and ${isWithin(query, filter)}
    and ${page.after ? query`id < ${page.after.id}` : query`true`}
    and ${requestId === undefined ? query`true` : query`(id = ${requestId} or request_id = ${requestId})`}
    and ${isRefused ? query`status >= 400` : query`true`}`
  const rows = await query<RequestRow[]>`
    select r.*, u.external_user_id from (select * from requests where ${range} order by id desc limit ${readMax}) r
      left join end_users u on u.business_id = r.business_id and u.id = r.end_user_id
    where ${credentialId === undefined ? query`true` : query`credential_id = ${credentialId}`}
      and ${by === undefined ? query`true` : query`(credential_id = ${by} or session_id = ${by})`}
      and ${method === undefined ? query`true` : query`r.method = ${method}`}
      and ${path === undefined ? query`true` : query`path = ${path}`}
      and ${error === undefined || error === '*' ? query`true` : query`error_code = ${error}`}
      and ${kind === undefined ? query`true` : query`(method not in ('GET', 'HEAD')) = ${kind === 'write'}`}
      and ${isOf(query, client)}
      and ${statuses ? query`status between ${statuses[0]} and ${statuses[1]}` : query`true`}
    order by r.id desc limit ${page.limit + 1}`
  const items = rows.slice(0, page.limit)
  if (rows.length > page.limit) return { items, next: keyOf(items.at(-1)) }
  const [lastRead] = await query<{ id: string }[]>`
    select id from requests where ${range} order by id desc offset ${readMax - 1} limit 1`
  return { items, next: keyOf(lastRead) }
}

export type RequestErrors = { error: string; count: number; lastId: string; lastRequestId: string }

/** Counts the failed requests of a business by error, most frequent first; of the newest `refusedReadMax`. */
export async function countErrors(
  query: Query,
  businessId: string,
  filter: TimeRange & { client?: Client },
): Promise<RequestErrors[]> {
  return await query<RequestErrors[]>`
    select error_code as error, count(*)::int as count, max(id) as last_id,
      (array_agg(coalesce(request_id, id) order by id desc))[1] as last_request_id
    from (
      select * from requests where business_id = ${businessId} and status >= 400 and ${isWithin(query, filter)}
      order by id desc limit ${refusedReadMax}
    ) r
    where error_code is not null and ${isOf(query, filter.client)}
    group by error_code order by count desc, error_code limit 100`
}

const isWithin = (query: Query, { createdAfter, createdBefore }: TimeRange) => query`
  ${createdAfter ? query`id >= ${firstIdOf(createdAfter.getTime() + 1)}` : query`true`}
  and ${createdBefore ? query`id < ${firstIdOf(createdBefore.getTime())}` : query`true`}`

const isOf = (query: Query, client: Client | undefined) =>
  client === undefined ? query`true` : query`(session_id is not null) = ${client === 'console'}`

const firstIdOf = (timeMs: number): string => `${idPrefixes.request}_${idTime(timeMs)}`

function keyOf(row: { id: string } | undefined) {
  return row ? { at: new Date(timeOfId(row.id)), id: row.id } : null
}
