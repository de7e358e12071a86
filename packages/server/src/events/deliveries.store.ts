// Deliveries as the API shows them: waiting deliveries from the small table of the relay, finished ones from the
// history.

import { type Page, type PageRequest, type TimeRange, toPage } from '../platform/postgres/paging.ts'
import { inWeeksSql } from '../platform/postgres/partitions/partitions.ts'
import type { Query } from '../platform/postgres/query.ts'
import { idTime } from '../platform/values/ids.ts'
import type { DeliveryStatus } from './deliveries.rules.ts'

export type DeliveryRow = {
  businessId: string
  id: string
  eventId: string
  endpointId: string
  endUserId: string | null
  sequence: number
  status: DeliveryStatus
  attempts: number
  nextAttemptAt: Date | null
  lastOutcome: string | null
  createdAt: Date
  finishedAt: Date | null
}

export type AttemptRow = {
  attempt: number
  outcome: string
  httpStatus: number | null
  responseBody: string | null
  responseHeaders: string | null
  responseSealed: Buffer | null
  sentAs: string | null
  detail: string | null
  durationMs: number
  startedAt: Date
}

/** Lists the deliveries of an event. Their IDs start with the event's ID, so they are adjacent in the index. */
export async function listDeliveriesOfEvent(query: Query, businessId: string, eventId: string): Promise<DeliveryRow[]> {
  const first = `dlv_${eventId.slice(4)}`
  return await query<DeliveryRow[]>`
    select * from (${allDeliveries(query)}) d
    where business_id = ${businessId} and id >= ${first} and id < ${`${first}~`} order by created_at, id limit 100`
}

export async function findDelivery(query: Query, businessId: string, id: string): Promise<DeliveryRow | undefined> {
  const rows = await query<DeliveryRow[]>`
    select * from (${allDeliveries(query)}) d where business_id = ${businessId} and id = ${id}`
  return rows[0]
}

const allDeliveries = (query: Query) => query`${waitingDeliveries(query)} union all ${finishedDeliveries(query)}`

/** A delivery that was never attempted is due since its creation. */
const waitingDeliveries = (query: Query) => query`
  select business_id, id, event_id, endpoint_id, end_user_id, sequence,
    case when attempts > 0 then 'retrying' else 'pending' end as status, attempts,
    coalesce(next_attempt_at, created_at) as next_attempt_at, last_outcome, created_at, null::timestamptz as finished_at,
    null::timestamptz as started_at, null::int as duration_ms, null::int as http_status, null::text as detail
  from deliveries`

/** The row contains the last attempt, unless the delivery ended for another reason. */
const finishedDeliveries = (query: Query) => query`
  select business_id, id, event_id, endpoint_id, end_user_id, sequence, status, attempts, null::timestamptz as next_attempt_at,
    last_outcome, created_at, finished_at, started_at, duration_ms, http_status, detail
  from finished_deliveries`

/** Lists the attempts of a delivery. The row of a finished delivery contains its last attempt. */
export async function listAttempts(query: Query, businessId: string, deliveryId: string): Promise<AttemptRow[]> {
  return await query<AttemptRow[]>`
    select attempt, outcome, http_status, response_body, response_headers, response_sealed, sent_as, detail, duration_ms, started_at
    from delivery_attempts where business_id = ${businessId} and delivery_id = ${deliveryId}
    union all
    select attempts, last_outcome, http_status, response_body, response_headers, response_sealed, sent_as, detail, duration_ms,
      started_at
    from finished_deliveries where business_id = ${businessId} and id = ${deliveryId} and started_at is not null
    order by attempt limit 100`
}

export type DeliveryFilter = {
  status?: DeliveryStatus
  webhookEndpointId?: string
  eventType?: string
  externalUserId?: string
} & TimeRange

/** A delivery with its event and its last attempt; the columns of the attempt are null before the first one. */
export type ListedDeliveryRow = DeliveryRow &
  Pick<AttemptRow, 'httpStatus' | 'detail'> & {
    eventType: string
    externalUserId: string | null
    durationMs: number | null
    startedAt: Date | null
  }

/** Deliveries, or events, that one page searches: about 20 ms, even if few match the filter. */
export const scannedMax = 2_000

/**
 * Lists deliveries, newest first. A page may end early after `scannedMax` rows; then it has a next page even if it is
 * empty. Waiting and failed deliveries are found by separate indexes, all others by their events.
 */
