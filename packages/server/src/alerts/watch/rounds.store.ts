// One round of the watch: compares what is with the alerts that are open, for a page of owners at a time. Reads webhook_endpoints,
// endpoint_lanes, deposits, virtual_accounts, information_requests, audit_log and api_keys. Crosses businesses.

import { only } from '../../platform/postgres/database.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'

const ownersMax = 100
/** Alerts that one statement opens or ends. */
export const alertsMax = 500
/** Objects of one business in one state, the newest first: an alert for each of more would help nobody. */
const objectsMax = 1_000
const entriesMax = 100

/** Takes a round when one is due and there is something to watch. @returns whether the operator's facts are due; undefined: no round */
export async function takeRound(
  query: Query,
  periods: { seconds: number; operatorSeconds: number },
): Promise<{ isOperatorDue: boolean } | undefined> {
  const rows = await query<{ isOperatorDue: boolean }[]>`
    update alert_rounds r set due_at = now() + make_interval(secs => ${periods.seconds}),
      operator_due_at = case when r.operator_due_at <= now() then now() + make_interval(secs => ${periods.operatorSeconds})
        else r.operator_due_at end
    from (select operator_due_at <= now() as is_due from alert_rounds) before
    where r.due_at <= now() and exists (select from alert_owners)
    returning before.is_due as is_operator_due`
  return rows[0]
}

export type Found = { businessId: string; kind: string; subjectId: string; since: string; details: JsonObject }
export type Entry = {
  businessId: string
  number: number
  action: string
  subjectId: string
  at: string
  details: JsonObject
}
export type Look = {
  /** The last owner of the page; null at the end. */
  last: string | null
  opened: Found[]
  recovered: { businessId: string; id: string }[]
  /** Entries of the audit log that were not read yet, whatever their action. */
  entries: Entry[]
  hasNotices: boolean
  /** Channels that may get a message now. */
  channels: { businessId: string; id: string }[]
}

/** Looks at the owners behind `after`. One statement: nearly every look finds nothing. */
export async function look(query: Query, after: string): Promise<Look> {
  return only(
    await query<Look[]>`
      with owners as materialized (
        select o.business_id, o.audit_number, coalesce((
            select min(endpoint_failing_minutes) from alert_channels c
            where c.business_id = o.business_id and c.status = 'enabled' and c.kinds && '{*,endpoint.failing}'), 15) as minutes
        from alert_owners o where o.business_id > ${after} order by o.business_id limit ${ownersMax}
      ), found as (${found(query)}),
      opened as (
        select f.* from found f where not exists (
          select from alerts a where a.business_id = f.business_id and a.kind = f.kind and a.subject_id = f.subject_id
            and a.state = 'open')
        limit ${alertsMax}
      ), recovered as (
        select a.business_id, a.id from owners o join alerts a on a.business_id = o.business_id and a.state = 'open'
        where not ${holds(query)} limit ${alertsMax}
      ), entries as (
        select l.*, jsonb_strip_nulls(jsonb_build_object('name', (
            select name from api_keys k where k.business_id = l.business_id and k.id = l.subject_id))) as details
        from owners o cross join lateral (
          select business_id, number, action, subject_id, created_at from audit_log
          where business_id = o.business_id and number > o.audit_number order by number limit ${entriesMax}) l
      ), channels as (
        select c.business_id, c.id from owners o join alert_channels c on c.business_id = o.business_id
        where ${mayGetMessage(query)}
      )
      select (select case when count(*) = ${ownersMax} then max(business_id) end from owners) as last,
        coalesce((select jsonb_agg(jsonb_build_object('businessId', business_id, 'kind', kind, 'subjectId', subject_id,
          'since', since, 'details', details)) from opened), '[]') as opened,
        coalesce((select jsonb_agg(jsonb_build_object('businessId', business_id, 'id', id)) from recovered), '[]') as recovered,
        coalesce((select jsonb_agg(jsonb_build_object('businessId', business_id, 'number', number, 'action', action,
          'subjectId', subject_id, 'at', created_at, 'details', details) order by business_id, number) from entries), '[]')
          as entries,
        exists (select from alerts where notify_at <= now()) as has_notices,
        coalesce((select jsonb_agg(jsonb_build_object('businessId', business_id, 'id', id)) from channels), '[]') as channels`,
  )
}

const host = (query: Query) => query`jsonb_build_object('host', substring(e.url from '^https?://([^/?#]+)'))`

/** The causes that hold now, as a subselect over `owners`. */
const found = (query: Query) => query`
  select o.business_id, 'endpoint.failing' as kind, e.id as subject_id, l.failing_since as since, ${host(query)} as details
  from owners o join webhook_endpoints e on e.business_id = o.business_id join endpoint_lanes l on l.endpoint_id = e.id
  where e.status = 'enabled' and l.failing_since <= now() - make_interval(mins => o.minutes)
  union all
  select o.business_id, 'endpoint.disabled', e.id, e.updated_at,
    ${host(query)} || jsonb_strip_nulls(jsonb_build_object('reason', e.disabled_reason))
  from owners o join webhook_endpoints e on e.business_id = o.business_id where e.status = 'disabled'
  union all
  select o.business_id, s.kind, d.id, d.updated_at, jsonb_build_object('virtualAccountId', d.virtual_account_id)
  from owners o cross join (values ('deposit.in_review', 'in_review'), ('deposit.on_hold', 'failed')) s (kind, status)
    cross join lateral (
      select id, updated_at, virtual_account_id from deposits
      where business_id = o.business_id and status = s.status order by created_at desc, id desc limit ${objectsMax}) d
  union all
  select o.business_id, 'virtual_account.suspended', v.id, v.updated_at,
    jsonb_strip_nulls(jsonb_build_object('reason', v.suspended_reason))
  from owners o cross join lateral (
    select id, updated_at, suspended_reason from virtual_accounts
    where business_id = o.business_id and status = 'suspended' order by created_at desc, id desc limit ${objectsMax}) v
  union all
  select o.business_id, 'information_request.open', i.id, coalesce(i.opened_at, i.created_at),
    jsonb_strip_nulls(jsonb_build_object('deadline', to_char(i.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
  from owners o cross join (values ('action_required'), ('in_review')) s (state)
    cross join lateral (
      select id, opened_at, created_at, deadline from information_requests
      where business_id = o.business_id and state = s.state order by created_at desc, id desc limit ${objectsMax}) i`

