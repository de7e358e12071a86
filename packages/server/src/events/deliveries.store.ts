// Deliveries as a business sees them: waiting ones from the small table that the relay works on, finished ones from the
// history.

import type { Query } from '../platform/postgres/query.ts'

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'cancelled'

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
  responseSealed: Buffer | null
  detail: string | null
  durationMs: number
  startedAt: Date
}

/** Lists the deliveries of an event: their ids begin with the event's id, so they lie side by side in the index. */
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

/** A delivery that was never tried is due since it was made. */
const allDeliveries = (query: Query) => query`
  select business_id, id, event_id, endpoint_id, end_user_id, sequence, 'pending' as status, attempts,
    coalesce(next_attempt_at, created_at) as next_attempt_at, last_outcome, created_at, null::timestamptz as finished_at
  from deliveries
  union all
  select business_id, id, event_id, endpoint_id, end_user_id, sequence, status, attempts, null, last_outcome, created_at,
    finished_at
  from finished_deliveries`

/** Lists the attempts of a delivery. The last attempt of a finished delivery stands in its row. */
export async function listAttempts(query: Query, businessId: string, deliveryId: string): Promise<AttemptRow[]> {
  return await query<AttemptRow[]>`
    select attempt, outcome, http_status, response_body, response_sealed, detail, duration_ms, started_at
    from delivery_attempts where business_id = ${businessId} and delivery_id = ${deliveryId}
    union all
    select attempts, last_outcome, http_status, response_body, response_sealed, detail, duration_ms, started_at
    from finished_deliveries where business_id = ${businessId} and id = ${deliveryId} and started_at is not null
    order by attempt limit 100`
}
