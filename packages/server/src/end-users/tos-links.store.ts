// Links of end-users to the provider's Terms-of-Service page.

import { only } from '../platform/postgres/db.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { TosStatus } from './schema.rules.ts'

export type TosLinkRow = {
  businessId: string
  id: string
  endUserId: string
  providerUrl: string
  redirectUri: string | null
  status: TosStatus
  createdAt: Date
  expiresAt: Date
}

export async function findOpenTosLink(
  query: Query,
  businessId: string,
  endUserId: string,
): Promise<TosLinkRow | undefined> {
  const rows = await query<TosLinkRow[]>`
    select * from tos_links
    where business_id = ${businessId} and end_user_id = ${endUserId} and status = 'pending' and expires_at > now()
    order by created_at desc limit 1`
  return rows[0]
}

export async function insertTosLink(
  tx: Tx,
  link: {
    businessId: string
    id: string
    endUserId: string
    providerUrl: string
    redirectUri: string | null
    lifeHours: number
  },
): Promise<TosLinkRow> {
  return only(
    await tx<TosLinkRow[]>`
      with open_again as (
        update end_users set tos_status = 'pending', updated_at = now()
        where business_id = ${link.businessId} and id = ${link.endUserId} and tos_status = 'expired'
      )
      insert into tos_links (business_id, id, end_user_id, provider_url, redirect_uri, expires_at)
      values (${link.businessId}, ${link.id}, ${link.endUserId}, ${link.providerUrl}, ${link.redirectUri},
        now() + make_interval(hours => ${link.lifeHours}))
      returning *`,
  )
}

export async function redirectTosLink(
  tx: Tx,
  businessId: string,
  id: string,
  redirectUri: string | null,
): Promise<TosLinkRow> {
  return only(
    await tx<TosLinkRow[]>`
      update tos_links set redirect_uri = ${redirectUri} where business_id = ${businessId} and id = ${id} returning *`,
  )
}

/** Marks the open links of an end-user accepted. */
export async function acceptTosLinks(tx: Tx, businessId: string, endUserId: string): Promise<void> {
  await tx`
    update tos_links set status = 'approved'
    where business_id = ${businessId} and end_user_id = ${endUserId} and status = 'pending'`
}

/**
 * Crosses businesses: for the sweep loop. An end-user whose last link ran out unaccepted reads `expired`. The end-users are
 * locked before their links, as everywhere; one that somebody else holds is left to the next sweep.
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