/** Whether the cause of an open alert `a` still holds. The operator's own causes are ended by the facts that opened them. */
const holds = (query: Query) => query`
  case a.kind
    when 'endpoint.failing' then exists (
      select from endpoint_lanes l where l.endpoint_id = a.subject_id and l.failing_since is not null)
    when 'endpoint.disabled' then exists (
      select from webhook_endpoints e where e.business_id = a.business_id and e.id = a.subject_id and e.status = 'disabled')
    when 'deposit.in_review' then exists (
      select from deposits d where d.business_id = a.business_id and d.id = a.subject_id and d.status = 'in_review')
    when 'deposit.on_hold' then exists (
      select from deposits d where d.business_id = a.business_id and d.id = a.subject_id and d.status = 'failed')
    when 'virtual_account.suspended' then exists (
      select from virtual_accounts v where v.business_id = a.business_id and v.id = a.subject_id and v.status = 'suspended')
    when 'information_request.open' then exists (
      select from information_requests i where i.business_id = a.business_id and i.id = a.subject_id and i.state <> 'closed')
    else true end`

const mayGetMessage = (query: Query) => query`
  c.status = 'enabled' and c.next_message_at <= now()
    and exists (select from alert_notices n where n.business_id = c.business_id and n.channel_id = c.id and n.message_id is null)
    and not exists (
      select from alert_messages m where m.business_id = c.business_id and m.channel_id = c.id and m.state = 'pending'
        and not m.is_test)`

export type NewAlert = Found & { id: string; state: 'open' | 'occurred' }

/** Stores alerts. An alert that is open already stays as it is. */
export async function openAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<void> {
  await tx`
    insert into alerts (business_id, id, kind, subject_id, state, details, opened_at, notify_at)
    select r."businessId", r.id, r.kind, r."subjectId", r.state, r.details, r.since, now()
    from jsonb_to_recordset(${tx.json(alerts)}) as r ("businessId" text, id text, kind text, "subjectId" text, state text,
      details jsonb, since timestamptz)
    on conflict (business_id, kind, subject_id) where state = 'open' do nothing`
}

export async function recoverAlerts(tx: Tx, alerts: readonly { businessId: string; id: string }[]): Promise<void> {
  await tx`
    update alerts a set state = 'recovered', recovered_at = now(), notify_at = now()
    from jsonb_to_recordset(${tx.json(alerts)}) as r ("businessId" text, id text)
    where a.business_id = r."businessId" and a.id = r.id and a.state = 'open'`
}

/** Moves the reading of an audit log on. @returns whether this transaction moved it, and not another replica's */
export async function moveReading(tx: Tx, owner: string, from: number, to: number): Promise<boolean> {
  const { count } = await tx`
    update alert_owners set audit_number = ${to} where business_id = ${owner} and audit_number < ${from}`
  return count > 0
}

/** The operator's causes that are open. */
export async function listOpenOfOperator(
  query: Query,
  owner: string,
  kinds: readonly string[],
): Promise<{ businessId: string; id: string; kind: string }[]> {
  return await query<{ businessId: string; id: string; kind: string }[]>`
    select business_id, id, kind from alerts where business_id = ${owner} and state = 'open' and kind = any(${kinds}) limit 100`
}

/** Returns whether an owner has ever had a channel. */
export async function isWatched(query: Query, owner: string): Promise<boolean> {
  return (await query`select from alert_owners where business_id = ${owner}`).length > 0
}

/**
 * Gives notices of alerts to the channels that want them. A channel gets a failing endpoint after its own number of
 * minutes, and a recovery only if it got the alert.
 * @returns how many alerts were looked at
 */
export async function giveNotices(tx: Tx): Promise<number> {
  const { count } = await tx`
    with due as materialized (
      select business_id, id, kind, state, opened_at from alerts where notify_at <= now() order by notify_at
      limit ${alertsMax} for update skip locked
    ), wanting as materialized (
      select d.business_id, c.id as channel_id, d.id as alert_id, d.state,
        case when d.kind = 'endpoint.failing' then d.opened_at + make_interval(mins => c.endpoint_failing_minutes)
          else now() end as from_at
      from due d join alert_channels c on c.business_id = d.business_id
      where c.status = 'enabled' and c.kinds && array['*', d.kind]
    ), opened as (
      insert into alert_notices (business_id, channel_id, alert_id, phase)
      select business_id, channel_id, alert_id, 'opened' from wanting where state <> 'recovered' and from_at <= now()
      on conflict do nothing
    ), recovered as (
      insert into alert_notices (business_id, channel_id, alert_id, phase)
      select n.business_id, n.channel_id, n.alert_id, 'recovered' from due d
        join alert_notices n on n.business_id = d.business_id and n.alert_id = d.id and n.phase = 'opened'
      where d.state = 'recovered'
      on conflict do nothing
    )
    update alerts a set notify_at = (
      select min(from_at) from wanting w
      where w.business_id = a.business_id and w.alert_id = a.id and w.state = 'open' and w.from_at > now())
    from due where a.business_id = due.business_id and a.id = due.id`
  return count
}
