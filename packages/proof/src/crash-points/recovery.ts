// After a kill: what may still be held and for how long, time that passes, and when everything has come to rest.

import { setTimeout as delay } from 'node:timers/promises'
import { channelOf, loopNames } from '../../../server/src/platform/postgres/notify.ts'
import type { Stage } from './stage.ts'

/** Longer than these nothing may stay held by one who is dead. */
const operationSecondsMax = 60
const eventSecondsMax = 60
const keySecondsMax = 120

/** @returns a fault for each lease that keeps a path waiting for longer than is promised */
export async function longLeases(stage: Stage, businessIds: readonly string[]): Promise<Map<string, string[]>> {
  const ids = [...businessIds]
  const rows = await stage.db.read(
    (query) => query<{ businessId: string; what: string; seconds: number }[]>`
      select business_id, 'an operation' as what, extract(epoch from lease_until - now())::float8 as seconds from operations
        where business_id = any(${ids}::text[]) and state in ('running', 'unknown')
          and lease_until > now() + make_interval(secs => ${operationSecondsMax})
      union all
      select business_id, 'an Idempotency-Key', extract(epoch from lease_until - now())::float8 from idempotency_keys
        where business_id = any(${ids}::text[]) and status is null
          and lease_until > now() + make_interval(secs => ${keySecondsMax})
      union all
      select e.business_id, 'an event', extract(epoch from w.due_at - now())::float8 from event_work w
        join events e on e.id = w.event_id
        where e.business_id = any(${ids}::text[]) and w.state = 'pending'
          and w.due_at > now() + make_interval(secs => ${eventSecondsMax})`,
  )
  const faults = new Map<string, string[]>()
  for (const { businessId, what, seconds } of rows)
    faults.set(businessId, [...(faults.get(businessId) ?? []), `${what} is held for ${Math.round(seconds)} s more`])
  return faults
}

/** Releases the lanes of dead servers, as if their lease of 3 s had expired. Runs before the next server starts. */
export async function forgetDeadOwners({ db }: Stage): Promise<void> {
  await db.transaction((tx) => tx`update relay_owners set lease_until = now() - interval '1 second'`)
}

/** As if so much time had passed that every lease has run out. */
export async function letLeasesRunOut({ db }: Stage): Promise<void> {
  await db.transaction(async (tx) => {
    await tx`update operations set lease_until = now() where state in ('running', 'unknown') and lease_until > now()`
    await tx`update idempotency_keys set lease_until = now() where status is null and lease_until > now()`
    await tx`
      update event_work w set due_at = now() from events e
      where e.id = w.event_id and e.business_id is not null and w.state = 'pending' and w.due_at > now()`
    await tx`update event_pull set lease_until = now(), due_at = least(due_at, now())`
    await tx`update reread_walk set lease_until = now() where began_at is not null`
    await tx`update information_request_pull set lease_until = now() where began_at is not null`
    await tx`update open_deposit_walk set lease_until = now() where lease_until > now()`
    for (const loop of loopNames) await tx`select pg_notify(${channelOf(loop)}, '')`
  })
}

/** Work that is still open, by business; operations of those that may keep theirs do not count. */
async function openWork(
  { db }: Stage,
  ids: readonly string[],
  mayStayOpen: readonly string[],
): Promise<Map<string, string>> {
  const all = [...ids]
  const kept = [...mayStayOpen]
  const rows = await db.read(
    (query) => query<{ businessId: string; what: string }[]>`
      select business_id, 'an operation is ' || state as what from operations
        where business_id = any(${all}::text[]) and state in ('running', 'unknown')
          and not (business_id = any(${kept}::text[]) and kind like 'customer.%')
      union all
      select d.business_id, 'a delivery waits' from deliveries d join endpoint_lanes l on l.endpoint_id = d.endpoint_id and l.open
        where d.business_id = any(${all}::text[])
      union all
      select business_id, 'a replay runs' from replays r join endpoint_lanes l using (endpoint_id, business_id)
        where business_id = any(${all}::text[]) and state = 'running' and l.open
      union all
      select e.business_id, 'an event waits to be applied: ' || coalesce(w.error, w.state) from event_work w
        join events e on e.id = w.event_id where e.business_id = any(${all}::text[])`,
  )
  return new Map(rows.map(({ businessId, what }) => [businessId, what]))
}

/** Waits until the provider has sent all its events and nothing waits here. @returns the open work at the end of the wait */
export async function comeToRest(
  stage: Stage,
  ids: readonly string[],
  mayStayOpen: readonly string[],
  limitMs: number,
): Promise<Map<string, string>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const open = await openWork(stage, ids, mayStayOpen)
    if (open.size === 0 || performance.now() > deadline) return open
    await delay(25)
  }
}
