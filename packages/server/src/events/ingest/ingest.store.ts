// Stores provider events, many in one statement over received_events, end_users, virtual_accounts, businesses, events,
// event_work and the tables of fan-out.sql.ts: deduplication, owner, place, deliveries, work. All or none.

import { channelOf } from '../../platform/postgres/notify.ts'
import type { Query } from '../../platform/postgres/query.ts'
import type { OwnerHints } from '../../provider/port.ts'
import {
  deliveriesOfOneSql,
  deliveriesSql,
  isBehindFailedSql,
  madeInLanesOf,
  notifySql,
  placeOfOneSql,
  placesSql,
  type StoredRow,
} from '../fan-out.sql.ts'
import { receivedKey } from '../store.ts'
import { ownerOfOneSql, ownersSql } from './owners.store.ts'

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
  const [event] = events
  const one = event && events.length === 1 ? statementOfOne(query, provider, event, relay) : null
  const rows = await (one ?? statementOfMany(query, provider, events, relay))
  return {
    outcomes: new Map(rows.map(({ id, outcome }) => [id, outcome])),
    stored: rows.flatMap(({ id: _, outcome, notified, ...row }) => (row.deliveryId === null ? [] : [row])),
  }
}

/** The same for one event: at a low rate the cost of a statement is its plan nodes, and this has half as many. */
const statementOfOne = (query: Query, provider: string, event: IncomingEvent, relay: string | null) => {
  const { id, providerEventId, trust, type, body, hints, hasEffects } = event
  return query<IngestedRow[]>`
    with keys as (
      insert into received_events (key, event_id) values (${keyOf(provider, event)}, ${id})
      on conflict (key) do nothing returning event_id
    ), routed as materialized (
      select k.event_id as id, o.business_id, o.end_user_id, o.virtual_account_id, o.external_user_id,
        ${type}::text as type
      from keys k left join (${ownerOfOneSql(query, provider, id, hints)}) o on not o.is_disputed
    ), ${placeOfOneSql(query)}, ${deliveriesOfOneSql(query, 'provider')}, stored as (
      insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id,
        trust, type, body)
      select id, business_id, end_user_id, virtual_account_id, external_user_id, position, ${providerEventId}, ${trust}, type,
        ${body} from placed
    ), work as (
      insert into event_work (event_id, provider_refs)
      select id, ${hints.refs}::text[] from placed where ${hasEffects} or business_id is null
      returning event_id
    )
    select i.id, ${outcomeSql(query)} as outcome, ${notifyAllSql(query, relay)} as notified,
      p.business_id, p.external_user_id, d.*, d.is_ordered and ${isBehindFailedSql(query)} as is_behind
    from (select ${id}::text as id) i left join placed p on true left join (${madeInLanesOf(query, relay)}) d on true`
}

const statementOfMany = (query: Query, provider: string, events: readonly IncomingEvent[], relay: string | null) => {
  const refs = events.flatMap(({ id, hints }) => hints.refs.map((ref) => ({ id, ref })))
  return query<IngestedRow[]>`
    with input as materialized (
      select * from unnest(${events.map(({ id }) => id)}::text[],
        ${events.map((event) => keyOf(provider, event))}::text[],
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
      ${ownersSql(query, provider)}
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
    select i.id, ${outcomeSql(query)} as outcome,
      case when i.place = 1 then ${notifyAllSql(query, relay)} end as notified,
      p.business_id, p.external_user_id, d.*, d.is_ordered and ${isBehindFailedSql(query)} as is_behind
    from input i left join placed p on p.id = i.id left join (${madeInLanesOf(query, relay)}) d on d.event_id = i.id
    order by d.sequence`
}

const keyOf = (provider: string, { trust, providerEventId }: IncomingEvent): string =>
  receivedKey(provider, trust, providerEventId)

/** The result for an event `i` that is stored as `p`. */
const outcomeSql = (query: Query) => query`
  case when p.id is null then 'duplicate'
    when p.business_id is null then 'noOwner'
    when exists (select 1 from webhook_endpoints e where e.business_id = p.business_id) then 'queued'
    else 'noEndpoint' end`

/** One value: notifies as `notifySql` does, and the loop that applies events if there is work. */
const notifyAllSql = (query: Query, relay: string | null) => query`
  num_nulls((${notifySql(query, relay)}), (select pg_notify(${channelOf('apply')}, '') where exists (select 1 from work)))`

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

type IngestedRow = { id: string; outcome: IngestOutcome; notified: number | null } & (
  | IngestedDelivery
  | { deliveryId: null }
)