export async function listDeliveries(
  query: Query,
  businessId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<ListedDeliveryRow>> {
  const isByEvent = filter.status === undefined || filter.status === 'delivered'
  const { scan, found } = (isByEvent ? byEvent : byState)(query, businessId, filter, page.after?.id ?? null)
  const rows = await query<ListedDeliveryRow[]>`
    with found as materialized (${found} limit ${page.limit + 1})
    select f.business_id, f.id, f.event_id, f.endpoint_id, f.end_user_id, f.sequence, f.status, f.attempts, f.next_attempt_at,
      f.last_outcome, f.created_at, f.finished_at, f.event_type, f.external_user_id,
      coalesce(f.started_at, a.started_at) as started_at, coalesce(f.duration_ms, a.duration_ms) as duration_ms,
      coalesce(f.http_status, a.http_status) as http_status, coalesce(f.detail, a.detail) as detail
    from found f left join lateral (
      select * from delivery_attempts
      where f.started_at is null and business_id = ${businessId} and delivery_id = f.id and attempt = f.attempts limit 1
    ) a on true
    order by f.place desc, f.id desc`
  const full = toPage(rows, page.limit)
  if (full.next) return full
  const [last] = await query<{ id: string; at: Date }[]>`
    select id, created_at as at from (${scan}) s order by place desc offset ${scannedMax - 1} limit 1`
  return { items: full.items, next: last ?? null }
}

/**
 * Both ways to find a page return `scan`, the newest rows that are searched, and `found`, the matching rows. Related
 * rows are looked up row by row: `limit` in a lateral query leaves the planner only the index.
 */
type Found = { scan: ReturnType<Query>; found: ReturnType<Query> }

/** By the business's events in their order. @param after the ID of the last delivery of the previous page */
function byEvent(query: Query, businessId: string, filter: DeliveryFilter, after: string | null): Found {
  const place = query`(
    select position from events where business_id = ${businessId} and id = ${`evt_${after?.slice(4, 30)}`})`
  // The ID is below those of the event's deliveries: where the scan ends, the next page starts after all of them.
  const scan = query`
    select 'dlv_' || substr(id, 5) as id, position as place, type, external_user_id, created_at from events
    where business_id = ${businessId} and ${inWeeksSql(query, 'event', filter)}
      and ${after === null ? query`true` : query`position <= ${place}`}
    order by position desc limit ${scannedMax}`
  const found = query`
    select d.*, e.place, e.type as event_type, e.external_user_id
    from (${scan}) e cross join lateral (
      select * from (${allDeliveries(query)}) d
      where business_id = ${businessId} and id > e.id and id < e.id || '~' limit 100
    ) d
    where ${fits(query, filter)} and ${filter.status ? query`d.status = 'delivered'` : query`true`}
      and ${filter.webhookEndpointId ? query`d.endpoint_id = ${filter.webhookEndpointId}` : query`true`}
      and ${after === null ? query`true` : query`(e.place < ${place} or d.id < ${after})`}
    order by e.place desc, d.id desc`
  return { scan, found }
}

/** By the waiting or the failed deliveries: those of an endpoint in its order, those of a business by their IDs. */
function byState(query: Query, businessId: string, filter: DeliveryFilter, after: string | null): Found {
  const { status, webhookEndpointId: endpointId, createdAfter, createdBefore } = filter
  const place = endpointId ? query`sequence` : query`id`
  const last = endpointId
    ? query`(select sequence from (${allDeliveries(query)}) d where business_id = ${businessId} and id = ${after})`
    : query`${after}::text`
  // IDs contain the time of the replica that created them, so allow a day of clock difference. The numbers of an
  // endpoint contain no time.
  const isWithin = endpointId
    ? query`true`
    : query`
      ${createdAfter ? query`id >= ${idAt(createdAfter, -dayMs)}` : query`true`}
      and ${createdBefore ? query`id < ${idAt(createdBefore, dayMs)}` : query`true`}`
  const isTried = status === 'retrying' ? query`attempts > 0` : query`true`
  const rows =
    status === 'pending' || status === 'retrying'
      ? query`(${waitingDeliveries(query)} where ${isTried}) d where true`
      : query`(${finishedDeliveries(query)}) d where status <> 'delivered'`
  const scan = query`
    select *, ${place} as place from ${rows} and business_id = ${businessId}
      and ${endpointId ? query`endpoint_id = ${endpointId}` : query`true`}
      and ${after === null ? query`true` : query`${place} < ${last}`} and ${isWithin}
    order by ${place} desc limit ${scannedMax}`
  const found = query`
    select d.*, e.type as event_type, e.external_user_id from (${scan}) d cross join lateral (
      select * from events where business_id = ${businessId} and id = d.event_id limit 1
    ) e
    where ${fits(query, filter)} and d.status = ${status ?? null} order by d.place desc`
  return { scan, found }
}

const dayMs = 86_400_000
const idAt = (time: Date, slackMs: number) => `dlv_${idTime(Math.max(0, time.getTime() + slackMs))}`

/** A condition on `e`, the event. */
const fits = (query: Query, { eventType, externalUserId, createdAfter, createdBefore }: DeliveryFilter) => query`
  ${createdAfter ? query`e.created_at > ${createdAfter}` : query`true`}
  and ${createdBefore ? query`e.created_at < ${createdBefore}` : query`true`} and
  ${eventType === undefined ? query`true` : query`e.type = ${eventType}`}
  and ${externalUserId === undefined ? query`true` : query`e.external_user_id = ${externalUserId}`}`
