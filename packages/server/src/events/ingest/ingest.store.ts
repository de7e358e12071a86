// Stores provider events, many in one statement over received_events, end_users, virtual_accounts, businesses, events,
// event_work and the tables of fan-out.sql.ts: deduplication, owner, place, deliveries, work. All or none.

import { channelOf } from '../../platform/postgres/notify.ts'
import type { Query } from '../../platform/postgres/query.ts'
import type { OwnerHints } from '../../provider/port.ts'
import {
  deliveriesSql,
  isBehindFailedSql,
  madeInLanesOf,
  notifySql,
  placesSql,
  type StoredRow,
} from '../fan-out.sql.ts'
import { type EventOwner, receivedKey } from '../store.ts'

export type IncomingEvent = {
  id: string
  providerEventId: string
  trust: 'verified' | 'unverified'
  type: string
  body: Buffer
  hints: OwnerHints
  /** Whether the event may update objects. An event without an owner always gets work. */
  hasEffects: boolean
}

export type IngestOutcome = 'queued' | 'duplicate' | 'noEndpoint' | 'noOwner'

/**
 * Stores events, finds their owners by the provider's IDs, and creates their deliveries. Runs across businesses. Keys,
 * streams and lanes are locked in one order, so that replicas do not deadlock. An external user ID alone counts only if
 * no other business uses the same one, or if the business is named too. An event whose best names belong to two
 * businesses is assigned to neither.
 * @param relay the replica in this process, which gets the return value instead of a notification; null for none
 * @returns the result for each event, by our ID; and the deliveries in lanes that `relay` holds, in the order of each
 * lane
 */
export async function ingestEvents(
  query: Query,
  provider: string,
  events: readonly IncomingEvent[],
  relay: string | null,
) {
  const refs = events.flatMap(({ id, hints }) => hints.refs.map((ref) => ({ id, ref })))
  const rows = await query<IngestedRow[]>`
    with input as materialized (
      select * from unnest(${events.map(({ id }) => id)}::text[],
        ${events.map(({ trust, providerEventId }) => receivedKey(provider, trust, providerEventId))}::text[],
        ${events.map(({ providerEventId }) => providerEventId)}::text[], ${events.map(({ trust }) => trust)}::text[],
        ${events.map(({ type }) => type)}::text[], ${startsOf(events)}::int[], ${events.map(({ body }) => body.length)}::int[],
        ${events.map(({ hints }) => hints.externalUserId)}::text[], ${events.map(({ hasEffects }) => Number(hasEffects))}::int[]
      ) with ordinality as t (id, key, provider_event_id, trust, type, body_from, body_bytes,
        external_user_id, has_effects, place)
    ), keys as (
      insert into received_events (key, event_id) select key, id from input order by key
      on conflict (key) do nothing returning event_id
    ), fresh as materialized (
      select i.* from input i join keys k on k.event_id = i.id
    ), refs as materialized (
      select r.* from unnest(${refs.map(({ id }) => id)}::text[], ${refs.map(({ ref }) => ref)}::text[]) as r (event_id, ref)
      join fresh f on f.id = r.event_id
    ), owners as materialized (
      ${ownersNamed(query, provider)}
    ), routed as materialized (
      select f.id, f.place, o.business_id, o.end_user_id, o.virtual_account_id, o.external_user_id, f.provider_event_id,
        f.trust, f.type, f.body_from, f.body_bytes, f.has_effects
      from fresh f left join owners o on o.event_id = f.id and not o.is_disputed
    ), ${placesSql(query)}, ${deliveriesSql(query, 'provider')}, stored as (
      insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id,
        trust, type, body)
      select id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id, trust, type,
        substring(${Buffer.concat(events.map(({ body }) => body))}::bytea from body_from for body_bytes)
      from placed order by id
    ), work as (
      insert into event_work (event_id, provider_refs)
      select p.id, coalesce(named.refs, '{}')
      from placed p left join (select event_id, array_agg(ref) as refs from refs group by event_id) named on named.event_id = p.id
      where p.has_effects = 1 or p.business_id is null
      returning event_id
    )
    select i.id, case
        when p.id is null then 'duplicate'
        when p.business_id is null then 'noOwner'
        when exists (select 1 from webhook_endpoints e where e.business_id = p.business_id) then 'queued'
        else 'noEndpoint' end as outcome,
      case when i.place = 1 then (${notifySql(query, relay)}) end,
      case when i.place = 1 and exists (select 1 from work) then pg_notify(${channelOf('apply')}, '') end,
      p.business_id, p.external_user_id, d.*, d.is_ordered and ${isBehindFailedSql(query)} as is_behind
    from input i left join placed p on p.id = i.id left join (${madeInLanesOf(query, relay)}) d on d.event_id = i.id
    order by d.sequence`
  return {
    outcomes: new Map(rows.map(({ id, outcome }) => [id, outcome])),
    stored: rows.flatMap(({ id: _, outcome, ...row }) => (row.deliveryId === null ? [] : [row])),
  }
}

