// Search of end-users by how their `externalUserId` or e-mail address begins. Both are read in the order of the alphabet, each
// from an index of its own, and a page of each is merged: a search reads and sorts no more than two pages; with another filter it looks through `rowsReadMax` of each.

import { type Page, type PageRequest, rowsReadMax, toPage } from '../platform/postgres/paging.ts'
import type { Query } from '../platform/postgres/query.ts'
import type { EndUserFilter, EndUserRow } from './store.ts'

/** @param page behind an end-user of this business */
export async function searchEndUsers(
  query: Query,
  businessId: string,
  { q, ...filter }: EndUserFilter & { q: string },
  page: PageRequest,
): Promise<Page<EndUserRow>> {
  const { after } = page
  const named = query`u.search_name`
  const mailed = query`u.search_email`
  const isNamed = query`starts_with(u.search_name, lower(${q}))`
  const last = query`(select case when ${isNamed} then ${named} else ${mailed} end from end_users u
    where u.business_id = ${businessId} and u.id = ${after?.id ?? null})`
  const found = (term: typeof named, isOne = query`true`) => query`
    select * from (
      select u.*, ${term} as term from end_users u
      where u.business_id = ${businessId} and ${term} >= lower(${q}) and ${term} < lower(${q}) || chr(1114111) and ${isOne}
        and ${after ? query`(${term}, u.id) > (${last}, ${after.id})` : query`true`}
      order by term, id limit ${rowsReadMax}
    ) u
    where ${filter.externalUserId === undefined ? query`true` : query`external_user_id = ${filter.externalUserId}`}
      and ${filter.kycStatus === undefined ? query`true` : query`kyc_status = ${filter.kycStatus}`}
      and ${filter.type === undefined ? query`true` : query`type = ${filter.type}`}
      and ${filter.metadata === undefined ? query`true` : query`metadata @> ${query.json(filter.metadata)}`}
      and ${filter.createdAfter ? query`created_at > ${filter.createdAfter}` : query`true`}
      and ${filter.createdBefore ? query`created_at < ${filter.createdBefore}` : query`true`}`
  const order = query`order by term, id limit ${page.limit + 1}`
  const rows = await query<EndUserRow[]>`
    (${found(named)} ${order}) union all (${found(mailed, query`u.search_email is not null and not ${isNamed}`)} ${order}) ${order}`
  return toPage(rows, page.limit)
}
