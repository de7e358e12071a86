// Messages to channels: composed from notices, claimed under a lease, and settled behind a fence. Crosses businesses.

import { endedSql, leaseEndSql } from '../../platform/postgres/leases.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { AlertRow, ChannelRow, MessageRow } from '../channels.store.ts'

/** Notices that one message takes: the text shows the first ones. */
const noticesMax = 1_000

export type WaitingNotice = Pick<AlertRow, 'kind' | 'subjectId' | 'details' | 'openedAt' | 'recoveredAt'> & {
  alertId: string
  phase: 'opened' | 'recovered'
}

/**
 * Locks a channel that may get a message now.
 * @returns the name of its business; undefined if another replica was first, or the channel has changed
 */
export async function lockForMessage(
  tx: Tx,
  owner: string,
  channelId: string,
): Promise<{ businessName: string | null } | undefined> {
  const rows = await tx<{ businessName: string | null }[]>`
    select (select name from businesses b where b.id = c.business_id) as business_name from alert_channels c
    where c.business_id = ${owner} and c.id = ${channelId} and c.status = 'enabled' and c.next_message_at <= now()
      and not exists (select from alert_messages m where m.business_id = c.business_id and m.channel_id = c.id
        and m.state = 'pending' and not m.is_test)
    for no key update of c skip locked`
  return rows[0]
}

export async function listNotices(tx: Tx, owner: string, channelId: string): Promise<WaitingNotice[]> {
  return await tx<WaitingNotice[]>`
    select n.alert_id, n.phase, a.kind, a.subject_id, a.details, a.opened_at, a.recovered_at from (
      select * from alert_notices
      where business_id = ${owner} and channel_id = ${channelId} and message_id is null
      order by created_at limit ${noticesMax}) n
      join alerts a on a.business_id = n.business_id and a.id = n.alert_id
    order by n.created_at, n.phase, n.alert_id`
}

export type NewMessage = Pick<MessageRow, 'businessId' | 'id' | 'channelId' | 'isTest' | 'subject' | 'content'>

export async function insertMessage(tx: Tx, message: NewMessage): Promise<void> {
  await tx`
    insert into alert_messages (business_id, id, channel_id, is_test, subject, content)
    values (${message.businessId}, ${message.id}, ${message.channelId}, ${message.isTest}, ${message.subject},
      ${tx.json(message.content)})`
}

/** Marks the notices of a message, and holds the channel's next message off. */
export async function takeNotices(
  tx: Tx,
  { businessId, channelId, id }: NewMessage,
  notices: readonly WaitingNotice[],
  periodSeconds: number,
): Promise<void> {
  await tx`
    update alert_notices n set message_id = ${id}
    from unnest(${notices.map(({ alertId }) => alertId)}::text[], ${notices.map(({ phase }) => phase)}::text[]) t (alert_id, phase)
    where n.business_id = ${businessId} and n.channel_id = ${channelId} and n.alert_id = t.alert_id and n.phase = t.phase`
  await tx`
    update alert_channels set next_message_at = now() + make_interval(secs => ${periodSeconds})
    where business_id = ${businessId} and id = ${channelId}`
}

/** A message, with the target of its channel. */
export type ClaimedMessage = NewMessage &
  Pick<MessageRow, 'attempts' | 'createdAt'> &
  Pick<ChannelRow, 'type' | 'emails' | 'urlSealed' | 'secretSealed'> & { fence: number; ageMs: number }

/** `retries`: how many repeated attempts are allowed now; `busy`: businesses without room for one. */
export type Room = { messages: number; retries: number; retriesPerBusiness: number; busy: readonly string[] }

const dueMax = 1_000

/**
 * Claims messages that are due. First attempts come before repeated ones, of which a business has few: receivers that fail
 * do not hold up the others. The attempt counts from here on.
 */
