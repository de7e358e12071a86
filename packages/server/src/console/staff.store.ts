// Staff and their sessions. Statements that find a session by its issuer's names, or that look for
// a session to check, cross businesses. Touches staff and console_sessions.

import type { Scope } from '../platform/http/caller.ts'
import { only } from '../platform/postgres/database.ts'
import { leaseEndSql } from '../platform/postgres/leases.ts'
import { type Page, type PageRequest, pageOf, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { StaffRole } from './roles.rules.ts'

export type Identity = { issuer: string; subject: string; name: string | null; email: string | null }

export type StaffRow = Identity & { id: string; createdAt: Date; lastSeenAt: Date }

/** Stores a staff member under the names that the issuer uses now. @returns the ID, which stays the same */
export async function saveStaff(tx: Tx, businessId: string, id: string, identity: Identity): Promise<string> {
  const { issuer, subject, name, email } = identity
  const row = only(
    await tx<{ id: string }[]>`
      insert into staff (business_id, id, issuer, subject, name, email)
      values (${businessId}, ${id}, ${issuer}, ${subject}, ${name}, ${email})
      on conflict (business_id, issuer, subject) do update
        set name = excluded.name, email = excluded.email, last_seen_at = now()
      returning id`,
  )
  return row.id
}

/** `roles`: of the newest open session; empty without one. */
export type ListedStaff = StaffRow & { sessions: number; roles: StaffRole[] }

export async function listStaff(query: Query, businessId: string, page: PageRequest): Promise<Page<ListedStaff>> {
  const rows = await query<ListedStaff[]>`
    select p.id, p.issuer, p.subject, p.name, p.email, p.created_at, p.last_seen_at, (
      select count(*)::int from (
        select from console_sessions s where s.business_id = p.business_id and s.staff_id = p.id and s.idle_until > now()
          and s.checked_until > now() limit 100) live) as sessions, coalesce((
      select s.roles from console_sessions s where s.business_id = p.business_id and s.staff_id = p.id and s.idle_until > now()
        and s.checked_until > now() order by s.created_at desc limit 1), '{}') as roles
    from staff p where p.business_id = ${businessId} ${pageOf(query, 'p', page)}`
  return toPage(rows, page.limit)
}

export async function findStaff(query: Query, businessId: string, id: string): Promise<StaffRow | undefined> {
  const rows = await query<StaffRow[]>`
    select id, issuer, subject, name, email, created_at, last_seen_at from staff
    where business_id = ${businessId} and id = ${id}`
  return rows[0]
}

/** How a session is known at the issuer; without a member, every session of the issuer's staff in the business. */
export type Ending = { businessId: string; issuer: string; sid?: string; subject?: string; sessionId?: string }

/** Ends sessions. @returns which */
export async function deleteSessionsOf(tx: Tx, { businessId, issuer, sid, subject, sessionId }: Ending) {
  return await tx<{ id: string; staffId: string }[]>`
    delete from console_sessions s using staff p
    where s.business_id = ${businessId} and p.business_id = s.business_id and p.id = s.staff_id and p.issuer = ${issuer}
      and ${sid === undefined ? tx`true` : tx`s.issuer_session = ${sid}`}
      and ${sessionId === undefined ? tx`true` : tx`s.id = ${sessionId}`}
      and ${subject === undefined ? tx`true` : tx`p.subject = ${subject}`}
    returning s.id, s.staff_id`
}

export type ClaimedRow = {
  businessId: string
  sessionId: string
  issuer: string
  subject: string
  refreshToken: Buffer
  checkAt: Date
}

/** Takes the next session that is due for a check, for `leaseMs`. */
export async function claimSession(tx: Tx, leaseMs: number): Promise<ClaimedRow | undefined> {
  const rows = await tx<ClaimedRow[]>`
    update console_sessions s set check_at = ${leaseEndSql(tx, leaseMs)}
    from staff p
    where s.ctid = (
        select ctid from console_sessions
        where refresh_token is not null and check_at <= now() and checked_until > now() and idle_until > now()
        order by check_at limit 1 for update skip locked)
      and p.business_id = s.business_id and p.id = s.staff_id
    returning s.business_id, s.id as session_id, p.issuer, p.subject, s.refresh_token, s.check_at`
  return rows[0]
}

/** Returns the milliseconds until the next check is due; null without one. */
export async function nextCheckMs(query: Query): Promise<number | null> {
  const [row] = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(check_at) - now()) * 1000)::float8 as ms
    from console_sessions where refresh_token is not null`
  return row?.ms ?? null
}

export type Kept = {
  roles: readonly StaffRole[]
  scopes: readonly Scope[]
  refreshToken: Buffer | null
  name: string | null
  email: string | null
}

/** Extends a session after a check, unless another holder has claimed it. @returns whether its scopes have changed */
export async function keepSession(
  tx: Tx,
  { businessId, sessionId, checkAt }: Pick<ClaimedRow, 'businessId' | 'sessionId' | 'checkAt'>,
  { roles, scopes, refreshToken, name, email }: Kept,
  recheckMinutes: number,
): Promise<boolean> {
  const rows = await tx<{ isChanged: boolean }[]>`
    with old as (
      select staff_id, scopes from console_sessions
      where business_id = ${businessId} and id = ${sessionId} and check_at = ${checkAt} for update
    ), kept as (
      update console_sessions s set roles = ${roles as StaffRole[]}, scopes = ${scopes as Scope[]},
        refresh_token = ${refreshToken}, ${checksSql(tx, recheckMinutes)}
      from old where s.business_id = ${businessId} and s.id = ${sessionId}
      returning s.scopes <> old.scopes as is_changed
    ), named as (
      update staff p set name = ${name}, email = ${email} from old where p.business_id = ${businessId} and p.id = old.staff_id
    )
    select is_changed from kept`
  return rows[0]?.isChanged ?? false
}

/** A session is checked after two thirds of the time, so that an issuer can be unavailable for the rest of it. */
export const checksSql = (query: Query, recheckMinutes: number) => query`
  check_at = now() + make_interval(secs => ${recheckMinutes * 40}),
  checked_until = now() + make_interval(mins => ${recheckMinutes})`
