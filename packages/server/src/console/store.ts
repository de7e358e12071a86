// Console links and console sessions. Statements that run before the business of a link or session is known cross
// businesses. Touches console_links, console_sessions, staff, api_keys and businesses.

import { deploymentChain } from '../audit/audit.rules.ts'
import type { Scope } from '../platform/http/caller.ts'
import { only } from '../platform/postgres/database.ts'
import { type Page, type PageRequest, pageOf, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { StaffRole } from './roles.rules.ts'
import { checksSql } from './staff.store.ts'

export type LinkRow = { id: string; scopes: Scope[]; expiresAt: Date; revokedAt: Date | null }

/** Stores a link that expires after these minutes, or with its key if that expires sooner. */
export async function insertLink(
  tx: Tx,
  link: {
    businessId: string
    id: string
    keyId: string
    digest: Buffer
    scopes: readonly Scope[]
    ancestors: readonly string[]
    expiresInMinutes: number
  },
): Promise<LinkRow> {
  return only(
    await tx<LinkRow[]>`
      insert into console_links (business_id, id, key_id, digest, scopes, ancestors, expires_at)
      select business_id, ${link.id}, id, ${link.digest}, ${link.scopes as Scope[]}, ${link.ancestors as string[]},
        least(now() + make_interval(mins => ${link.expiresInMinutes}), expires_at)
      from api_keys where business_id = ${link.businessId} and id = ${link.keyId}
      returning id, scopes, expires_at, revoked_at`,
  )
}

/** A link in a list. */
export type ListedLink = LinkRow & { keyId: string; createdAt: Date; usedAt: Date | null }

export async function listLinks(query: Query, businessId: string, page: PageRequest): Promise<Page<ListedLink>> {
  const rows = await query<ListedLink[]>`
    select id, key_id, scopes, created_at, expires_at, used_at, revoked_at from console_links
    where business_id = ${businessId} ${pageOf(query, 'console_links', page)}`
  return toPage(rows, page.limit)
}

/** Locks a link against its use until the transaction ends. */
export async function lockLink(tx: Tx, businessId: string, id: string): Promise<LinkRow | undefined> {
  const rows = await tx<LinkRow[]>`
    select id, scopes, expires_at, revoked_at from console_links
    where business_id = ${businessId} and id = ${id} for no key update`
  return rows[0]
}

/** Revokes a link and ends its sessions. */
export async function revokeLink(tx: Tx, businessId: string, id: string): Promise<LinkRow & { revokedAt: Date }> {
  await tx`delete from console_sessions where business_id = ${businessId} and link_id = ${id}`
  return only(
    await tx<(LinkRow & { revokedAt: Date })[]>`
      update console_links set revoked_at = coalesce(revoked_at, now()) where business_id = ${businessId} and id = ${id}
      returning id, scopes, expires_at, revoked_at`,
  )
}

/** A live key, with its holder's permissions. */
export type Holder = {
  businessId: string
  keyId: string
  name: string
  status: 'active' | 'suspended'
  scopes: Scope[]
}

/** Uses up a link, unless it was used, has expired, was revoked, or its key has ended. */
export async function useLink(tx: Tx, digests: readonly Buffer[]): Promise<(Holder & { linkId: string }) | undefined> {
  const rows = await tx<(Holder & { linkId: string })[]>`
    update console_links l set used_at = now()
    from api_keys k join businesses b on b.id = k.business_id
    where l.digest = any(${digests}::bytea[]) and l.used_at is null and l.revoked_at is null and l.expires_at > now()
      and k.business_id = l.business_id and k.id = l.key_id and ${isLiveSql(tx)}
    returning l.id as link_id, l.business_id, l.key_id, l.scopes, b.name, b.status`
  return rows[0]
}

const isLiveSql = (query: Query) => query`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`

export type NewSession = {
  businessId: string
  id: string
  keyId: string | null
  linkId: string | null
  digest: Buffer
  scopes: readonly Scope[]
}

/** Additional columns of a staff member's session. */
export type StaffPart = {
  staffId: string
  roles: readonly StaffRole[]
  /** The `sid` of the issuer. */
  issuerSession: string | null
  /** At the issuer. */
  signedInAt: Date | null
  /** Sealed. Without one, the session ends after the minutes of a check. */
  refreshToken: Buffer | null
}

/** @param limits in minutes: without use, and in total since the sign-in */
export async function insertSession(
  tx: Tx,
  { businessId, id, keyId, linkId, digest, scopes }: NewSession,
  limits: { idleMinutes: number; minutesMax: number },
): Promise<void> {
  await tx`
    insert into console_sessions (business_id, id, key_id, link_id, digest, scopes, idle_until, expires_at)
    values (${businessId}, ${id}, ${keyId}, ${linkId}, ${digest}, ${scopes as Scope[]},
      now() + make_interval(mins => ${limits.idleMinutes}), now() + make_interval(mins => ${limits.minutesMax}))`
}

/** Makes a session, inserted by this transaction, one of a staff member. */
export async function addStaffPart(
  tx: Tx,
  { businessId, id }: Pick<NewSession, 'businessId' | 'id'>,
  { staffId, roles, issuerSession, signedInAt, refreshToken }: StaffPart,
  recheckMinutes: number,
): Promise<void> {
  await tx`
    update console_sessions set staff_id = ${staffId}, roles = ${roles as StaffRole[]}, issuer_session = ${issuerSession},
      signed_in_at = ${signedInAt}, refresh_token = ${refreshToken}, ${checksSql(tx, recheckMinutes)}
    where business_id = ${businessId} and id = ${id}`
}

export type SessionRow = {
  businessId: string
  id: string
  scopes: Scope[]
  expiresAt: Date
  keyId: string | null
  linkId: string | null
  /** Null for the operator, like the status of the business. */
  name: string | null
  status: 'active' | 'suspended' | null
  /** Null for a session without a staff member, like the members below. */
  staffId: string | null
  roles: StaffRole[] | null
  subject: string | null
  staffName: string | null
  email: string | null
  /** Signed in at the issuer within the minutes that a sensitive operation requires. */
  isFresh: boolean | null
  /** Its last use was recorded more than a minute ago. */
  isStale: boolean
}

/** The digests of a token as a business session and as an operator session. */
export type TokenDigests = { ofBusiness: readonly Buffer[]; ofOperator: readonly Buffer[] }

/**
 * Finds a live session by its token. A session of a key ends with the key; one of a staff member ends unless the issuer
 * has confirmed the roles in time.
 * @param limits in minutes: without use, and since the sign-in for a sensitive operation
 */
export async function findSession(
  query: Query,
  digests: TokenDigests,
  limits: { idleMinutes: number; freshMinutes: number },
): Promise<SessionRow | undefined> {
  const rows = await query<SessionRow[]>`
    select s.business_id, s.id, s.scopes, s.key_id, s.link_id, b.name, b.status,
      least(s.expires_at, k.expires_at, case when s.refresh_token is null then s.checked_until end) as expires_at,
      s.idle_until < least(s.expires_at, now() + make_interval(mins => ${limits.idleMinutes - 1})) as is_stale,
      s.staff_id, s.roles, p.subject, p.name as staff_name, p.email,
      s.signed_in_at >= now() - make_interval(mins => ${limits.freshMinutes}) as is_fresh
    from console_sessions s
    left join api_keys k on k.business_id = s.business_id and k.id = s.key_id and ${isLiveSql(query)}
    left join staff p on p.business_id = s.business_id and p.id = s.staff_id
    left join businesses b on b.id = coalesce(k.business_id, p.business_id)
    where s.digest = any(${[...digests.ofBusiness, ...digests.ofOperator]}::bytea[]) and s.idle_until > now()
      and (s.staff_id is null or s.checked_until > now())
      and case when s.key_id is null and s.business_id = ${deploymentChain} then s.digest = any(${digests.ofOperator}::bytea[])
        else s.digest = any(${digests.ofBusiness}::bytea[]) and b.id is not null end`
  return rows[0]
}

/** Records that a session is in use, and its staff member with it. */
export async function touchSession(
  query: Query,
  { businessId, id, staffId }: Pick<SessionRow, 'businessId' | 'id' | 'staffId'>,
  idleMinutes: number,
): Promise<void> {
  await query`
    update console_sessions set idle_until = least(expires_at, now() + make_interval(mins => ${idleMinutes}))
    where business_id = ${businessId} and id = ${id}`
  if (staffId !== null)
    await query`update staff set last_seen_at = now() where business_id = ${businessId} and id = ${staffId}`
}

export type EndedSession = Pick<SessionRow, 'businessId' | 'id' | 'keyId' | 'staffId' | 'subject' | 'email'>

export async function deleteSession(tx: Tx, digests: TokenDigests): Promise<EndedSession | undefined> {
  const rows = await tx<EndedSession[]>`
    with ended as (
      delete from console_sessions where digest = any(${[...digests.ofBusiness, ...digests.ofOperator]}::bytea[])
      returning business_id, id, key_id, staff_id
    )
    select e.*, p.subject, p.email from ended e left join staff p on p.business_id = e.business_id and p.id = e.staff_id`
  return rows[0]
}

/** Deletes ended sessions, and links a day after their end, of all businesses, for the sweep loop. */
export async function sweepConsole(tx: Tx, limit: number): Promise<number> {
  const sessions = await tx`
    delete from console_sessions where ctid in (
      select ctid from console_sessions where idle_until < now() limit ${limit})`
  const links = await tx`
    delete from console_links where ctid in (
      select ctid from console_links where expires_at < now() - interval '1 day' limit ${limit})`
  return sessions.count + links.count
}