/**
 * Where each body starts: all bodies are one parameter, because an array of texts costs the database 10 µs per body.
 */
function startsOf(events: readonly IncomingEvent[]): number[] {
  let end = 1
  return events.map(({ body }) => {
    const from = end
    end += body.length
    return from
  })
}

/** A delivery in a lane of the relay, with the owner of its event. */
export type IngestedDelivery = StoredRow & { businessId: string; externalUserId: string | null }

type IngestedRow = { id: string; outcome: IngestOutcome } & (IngestedDelivery | { deliveryId: null })

/** `shared name`: only the provider can tell the businesses apart. `two owners`: the event names objects of both. */
export type OwnerFound = EventOwner | 'unknown' | 'shared name' | 'two owners'

/** Finds the owner of one stored event by the same rules. Runs across businesses. */
export async function findOwner(query: Query, provider: string, hints: OwnerHints): Promise<OwnerFound> {
  const [found] = await query<(EventOwner & { rank: number; isDisputed: boolean })[]>`
    with fresh as (select '' as id, ${hints.externalUserId}::text as external_user_id),
      refs as (select '' as event_id, unnest(${hints.refs}::text[]) as ref)
    select business_id, end_user_id, virtual_account_id, external_user_id, rank, is_disputed
    from (${ownersNamed(query, provider)}) owners`
  if (found === undefined) return 'unknown'
  const { rank, isDisputed, ...owner } = found
  if (!isDisputed) return owner
  return rank === rankOfName ? 'shared name' : 'two owners'
}

/** Lists the provider's customers of all end-users with this name, across businesses. */
export async function listCustomersOfName(query: Query, provider: string, externalUserId: string): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select provider_customer_id as id from end_users
    where external_user_id = ${externalUserId} and provider = ${provider} and provider_customer_id is not null
    order by business_id limit ${namesakesMax}`
  return rows.map(({ id }) => id)
}

const namesakesMax = 20
const rankOfName = 3

/** The owner of each event by its best name, and whether that name also belongs to another business. */
const ownersNamed = (query: Query, provider: string) => query`
  select distinct on (found.event_id) found.*,
    min(found.business_id) over same_rank <> max(found.business_id) over same_rank as is_disputed
  from (${ownersByRef(query, provider)} union all ${ownersByName(query)}) found
  window same_rank as (partition by found.event_id, found.rank)
  order by found.event_id, found.rank, found.business_id, found.end_user_id, found.virtual_account_id`

/** One index look-up for each place where an ID may be, whatever the planner estimates about table sizes. */
const ownersByRef = (query: Query, provider: string) => query`
  select r.event_id, o.* from refs r cross join lateral (
    select v.business_id, v.end_user_id, v.id as virtual_account_id, u.external_user_id, 1 as rank
    from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
    where v.provider = ${provider} and v.provider_virtual_account_id = r.ref
    union all
    select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
    where u.provider = ${provider} and u.provider_customer_id = r.ref
    union all
    select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
    where u.provider = ${provider} and u.provider_kyc_link->>'id' = r.ref
    union all
    select u.business_id, u.id, null, u.external_user_id, 2 from end_users u where u.id = r.ref
  ) o`

const ownersByName = (query: Query) => query`
  select f.id, u.business_id, u.id, null, u.external_user_id, ${rankOfName}::int from fresh f
  left join (
    select r.event_id, array_agg(b.id) as ids from refs r join businesses b on b.id = r.ref group by r.event_id
  ) named on named.event_id = f.id
  cross join lateral (
    select * from end_users u
    where u.external_user_id = f.external_user_id and (named.ids is null or u.business_id = any(named.ids)) limit 2
  ) u
  where f.external_user_id is not null`
