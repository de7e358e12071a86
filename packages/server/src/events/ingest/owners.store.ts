// Finds the owners of provider events by the provider's IDs and by external user IDs: parts of the statements of
// ingest.store.ts over end_users, virtual_accounts and businesses. Runs across businesses.

import type { Query } from '../../platform/postgres/query.ts'
import type { OwnerHints } from '../../provider/port.ts'
import type { EventOwner } from '../store.ts'

/** `shared name`: only the provider can tell the businesses apart. `two owners`: the event names objects of both. */
export type OwnerFound = EventOwner | 'unknown' | 'shared name' | 'two owners'

/** Finds the owner of one stored event by the same rules. Runs across businesses. */
export async function findOwner(query: Query, provider: string, hints: OwnerHints): Promise<OwnerFound> {
  const [found] = await query<(EventOwner & { rank: number; isDisputed: boolean })[]>`
    select business_id, end_user_id, virtual_account_id, external_user_id, rank, is_disputed
    from (${ownerOfOneSql(query, provider, '', hints)}) owners`
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

type Piece = ReturnType<Query>

/**
 * The owner of each event, from CTEs `fresh (id, external_user_id)` and `refs (event_id, ref)`: one index look-up for
 * each place where an ID may be, whatever the planner estimates about table sizes.
 */
export const ownersSql = (query: Query, provider: string) => {
  const byRef = foundByRef(query, provider, (column) => query`${column} = r.ref`)
  return bestOf(
    query,
    query`
    select r.event_id, o.* from refs r cross join lateral (${byRef}) o
    union all
    select f.id, u.* from fresh f
    left join (
      select r.event_id, array_agg(b.id) as ids from refs r join businesses b on b.id = r.ref group by r.event_id
    ) named on named.event_id = f.id
    cross join lateral (${foundByName(query, query`f.external_user_id`, query`named.ids`)}) u
    where f.external_user_id is not null`,
  )
}

/** The owner of one event with these hints, looked for only by what they contain. */
export const ownerOfOneSql = (
  query: Query,
  provider: string,
  eventId: string,
  { refs, externalUserId }: OwnerHints,
) => {
  const byRef = foundByRef(query, provider, (column) => query`${column} = any(${refs}::text[])`)
  const businesses = query`(select array_agg(id) from businesses where id = any(${refs}::text[]))::text[]`
  const byName = foundByName(query, query`${externalUserId}::text`, refs.length > 0 ? businesses : query`null::text[]`)
  const found = externalUserId === null ? byRef : refs.length > 0 ? query`${byRef} union all (${byName})` : byName
  return bestOf(query, query`select ${eventId}::text as event_id, o.* from (${found}) o`)
}

/** The best name counts, and `is_disputed` says whether that name also belongs to another business. */
const bestOf = (query: Query, found: Piece) => query`
  select distinct on (found.event_id) found.*,
    min(found.business_id) over same_rank <> max(found.business_id) over same_rank as is_disputed
  from (${found}) found
  window same_rank as (partition by found.event_id, found.rank)
  order by found.event_id, found.rank, found.business_id, found.end_user_id, found.virtual_account_id`

/** @param isNamed a condition: whether the event names this ID */
const foundByRef = (query: Query, provider: string, isNamed: (column: Piece) => Piece) => query`
  select v.business_id, v.end_user_id, v.id as virtual_account_id, u.external_user_id, 1 as rank
  from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
  where v.provider = ${provider} and ${isNamed(query`v.provider_virtual_account_id`)}
  union all
  select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
  where u.provider = ${provider} and ${isNamed(query`u.provider_customer_id`)}
  union all
  select u.business_id, u.id, null, u.external_user_id, 2 from end_users u
  where u.provider = ${provider} and ${isNamed(query`(u.provider_kyc_link->>'id')`)}
  union all
  select u.business_id, u.id, null, u.external_user_id, 2 from end_users u where ${isNamed(query`u.id`)}`

/** Two are enough to see that the name is shared. @param businesses only these, if not null */
const foundByName = (query: Query, name: Piece, businesses: Piece) => query`
  select u.business_id, u.id as end_user_id, null as virtual_account_id, u.external_user_id, ${rankOfName}::int as rank
  from end_users u
  where u.external_user_id = ${name} and coalesce(u.business_id = any(${businesses}), true) limit 2`
