// When a restored deployment is level with the provider again: everything was read, applied and sent.

import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../rig/databases/database.ts'
import type { Provider } from '../../rig/world.ts'

/** The point in time left end-users and accounts out: the provider's events about them are held. */
const heldError = 'account not known yet'

/** @returns what is left after `limitMs`; empty as soon as nothing is left */
export async function untilLevel(
  world: { database: Database; provider: Provider },
  since: Date,
  limitMs: number,
): Promise<string[]> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = await whatIsLeft(world, since).catch((error: unknown) => [`what is left cannot be read: ${error}`])
    if (left.length === 0 || performance.now() > deadline) return left
    await delay(500)
  }
}

async function whatIsLeft(
  { database, provider }: { database: Database; provider: Provider },
  since: Date,
): Promise<string[]> {
  const record = (await provider.record())?.events.map((event) => String(event['event_id'])) ?? []
  const [counts] = await database.ask<Record<string, number>>(
    `select
      (select count(*) from deliveries) as "deliveries wait",
      (select count(*) from operations where state in ('running', 'unknown')) as "operations are open",
      (select count(*) from event_work w join events e on e.id = w.event_id
       where e.business_id is not null and w.error is distinct from $2) as "events are not applied",
      (select count(*) from reread_walk where ended_at is null or ended_at < $3) as "walks have not ended",
      (select count(*) from unnest($1::text[]) id
       where not exists (select from received_events r where r.key = 'bridge/verified:' || id))
       as "of the provider's events are missing"`,
    [record, heldError, since],
  )
  return Object.entries(counts ?? {}).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
}

/** @returns IDs of the provider's events that operators see as held */
export async function heldEvents(database: Database): Promise<string[]> {
  const rows = await database.ask<{ id: string }>(
    `select e.provider_event_id as id from event_work w join events e on e.id = w.event_id
     where w.state = 'pending' and w.error is not null and e.provider_event_id is not null`,
  )
  return rows.map(({ id }) => id)
}
