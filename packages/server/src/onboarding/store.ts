// Links to the onboarding page, each with the session of the page opened last; and the branding. Statements that run
// before the business of a link is known cross businesses. Touches onboarding_links, brandings, end_users and
// businesses.

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
import type { FiatCurrency } from '../platform/values/rails.ts'
import type { LinkStatus, Locale } from './schema.rules.ts'

export type LinkRow = {
  businessId: string
  id: string
  endUserId: string
  /** ID of the API key, or of the staff member. */
  createdBy: string
  rails: FiatCurrency[]
  locale: Locale | null
  redirectUri: string | null
  createdAt: Date
  expiresAt: Date
  openedAt: Date | null
  completedAt: Date | null
  abandonedAt: Date | null
  revokedAt: Date | null
  isExpired: boolean
}

const linkColumns = (query: Query) => query`
  l.business_id, l.id, l.end_user_id, l.created_by, l.rails, l.locale, l.redirect_uri, l.created_at, l.expires_at, l.opened_at,
  l.completed_at, l.abandoned_at, l.revoked_at, l.expires_at <= now() as is_expired`

/** At most one link of an end-user is open. An expired link counts as open until it is settled. */
const isOpenSql = (query: Query) => query`l.completed_at is null and l.abandoned_at is null and l.revoked_at is null`

export type NewLink = Pick<
  LinkRow,
  'businessId' | 'id' | 'endUserId' | 'createdBy' | 'rails' | 'locale' | 'redirectUri'
> & {
  digest: Buffer
  expiresInHours: number
  ancestors: readonly string[]
}

/** Stores a link that replaces an older one. The end-user is locked. */
export async function replaceLink(tx: Tx, link: NewLink): Promise<LinkRow> {
  await tx`
    update onboarding_links l set revoked_at = now(), session_digest = null
    where l.business_id = ${link.businessId} and l.end_user_id = ${link.endUserId} and ${isOpenSql(tx)}`
  return only(
    await tx<LinkRow[]>`
      insert into onboarding_links as l (business_id, id, end_user_id, created_by, digest, rails, locale, redirect_uri, ancestors,
        expires_at)
      values (${link.businessId}, ${link.id}, ${link.endUserId}, ${link.createdBy}, ${link.digest}, ${link.rails}, ${link.locale},
        ${link.redirectUri}, ${link.ancestors as string[]}, now() + make_interval(hours => ${link.expiresInHours}))
      returning ${linkColumns(tx)}`,
  )
}

export async function listLinks(
  query: Query,
  businessId: string,
  endUserId: string,
  page: PageRequest,
): Promise<Page<LinkRow>> {
  const rows = await query<LinkRow[]>`
    select ${linkColumns(query)} from onboarding_links l
    where l.business_id = ${businessId} and l.end_user_id = ${endUserId} ${pageOf(query, 'l', page)}`
  return toPage(rows, page.limit)
}

export type LinkFilter = { status?: LinkStatus; createdBy?: string } & TimeRange

/** Lists the links of all end-users, with their `externalUserId`. */
export async function listAllLinks(
  query: Query,
  businessId: string,
  { status, createdBy, ...range }: LinkFilter,
  page: PageRequest,
): Promise<Page<LinkRow & { externalUserId: string }>> {
  const scan = query`
    select ${linkColumns(query)} from onboarding_links l
    where l.business_id = ${businessId} ${placesOf(query, 'l', page, range)}`
  const fits = allOf(query, [
    status === undefined ? null : conditionsSql(query)[status],
    createdBy === undefined ? null : query`created_by = ${createdBy}`,
  ])
  const order = query`r.created_at desc, r.id desc`
  const shown = (rows: ReturnType<Query>) => query`
    select r.*, u.external_user_id from (${rows}) r
    join end_users u on u.business_id = r.business_id and u.id = r.end_user_id order by ${order}`
  return await readPage<LinkRow & { externalUserId: string }>(query, { scan, fits, shown }, page)
}

const conditionsSql = (query: Query): Record<LinkStatus, ReturnType<Query>> => {
  const isLeft = query`completed_at is null and abandoned_at is null and revoked_at is null`
  return {
    completed: query`completed_at is not null`,
    revoked: query`completed_at is null and revoked_at is not null`,
    abandoned: query`completed_at is null and revoked_at is null and abandoned_at is not null`,
    expired: query`${isLeft} and is_expired`,
    open: query`${isLeft} and not is_expired`,
  }
}

/** Revokes an open link, and ends its page. */
export async function revokeLink(tx: Tx, businessId: string, id: string): Promise<LinkRow | undefined> {
  const rows = await tx<LinkRow[]>`
    update onboarding_links l set revoked_at = now(), session_digest = null
    where l.business_id = ${businessId} and l.id = ${id} and ${isOpenSql(tx)}
    returning ${linkColumns(tx)}`
  return rows[0]
}

