// Requests of the provider for information. Touches information_requests, and the open requests that end_users shows.

import type { InformationRequestState } from '../end-users/schema.rules.ts'
import { allOf, type Page, type PageRequest, placesOf, readPage, type TimeRange } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { openRequestsSql } from './open.sql.ts'
import type { InformationRequestFacts } from './state.rules.ts'

/** In the place of a business: requests of which no end-user is known, for the operator alone. */
export const ofNobody = 'deployment'

export type Holder = { businessId: string; id: string }

/** With what other tables know of the same end-user and deposit. */
export type InformationRequestRow = InformationRequestFacts & {
  businessId: string
  id: string
  endUserId: string | null
  createdAt: Date
  updatedAt: Date
  externalUserId: string | null
  depositId: string | null
}

// The names of a deposit have an index; its provider's id is one of them.
const joined = (query: Query, requests = query`information_requests`) => query`
  select r.*, u.external_user_id, (
      select d.id from lookup_terms l join deposits d on d.business_id = l.business_id and d.id = l.id
      where l.business_id = r.business_id and l.term = lookup_term('deposits', '', lower(r.provider_deposit_id))
        and d.provider_deposit_id = r.provider_deposit_id and d.end_user_id = r.end_user_id
      limit 1) as deposit_id
  from ${requests} r left join end_users u on u.business_id = r.business_id and u.id = r.end_user_id`

/** Locks a request of the provider, of whichever business. Its end-user, if it is known, is locked before. */
export async function lockRequest(tx: Tx, providerId: string): Promise<InformationRequestRow | undefined> {
  const rows = await tx<InformationRequestRow[]>`
    ${joined(tx)} where r.provider_id = ${providerId} for no key update of r`
  return rows[0]
}

/** Finds the end-user of a request that is stored already. */
export async function findHolder(query: Query, providerId: string): Promise<Holder | undefined> {
  const rows = await query<Holder[]>`
    select business_id, end_user_id as id from information_requests
    where provider_id = ${providerId} and end_user_id is not null`
  return rows[0]
}

/** Finds, across businesses, the end-user of a deposit. @returns undefined also where several have a deposit of this ID */
export async function findDepositor(query: Query, providerDepositId: string): Promise<Holder | undefined> {
  const rows = await query<Holder[]>`
    select distinct d.business_id, d.end_user_id as id from businesses b
      join lookup_terms l on l.business_id = b.id and l.term = lookup_term('deposits', '', lower(${providerDepositId}))
      join deposits d on d.business_id = l.business_id and d.id = l.id and d.provider_deposit_id = ${providerDepositId}
    limit 2`
  return rows.length === 1 ? rows[0] : undefined
}

/** @returns false when another transaction inserted the request first */
export async function insertRequest(
  tx: Tx,
  id: string,
  holder: Holder | null,
  facts: InformationRequestFacts,
): Promise<boolean> {
  const { count } = await tx`
    insert into information_requests (business_id, id, end_user_id, provider_id, referent_type, provider_deposit_id, state,
      deadline, action_taken, action_at_deadline, dashboard_url, opened_at, state_changed_at, closed_at)
    values (${holder?.businessId ?? ofNobody}, ${id}, ${holder?.id ?? null}, ${facts.providerId}, ${facts.referentType},
      ${facts.providerDepositId}, ${facts.state}, ${facts.deadline}, ${facts.actionTaken}, ${facts.actionAtDeadline},
      ${facts.dashboardUrl}, ${facts.openedAt}, ${facts.stateChangedAt}, ${facts.closedAt})
    on conflict (provider_id) do nothing`
  return count === 1
}

/** @param isShown whether the API shows the change; if not, `updated_at` stays */
export async function saveRequest(
  tx: Tx,
  holder: Holder | null,
  facts: InformationRequestFacts,
  isShown: boolean,
): Promise<void> {
  await tx`
    update information_requests set business_id = ${holder?.businessId ?? ofNobody}, end_user_id = ${holder?.id ?? null},
      referent_type = ${facts.referentType}, provider_deposit_id = ${facts.providerDepositId}, state = ${facts.state},
      deadline = ${facts.deadline}, action_taken = ${facts.actionTaken}, action_at_deadline = ${facts.actionAtDeadline},
      dashboard_url = ${facts.dashboardUrl}, opened_at = ${facts.openedAt}, state_changed_at = ${facts.stateChangedAt},
      closed_at = ${facts.closedAt}, read_at = now(), updated_at = ${isShown ? tx`now()` : tx`updated_at`}
    where provider_id = ${facts.providerId}`
}

/** Shows the open requests of an end-user, which is locked, in its own row. */
export async function showOpenRequests(tx: Tx, { businessId, id }: Holder): Promise<void> {
  const condition = tx`r.business_id = u.business_id and r.end_user_id = u.id`
  await tx`
    update end_users u set information_requests = ${openRequestsSql(tx, condition)}, updated_at = now()
    where business_id = ${businessId} and id = ${id}`
}

/** Reads the time of the database. */
export async function readNow(query: Query): Promise<Date> {
  const [row] = await query<{ now: Date }[]>`select now()::timestamptz(3) as now`
  return (row as { now: Date }).now
}

/** Lists, across businesses, open requests that were not read since a time, in the order of the provider's ids. */
export async function listUnreadOpen(
  query: Query,
  after: string | null,
  since: Date,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select provider_id as id from information_requests
    where state <> 'closed' and provider_id > ${after ?? ''} and read_at < ${since}
    order by provider_id limit ${limit}`
  return rows.map(({ id }) => id)
}

export async function findRequest(
  query: Query,
  businessId: string,
  id: string,
): Promise<InformationRequestRow | undefined> {
  const rows = await query<InformationRequestRow[]>`
    ${joined(query)} where r.business_id = ${businessId} and r.id = ${id}`
  return rows[0]
}

export type InformationRequestFilter = { state?: InformationRequestState; externalUserId?: string } & TimeRange

export async function listRequests(
  query: Query,
  businessId: string,
  filter: InformationRequestFilter,
  page: PageRequest,
): Promise<Page<InformationRequestRow>> {
  const { state, externalUserId } = filter
  const inState = state === undefined || externalUserId !== undefined ? null : (['state', state] as const)
  const scan = query`
    select r.* from information_requests r where r.business_id = ${businessId}
      and ${externalUserId === undefined ? query`true` : query`r.end_user_id = (select id from end_users where business_id = ${businessId} and external_user_id = ${externalUserId})`}
      ${placesOf(query, 'r', page, filter, inState)}`
  const fits = allOf(query, [state === undefined || inState ? null : query`state = ${state}`])
  return await readPage<InformationRequestRow>(query, { scan, fits, shown: (rows) => shown(query, rows) }, page)
}

/** Lists the requests of all businesses, and those of none. */
export async function listAllRequests(
  query: Query,
  filter: { state?: InformationRequestState } & TimeRange,
  page: PageRequest,
): Promise<Page<InformationRequestRow>> {
  const inState = filter.state === undefined ? null : (['state', filter.state] as const)
  const scan = query`select r.* from information_requests r where true ${placesOf(query, 'r', page, filter, inState)}`
  return await readPage<InformationRequestRow>(query, { scan, fits: null, shown: (rows) => shown(query, rows) }, page)
}

const shown = (query: Query, rows: ReturnType<Query>) =>
  query`${joined(query, query`(${rows})`)} order by r.created_at desc, r.id desc`
