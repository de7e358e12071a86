// Alert channels, and the two lists of what happened: alerts and messages. Secrets arrive here sealed.

import { only } from '../platform/postgres/database.ts'
import {
  allOf,
  type Page,
  type PageRequest,
  pageOf,
  placesOf,
  readPage,
  type TimeRange,
  toPage,
} from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { JsonObject } from '../platform/values/json.ts'
import type { AlertKind } from './kinds.rules.ts'
import type { Content } from './messages/text.rules.ts'

export type ChannelType = 'email' | 'slack' | 'webhook'

export type ChannelRow = {
  businessId: string
  id: string
  type: ChannelType
  name: string
  emails: string[]
  urlOrigin: string | null
  urlSealed: Buffer | null
  secretSealed: Buffer | null
  kinds: string[]
  endpointFailingMinutes: number
  status: 'enabled' | 'paused'
  createdAt: Date
  updatedAt: Date
}

export type AlertRow = {
  businessId: string
  id: string
  kind: AlertKind
  subjectId: string
  state: 'open' | 'recovered' | 'occurred'
  details: JsonObject
  openedAt: Date
  recoveredAt: Date | null
  createdAt: Date
}

export type MessageRow = {
  businessId: string
  id: string
  channelId: string
  isTest: boolean
  subject: string
  content: Content
  state: 'pending' | 'sent' | 'failed'
  attempts: number
  nextAttemptAt: Date | null
  lastOutcome: string | null
  sentAt: Date | null
  createdAt: Date
}

export async function listChannels(query: Query, owner: string, page: PageRequest): Promise<Page<ChannelRow>> {
  const rows = await query<ChannelRow[]>`
    select * from alert_channels c where business_id = ${owner} ${pageOf(query, 'c', page)}`
  return toPage(rows, page.limit)
}

export async function findChannel(query: Query, owner: string, id: string): Promise<ChannelRow | undefined> {
  const rows = await query<ChannelRow[]>`select * from alert_channels where business_id = ${owner} and id = ${id}`
  return rows[0]
}

/** Locks a channel against changes and new messages until the transaction ends. */
export async function lockChannel(tx: Tx, owner: string, id: string): Promise<ChannelRow | undefined> {
  const rows = await tx<ChannelRow[]>`
    select * from alert_channels where business_id = ${owner} and id = ${id} for no key update`
  return rows[0]
}

/** Counts the channels of an owner, and holds off new ones until the transaction ends. */
export async function lockChannelCount(tx: Tx, owner: string): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`alert channels ${owner}`}, 0))`
  return only(
    await tx<{ count: number }[]>`
    select count(*)::int as count from alert_channels where business_id = ${owner}`,
  ).count
}

export type NewChannel = Omit<ChannelRow, 'status' | 'createdAt' | 'updatedAt'>

/** Inserts a channel. The first one of an owner begins to watch it, from the present end of its audit log on. */
export async function insertChannel(tx: Tx, channel: NewChannel): Promise<ChannelRow> {
  const { businessId, id, type, name, emails, urlOrigin, urlSealed, secretSealed, kinds } = channel
  const rows = await tx<ChannelRow[]>`
    insert into alert_channels (business_id, id, type, name, emails, url_origin, url_sealed, secret_sealed, kinds,
      endpoint_failing_minutes)
    values (${businessId}, ${id}, ${type}, ${name}, ${emails}, ${urlOrigin}, ${urlSealed}, ${secretSealed}, ${kinds},
      ${channel.endpointFailingMinutes})
    returning *`
  await tx`
    insert into alert_owners (business_id, audit_number)
    values (${businessId}, coalesce((select max(number) from audit_log where business_id = ${businessId}), 0))
    on conflict do nothing`
  await notifyOpen(tx, businessId)
  return only(rows)
}

export async function updateChannel(tx: Tx, channel: ChannelRow): Promise<ChannelRow> {
  const { businessId, id, name, emails, urlOrigin, urlSealed, kinds, endpointFailingMinutes, status } = channel
  const rows = await tx<ChannelRow[]>`
    update alert_channels set name = ${name}, emails = ${emails}, url_origin = ${urlOrigin}, url_sealed = ${urlSealed},
      kinds = ${kinds}, endpoint_failing_minutes = ${endpointFailingMinutes}, status = ${status}, updated_at = now()
    where business_id = ${businessId} and id = ${id} returning *`
  await notifyOpen(tx, businessId)
  return only(rows)
}

/** A new or changed channel gets the alerts that are open already. */
async function notifyOpen(tx: Tx, owner: string): Promise<void> {
  await tx`update alerts set notify_at = now() where business_id = ${owner} and state = 'open'`
}

/** Deletes a channel, and ends its messages. They stay in the log. */
export async function deleteChannel(tx: Tx, owner: string, id: string, outcome: string): Promise<boolean> {
  const { count } = await tx`delete from alert_channels where business_id = ${owner} and id = ${id}`
  if (count === 0) return false
  await tx`
    update alert_messages set state = 'failed', next_attempt_at = null, last_outcome = ${outcome}
    where business_id = ${owner} and channel_id = ${id} and state = 'pending'`
  return true
}

/** Takes the test of this minute. @returns 0, or the seconds until the next test is possible */
export async function takeTest(tx: Tx, owner: string, id: string, periodSeconds: number): Promise<number> {
  const { count } = await tx`
    update alert_channels set next_test_at = now() + make_interval(secs => ${periodSeconds})
    where business_id = ${owner} and id = ${id} and next_test_at <= now()`
  if (count > 0) return 0
  const rows = await tx<{ seconds: number }[]>`
    select ceil(extract(epoch from next_test_at - now()))::int as seconds from alert_channels
    where business_id = ${owner} and id = ${id}`
  return Math.max(1, rows[0]?.seconds ?? 1)
}

export type AlertFilter = { state?: AlertRow['state']; kind?: AlertKind } & TimeRange

export async function listAlerts(
  query: Query,
  owner: string,
  filter: AlertFilter,
  page: PageRequest,
): Promise<Page<AlertRow>> {
  const { state, kind } = filter
  const by = state !== undefined ? (['state', state] as const) : kind !== undefined ? (['kind', kind] as const) : null
  const scan = query`
    select a.* from alerts a where a.business_id = ${owner} ${placesOf(query, 'a', page, filter, by)}`
  const fits = allOf(query, [state === undefined || kind === undefined ? null : query`r.kind = ${kind}`])
  return await readPage<AlertRow>(query, { scan, fits }, page)
}

export type MessageFilter = { channelId?: string; state?: MessageRow['state'] } & TimeRange

export async function listMessages(
  query: Query,
  owner: string,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Page<MessageRow>> {
  const { channelId, state } = filter
  const by = channelId === undefined && state !== undefined ? (['state', state] as const) : null
  const scan = query`
    select m.* from alert_messages m where m.business_id = ${owner}
      and ${channelId === undefined ? query`true` : query`m.channel_id = ${channelId}`}
      ${placesOf(query, 'm', page, filter, by)}`
  const fits = allOf(query, [state === undefined || by !== null ? null : query`r.state = ${state}`])
  return await readPage<MessageRow>(query, { scan, fits }, page)
}