/** A page opened with a link, and the business that created the link. */
export type OpenedLink = LinkRow & {
  name: string
  status: 'active' | 'suspended'
  externalUserId: string
  endUserType: 'individual' | 'business'
}

export type Opening = { digests: readonly Buffer[]; sessionDigest: Buffer; idleMinutes: number; openingsMax: number }

/**
 * Gives the session of a link to the page that opens it now, and takes it from the earlier page.
 * @returns the business; null if the link does not open
 */
export async function openLink(
  tx: Tx,
  { digests, sessionDigest, idleMinutes, openingsMax }: Opening,
): Promise<string | null> {
  const rows = await tx<{ businessId: string }[]>`
    update onboarding_links l set session_digest = ${sessionDigest}, openings = openings + 1, opened_at = coalesce(opened_at, now()),
      session_until = now() + make_interval(mins => ${idleMinutes})
    where l.digest = any(${digests}::bytea[]) and l.abandoned_at is null and l.revoked_at is null and l.expires_at > now()
      and l.openings < ${openingsMax} and exists (
        select from businesses b where b.id = l.business_id and b.status = 'active')
    returning l.business_id`
  return rows[0]?.businessId ?? null
}

/** Finds a link by its code, in any state, with the state of its business. */
export async function findLink(
  query: Query,
  digests: readonly Buffer[],
): Promise<(LinkRow & Pick<OpenedLink, 'status'>) | undefined> {
  const rows = await query<(LinkRow & Pick<OpenedLink, 'status'>)[]>`
    select ${linkColumns(query)}, b.status from onboarding_links l join businesses b on b.id = l.business_id
    where l.digest = any(${digests}::bytea[])`
  return rows[0]
}

/** Finds the link whose page has this session. */
export async function findSession(
  query: Query,
  digests: readonly Buffer[],
  idleMinutes: number,
): Promise<(OpenedLink & { isStale: boolean }) | undefined> {
  const rows = await query<(OpenedLink & { isStale: boolean })[]>`
    select ${linkColumns(query)}, b.name, b.status, u.external_user_id, u.type as end_user_type,
      l.session_until < now() + make_interval(mins => ${idleMinutes - 1}) as is_stale
    from onboarding_links l join businesses b on b.id = l.business_id
      join end_users u on u.business_id = l.business_id and u.id = l.end_user_id
    where l.session_digest = any(${digests}::bytea[]) and l.session_until > now() and l.abandoned_at is null
      and l.revoked_at is null and l.expires_at > now()`
  return rows[0]
}

/** Records that a page is in use. */
export async function touchSession(
  query: Query,
  { businessId, id }: Pick<LinkRow, 'businessId' | 'id'>,
  idleMinutes: number,
): Promise<void> {
  await query`
    update onboarding_links set session_until = now() + make_interval(mins => ${idleMinutes})
    where business_id = ${businessId} and id = ${id}`
}

/** Reads the open link of an end-user, for a verdict that may complete it. */
export async function findOpenLink(query: Query, businessId: string, endUserId: string): Promise<LinkRow | undefined> {
  const rows = await query<LinkRow[]>`
    select ${linkColumns(query)} from onboarding_links l
    where l.business_id = ${businessId} and l.end_user_id = ${endUserId} and ${isOpenSql(query)}`
  return rows[0]
}

/** Ends an open link. @returns undefined if it has ended in the meantime */
export async function endLink(
  tx: Tx,
  { businessId, id }: Pick<LinkRow, 'businessId' | 'id'>,
  end: 'completed' | 'abandoned',
): Promise<LinkRow | undefined> {
  const rows = await tx<LinkRow[]>`
    update onboarding_links l set
      completed_at = case when ${end === 'completed'} then now() end,
      abandoned_at = case when ${end === 'abandoned'} then now() end
    where l.business_id = ${businessId} and l.id = ${id} and ${isOpenSql(tx)}
    returning ${linkColumns(tx)}`
  return rows[0]
}

/** Lists links that expired while open, each once, of all businesses, for the sweep loop. */
export async function listExpired(query: Query, limit: number): Promise<LinkRow[]> {
  return await query<LinkRow[]>`
    select ${linkColumns(query)} from onboarding_links l
    where l.expires_at <= now() and not l.is_expiry_noted and ${isOpenSql(query)} order by l.expires_at limit ${limit}`
}

/** Records the expiration of a link that stays open: a verdict will end it. */
export async function noteExpiry(tx: Tx, { businessId, id }: Pick<LinkRow, 'businessId' | 'id'>): Promise<void> {
  await tx`
    update onboarding_links set is_expiry_noted = true
    where business_id = ${businessId} and id = ${id} and expires_at <= now() and not is_expiry_noted`
}
