// Lanes with queued deliveries, and the running servers. Runs across businesses.

import type { Query } from '../../platform/postgres/query.ts'

export type LaneRow = {
  webhookEndpointId: string
  customerId: string
  customerName: string
  url: string
  status: 'enabled' | 'paused' | 'disabled'
  waiting: number
  oldestAt: Date
  failures: number
  failingSince: Date | null
  replica: string | null
}

/** Checks the lanes that are due, and the closed ones; shows those with the longest wait. */
const lanesReadMax = 200
const lanesShownMax = 50
export const waitingCountedMax = 1_000

export async function listBusyLanes(query: Query): Promise<LaneRow[]> {
  return await query<LaneRow[]>`
    with lanes as (
      (select * from endpoint_lanes where wants_at is not null order by wants_at limit ${lanesReadMax})
      union all
      (select * from endpoint_lanes where not open and wants_at is null limit ${lanesReadMax})
    ), fronts as (
      select l.*, d.created_at as oldest_at from lanes l cross join lateral (
        select created_at from deliveries d where d.endpoint_id = l.endpoint_id order by sequence limit 1) d
      order by oldest_at limit ${lanesShownMax}
    )
    select f.endpoint_id as webhook_endpoint_id, f.business_id as customer_id, b.name as customer_name, e.url, e.status,
      f.oldest_at, f.failures, f.failing_since, f.owner as replica,
      (select count(*)::int from (
        select 1 from deliveries d where d.endpoint_id = f.endpoint_id limit ${waitingCountedMax}) w) as waiting
    from fronts f join businesses b on b.id = f.business_id
      join webhook_endpoints e on e.business_id = f.business_id and e.id = f.endpoint_id
    order by f.oldest_at`
}

export type ReplicaRow = { id: string; version: string; role: string; startedAt: Date; until: Date; lanes: number }

const replicasShownMax = 100

export async function listReplicas(query: Query): Promise<ReplicaRow[]> {
  return await query<ReplicaRow[]>`
    with held as (
      select owner, count(*)::int as lanes from (
        select owner from endpoint_lanes where wants_at is not null order by wants_at limit ${waitingCountedMax}) l
      where owner is not null group by owner
    )
    select w.server as id, w.version, w.role, w.started_at, w.until, coalesce(h.lanes, 0) as lanes
    from deployment_secret_writers w left join held h on h.owner = w.server
    where w.until >= now() order by w.started_at, w.server limit ${replicasShownMax}`
}
