// Search of end-users by how their `externalUserId` or email address begins, in any case. Each of the two is read in the order
// of the alphabet from its own index, and a page of each is merged. So a search sorts two pages at most; with another filter it
// looks through `rowsReadMax` rows of each.

import { rowsReadMax } from '../platform/postgres/paging.ts'
import type { Query } from '../platform/postgres/query.ts'
import type { EndUserFilter, EndUserRow } from './store.ts'

/** Where a page begins: behind this folded text, and behind this end-user among those with the same text. */
export type SearchPlace = { term: string; id: string }

/**
 * @param q folded
 * @returns up to `limit + 1` rows, each with its place
 */
export async function searchEndUsers(
  query: Query,
  businessId: string,
  { q, ...filter }: EndUserFilter & { q: string },
  { after, limit }: { after: SearchPlace | null; limit: number },
): Promise<(EndUserRow & { term: string })[]> {
  const named = query`u.search_name`
  const mailed = query`u.search_email`
  const isNamed = query`starts_with(u.search_name, ${q})`
  const found = (term: typeof named, isOne = query`true`) => query`
    select * from (
      select u.*, ${term} as term from end_users u
      where u.business_id = ${businessId} and ${term} >= ${q} and ${term} < ${q}::text || chr(1114111) and ${isOne}
        and ${after ? query`(${term}, u.id) > (${after.term}, ${after.id})` : query`true`}
      order by term, id limit ${rowsReadMax}
    ) u
    where ${filter.externalUserId === undefined ? query`true` : query`external_user_id = ${filter.externalUserId}`}
      and ${filter.kycStatus === undefined ? query`true` : query`kyc_status = ${filter.kycStatus}`}
      and ${filter.type === undefined ? query`true` : query`type = ${filter.type}`}
      and ${filter.metadata === undefined ? query`true` : query`metadata @> ${query.json(filter.metadata)}`}
      and ${filter.createdAfter ? query`created_at > ${filter.createdAfter}` : query`true`}
      and ${filter.createdBefore ? query`created_at < ${filter.createdBefore}` : query`true`}`
  const order = query`order by term, id limit ${limit + 1}`
  return await query<(EndUserRow & { term: string })[]>`
    (${found(named)} ${order}) union all (${found(mailed, query`u.search_email is not null and not ${isNamed}`)} ${order}) ${order}`
}
