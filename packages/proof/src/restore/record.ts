// What a database has handed out, read behind the API: before it is lost, and from the restored one.

import type { Query } from '../../../server/src/platform/postgres/query.ts'

export type HandedOut = {
  /** Ids of events by their places in the stream of the business. */
  positions: ReadonlyMap<number, string>
  /** All ids of events, those without an owner among them. */
  eventIds: ReadonlySet<string>
  /** By endpoint. */
  sequences: ReadonlyMap<string, number>
  lastPosition: number
  providerEventIds: ReadonlySet<string>
  /** Of the business's events that every endpoint gets: the `event_id` of the body. */
  wireIds: ReadonlySet<string>
  externalUserIds: ReadonlySet<string>
  /** The provider's customers of end-users, by the end-users' ids. */
  customers: ReadonlyMap<string, string | null>
  /** The provider's id of each open account, with what it was last seen with. */
  accounts: ReadonlyMap<string, { fee: string; status: string }>
  deposits: ReadonlySet<string>
  /** Events of the provider that an operator is shown, because their end-user or account is not known. */
  held: number
}

const rowsMax = 1_000_000

export async function readHandedOut(query: Query, businessId: string): Promise<HandedOut> {
  const events = await query<
    { id: string; position: number | null; providerEventId: string | null; businessId: string | null; trust: string }[]
  >`
    select id, position, provider_event_id, business_id, trust from events limit ${rowsMax}`
  const sequences = await query<{ endpointId: string; sequence: number }[]>`
    select endpoint_id, max(sequence) as sequence from endpoint_sequences group by 1 limit ${rowsMax}`
  const [stream] = await query<{ last: number }[]>`
    select max(position) as last from event_streams where business_id = ${businessId}`
  const users = await query<{ id: string; name: string; customer: string | null }[]>`
    select id, external_user_id as name, provider_customer_id as customer from end_users where business_id = ${businessId} limit ${rowsMax}`
  const accounts = await query<{ id: string; fee: string; status: string }[]>`
    select provider_virtual_account_id as id, developer_fee_percent as fee, status from virtual_accounts
    where business_id = ${businessId} and provider_virtual_account_id is not null limit ${rowsMax}`
  const deposits = await query<{ id: string }[]>`
    select provider_deposit_id as id from deposits where business_id = ${businessId} limit ${rowsMax}`
  const [held] = await query<{ count: number }[]>`
    select count(*)::int as count from event_work where state = 'pending' and error is not null`
  const own = events.filter((event) => event.businessId === businessId)
  return {
    positions: new Map(own.map(({ id, position }) => [position ?? 0, id])),
    eventIds: new Set(events.map(({ id }) => id)),
    sequences: new Map(sequences.map(({ endpointId, sequence }) => [endpointId, sequence])),
    lastPosition: stream?.last ?? 0,
    providerEventIds: new Set(events.flatMap(({ providerEventId }) => providerEventId ?? [])),
    wireIds: new Set(own.filter(({ trust }) => trust !== 'stream').map((event) => event.providerEventId ?? event.id)),
    externalUserIds: new Set(users.map(({ name }) => name)),
    customers: new Map(users.map(({ id, customer }) => [id, customer])),
    accounts: new Map(accounts.map(({ id, fee, status }) => [id, { fee, status }])),
    deposits: new Set(deposits.map(({ id }) => id)),
    held: held?.count ?? 0,
  }
}
