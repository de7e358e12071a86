// Links of end-users to the provider's Terms-of-Service page. Their URLs are sealed: the URL for a customer whom the provider
// knows holds that person's e-mail address.

import type { Deps } from '../app/context.ts'
import { only } from '../platform/postgres/db.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { TosStatus } from './schema.rules.ts'
import type { EndUserKey } from './store.ts'

export type TosLinkRow = {
  businessId: string
  id: string
  endUserId: string
  providerUrl: string
  redirectUri: string | null
  status: TosStatus
}

type Secrets = Pick<Deps, 'secrets'>

/**
 * Opens the URL of a link: the provider's page, with the caller's `redirect_uri` appended as the provider wants it.
 * @returns null when no deployment secret opens the URL any more: then a new link is asked for
 */
export function tosUrlOf({ secrets }: Secrets, link: TosLinkRow): string | null {
  try {
    const url = new URL(secrets.open(Buffer.from(link.providerUrl, 'base64'), link.id))
    if (link.redirectUri !== null) url.searchParams.set('redirect_uri', link.redirectUri)
    return url.href
  } catch {
    return null
  }
}

/** Finds the pending link of an end-user that was made last. */
export async function findOpenTosLink(query: Query, user: EndUserKey): Promise<TosLinkRow | undefined> {
  const rows = await query<TosLinkRow[]>`
    select * from tos_links
    where business_id = ${user.businessId} and end_user_id = ${user.id} and status = 'pending' and expires_at > now()
    order by created_at desc limit 1`
  return rows[0]
}

/** For how long a link is handed out again; the provider names no life of its own links. */
const tosLinkLifeHours = 24

type NewTosLink = Pick<TosLinkRow, 'businessId' | 'id' | 'endUserId' | 'redirectUri'>

export async function insertTosLink({ secrets }: Secrets, tx: Tx, link: NewTosLink, url: string): Promise<TosLinkRow> {
  const { businessId, id, endUserId, redirectUri } = link
  const providerUrl = secrets.seal(url, id).toString('base64')
  return only(
    await tx<TosLinkRow[]>`
      with open_again as (
        update end_users set tos_status = 'pending', updated_at = now()
        where business_id = ${businessId} and id = ${endUserId} and tos_status = 'expired'
      )
      insert into tos_links (business_id, id, end_user_id, provider_url, redirect_uri, expires_at)
      values (${businessId}, ${id}, ${endUserId}, ${providerUrl}, ${redirectUri},
        now() + make_interval(hours => ${tosLinkLifeHours}))
      returning *`,
  )
}

/** Stores the redirect address of an open link. */
export async function saveRedirectUri(tx: Tx, { businessId, id, redirectUri }: TosLinkRow): Promise<void> {
  await tx`update tos_links set redirect_uri = ${redirectUri} where business_id = ${businessId} and id = ${id}`
}

/** Marks the open links of an end-user accepted. */
export async function acceptTosLinks(tx: Tx, user: EndUserKey): Promise<void> {
  await tx`
    update tos_links set status = 'approved'
    where business_id = ${user.businessId} and end_user_id = ${user.id} and status = 'pending'`
}

/**
 * Expires links across businesses, for the sweep loop: an end-user whose last link ran out unaccepted reads `expired`. The
 * end-users are locked before their links, as everywhere; one whom another transaction holds is left to the next sweep.
 */
export async function expireTosLinks(tx: Tx, limit: number): Promise<number> {
  willLock(tx, 'endUser')
  const rows = await tx`
    with due as (
      select distinct business_id, end_user_id from (
        select business_id, end_user_id from tos_links where status = 'pending' and expires_at <= now() limit ${limit}) l
    ), held as materialized (
      select u.business_id, u.id from end_users u join due d on d.business_id = u.business_id and d.end_user_id = u.id
      order by u.business_id, u.id for no key update of u skip locked
    ), gone as (
      update tos_links l set status = 'expired' from held
      where l.business_id = held.business_id and l.end_user_id = held.id and l.status = 'pending' and l.expires_at <= now()
    )
    update end_users u set tos_status = 'expired', updated_at = now() from held
    where u.business_id = held.business_id and u.id = held.id and u.tos_status = 'pending'
    returning u.id`
  return rows.length
}
