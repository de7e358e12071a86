// When a restored deployment is level with the provider again: everything was read, applied and sent.

import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '../fleet/fleet.ts'

/** @returns what is left after `limitMs`; empty as soon as nothing is left */
export async function untilLevel(fleet: Fleet, since: Date, limitMs: number): Promise<string[]> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = await whatIsLeft(fleet, since).catch((error: unknown) => [`nobody can tell: ${String(error)}`])
    if (left.length === 0 || performance.now() > deadline) return left
    await delay(500)
  }
}

async function whatIsLeft({ deployment, provider }: Fleet, since: Date): Promise<string[]> {
  const record = (await provider.record()).events.map((event) => String(event['event_id']))
  return await deployment.db.read(async (query) => {
    const counts = {
      'deliveries wait': await countOf(query<Count[]>`select count(*)::int as count from deliveries`),
      'operations are open': await countOf(
        query<Count[]>`select count(*)::int as count from operations where state in ('running', 'unknown')`,
      ),
      // The point in time left end-users and accounts out: the provider's events about these are held.
      'events are not applied': await countOf(query<Count[]>`
        select count(*)::int as count from event_work w join events e on e.id = w.event_id where e.business_id is not null and w.error is distinct from 'account not known yet'`),
      'walks have not ended': await countOf(
        query<Count[]>`select count(*)::int as count from reread_walk where ended_at is null or ended_at < ${since}`,
      ),
      "of the provider's events are missing": await countOf(query<Count[]>`
        select count(*)::int as count from unnest(${record}::text[]) id
        where not exists (select from received_events r where r.key = 'bridge/verified:' || id)`),
    }
    return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  })
}

type Count = { count: number }

async function countOf(rows: PromiseLike<readonly Count[]>): Promise<number> {
  return (await rows)[0]?.count ?? 0
}