export async function claimMessages(tx: Tx, room: Room, leaseMs: number): Promise<ClaimedMessage[]> {
  const due = tx`m.state = 'pending' and m.next_attempt_at <= now() and m.lease_until <= now()`
  return await tx<ClaimedMessage[]>`
    with first as (
      select m.business_id, m.id from alert_messages m where ${due} and m.attempts = 0
      order by m.next_attempt_at limit ${room.messages} for no key update skip locked
    ), repeated as (
      select business_id, id from (
        select business_id, id, next_attempt_at, row_number() over (partition by business_id order by next_attempt_at) as place
        from (
          select m.* from alert_messages m where ${due} and m.attempts > 0 and m.business_id <> all(${[...room.busy]}::text[])
          order by m.next_attempt_at limit ${dueMax}) oldest) ranked
      where place <= ${room.retriesPerBusiness} order by next_attempt_at limit ${room.retries}
    ), again as (
      select m.business_id, m.id from alert_messages m
      where (m.business_id, m.id) in (select business_id, id from repeated) and ${due} for no key update skip locked
    ), locked as (
      (select * from first union all select * from again) limit ${room.messages}
    ), claimed as (
      update alert_messages m set lease_until = ${leaseEndSql(tx, leaseMs)}, fence = m.fence + 1, attempts = m.attempts + 1
      from locked where m.business_id = locked.business_id and m.id = locked.id returning m.*
    )
    select m.business_id, m.id, m.channel_id, m.is_test, m.subject, m.content, m.attempts, m.fence, m.created_at,
      (extract(epoch from now() - m.created_at) * 1000)::float8 as age_ms, c.type, c.emails, c.url_sealed, c.secret_sealed
    from claimed m join alert_channels c on c.business_id = m.business_id and c.id = m.channel_id`
}

/** `retryInSeconds`: null ends the message. */
export type Settled = { state: MessageRow['state']; outcome: string; retryInSeconds: number | null }

/** Stores the outcome of an attempt. Does nothing if another replica has claimed the message since. */
export async function settleMessage(
  tx: Tx,
  { businessId, id, fence }: ClaimedMessage,
  settled: Settled,
): Promise<void> {
  const { state, outcome, retryInSeconds } = settled
  await tx`
    update alert_messages set state = ${state}, last_outcome = ${outcome}, lease_until = ${endedSql(tx)},
      sent_at = case when ${state === 'sent'} then now() end,
      next_attempt_at = ${retryInSeconds === null ? null : tx`now() + make_interval(secs => ${retryInSeconds})`}
    where business_id = ${businessId} and id = ${id} and fence = ${fence} and state = 'pending'`
}

/** Gives a message back: its attempt does not count. */
export async function returnMessage(tx: Tx, { businessId, id, fence }: ClaimedMessage): Promise<void> {
  await tx`
    update alert_messages set lease_until = ${endedSql(tx)}, attempts = attempts - 1
    where business_id = ${businessId} and id = ${id} and fence = ${fence} and state = 'pending'`
}

/** @returns milliseconds until a message is due; null if none waits */
export async function nextMessageDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(greatest(next_attempt_at, lease_until)) - now()) * 1000)::float8 as ms from (
      (select next_attempt_at, lease_until from alert_messages
        where state = 'pending' and attempts = 0 order by next_attempt_at limit ${dueMax})
      union all
      (select next_attempt_at, lease_until from alert_messages
        where state = 'pending' and attempts > 0 order by next_attempt_at limit ${dueMax})) waiting`
  return rows[0]?.ms ?? null
}

/** Deletes finished messages and ended alerts, with their notices. @returns how many rows */
export async function sweepAlerts(query: Query, days: number, limit: number): Promise<number> {
  const horizon = query`now() - make_interval(days => ${days})`
  const messages = await query`
    delete from alert_messages where (business_id, id) in (
      select business_id, id from alert_messages where state <> 'pending' and created_at < ${horizon} order by created_at limit ${limit})`
  const alerts = await query`
    delete from alerts where (business_id, id) in (
      select business_id, id from alerts where state <> 'open' and notify_at is null
        and coalesce(recovered_at, created_at) < ${horizon} order by coalesce(recovered_at, created_at) limit ${limit})`
  return messages.count + alerts.count
}
