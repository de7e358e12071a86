// Small tables of a business: keys, endpoints with their replays, and entries of the audit log. Also many other businesses.

import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { type Businesses, endpointOf, replayOf } from './ids.ts'

/** A business that rolls 14 keys a day has so many revoked ones after a year; an operator has as many businesses. */
const manyMax = 5_000
/** `endpointsMax` and `endedMax` of the product. */
const [endpoints, replays] = [20, 100]

/** Endpoints are paused: no delivery leaves. A tenth as many acts are in the audit log as there are rows of each table. */
export async function writeBusinesses(db: Database, businesses: Businesses, rows: number): Promise<void> {
  const many = Math.min(rows, manyMax)
  await db.transaction(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      insert into businesses (id, name, search_name, created_at)
      select 'biz_' || lpad(n::text, 26, '0'), 'Business ' || n, 'business ' || n, now() - make_interval(mins => n) from generate_series(1, ${many}::int) n`
    for (const [name, businessId] of Object.entries(businesses)) {
      await tx`
        insert into api_keys (business_id, id, name, digest, last_four, scopes, created_at, revoked_at)
        select ${businessId}, 'key_' || lpad(n::text, 26, '0'), 'rolled', sha256(convert_to(${businessId} || n, 'UTF8')), '0000', '{events}',
          now() - make_interval(mins => n), now()
        from generate_series(1, ${many}::int) n`
      const positions = name === 'large' ? rows - Math.floor(rows / 10) : Math.floor(rows / 10)
      await tx`update event_streams set position = ${positions} where business_id = ${businessId}`
      for (let nth = 1; nth <= endpoints; nth++) {
        const id = endpointOf(businessId, nth)
        await tx`
          insert into webhook_endpoints (business_id, id, url, is_default, status, secret_sealed, created_at)
          values (${businessId}, ${id}, 'https://receiver.example/', ${nth === 1}, 'paused', '', now() - make_interval(mins => ${nth}))`
        await tx`insert into endpoint_lanes (endpoint_id, business_id, open) values (${id}, ${businessId}, false)`
        await tx`insert into endpoint_sequences (endpoint_id, sequence) values (${id}, ${nth === 1 ? positions : 0})`
        const ids = Array.from({ length: replays }, (_, at) => replayOf(id, at + 1))
        await tx`
          insert into replays (business_id, id, endpoint_id, range_from, range_to, event_types, wanted, state, first_position,
            last_position, position, created_at, ended_at)
          select ${businessId}, id, ${id}, now(), now(), '{*}', 'all', 'done', 0, 0, 0, now() - make_interval(mins => at::int), now()
          from unnest(${ids}::text[]) with ordinality given (id, at)`
      }
    }
    await tx`
      insert into audit_log (business_id, number, actor, action, subject_id, created_at)
      select case when n % 10 = 0 then ${businesses.small} else ${businesses.large} end, 1000 + n, 'operator',
        case when n = 1 then 'customer.renamed' else 'console_session.opened' end, 'console_session_' || n,
        now() - make_interval(secs => 30 * 86400 * (1 - n::float8 / ${rows}))
      from generate_series(1, ${Math.floor(rows / 10)}::int) n`
  })
}
