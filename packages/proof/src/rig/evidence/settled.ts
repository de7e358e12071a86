// The work in progress in a deployment, read in its database. Once everything is healed, a minute is enough for all of it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../databases/database.ts'
import { eventPrefix } from '../load/events.ts'
import type { World } from '../world.ts'

type SettlingWorld = Pick<World<Database>, 'database' | 'provider'>

/** Each names one row that is in progress. An Idempotency-Key whose lease has run out is not: the next repeat takes it. */
const looks: readonly string[] = [
  `select 'operation ' || id || ' (' || kind || ' of ' || subject_id || ') is ' || state || ' after ' || attempts || ' attempts: '
     || coalesce(error_code, '') as what
   from operations where state in ('running', 'unknown') limit 20`,
  `select 'Idempotency-Key ' || key || ' of ' || operation || ' is held until ' || lease_until as what
   from idempotency_keys where status is null and lease_until > now() limit 20`,
  `select 'event ' || event_id || ' is ' || state || ' after ' || attempts || ' attempts: ' || coalesce(error, '') as what
   from event_work limit 20`,
  `select 'account ' || v.id || ' is pending, and its end-user ' || u.external_user_id || ' is approved' as what
   from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
   where v.status = 'pending' and u.kyc_status = 'approved' limit 20`,
]

/** @returns the work left after `limitMs`; empty as soon as none is left */
export async function untilSettled<D extends Database>(
  world: Pick<World<D>, 'database' | 'provider' | 'businesses'>,
  limitMs: number,
): Promise<string[]> {
  const deadline = performance.now() + limitMs
  const isSilent = (await world.provider.record()) === null
  const reliable = world.businesses.flatMap(({ endpoints }) =>
    endpoints.filter(({ conduct = 'healthy', url }) => url !== undefined || /healthy|flaky|forgetful/.test(conduct)),
  )
  const endpointIds = reliable.map(({ id }) => id)
  for (;;) {
    const left = await whatIsLeft(world, endpointIds, isSilent).catch((error: unknown) => [
      `what is left cannot be read: ${String(error)}`,
    ])
    if (left.length === 0 || performance.now() > deadline) return left
    await delay(250)
  }
}

async function whatIsLeft({ database, provider }: SettlingWorld, endpointIds: readonly string[], isSilent: boolean) {
  const left: string[] = []
  for (const look of looks) left.push(...(await database.ask<{ what: string }>(look)).map(({ what }) => what))
  const deliveries = await database.ask<{ what: string }>(
    `select 'delivery ' || id || ' to ' || endpoint_id || ' waits after ' || attempts || ' attempts: '
       || coalesce(last_outcome, '') as what
     from deliveries where endpoint_id = any($1) limit 20`,
    [endpointIds],
  )
  left.push(...deliveries.map(({ what }) => what))
  if (isSilent) return left
  const state = (await provider.ask('GET', '/_sandbox/state')).body as Record<string, { count: number }>
  if (state['pending_tasks']?.count !== 0) left.push(`the provider has ${state['pending_tasks']?.count} tasks to do`)
  const [received] = await database.ask<{ count: number }>(
    `select count(*)::int as count from received_events
     where key like 'bridge/verified:%' and not starts_with(key, $1)`,
    [`bridge/verified:${eventPrefix}`],
  )
  const missing = (state['events']?.count ?? 0) - (received?.count ?? 0)
  if (missing !== 0) left.push(`${missing} of the provider's events were not accepted`)
  return left
}
