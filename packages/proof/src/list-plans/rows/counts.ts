// The statistics of the seeded rows, whose triggers did not run: as changes, which the product adds to its counts.

import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { stepSql } from '../../../../server/src/stats/attempts.sql.ts'
import { addChanges } from '../../../../server/src/stats/store.ts'

const changesMax = 5_000

export async function writeCounts(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      insert into count_changes (business_id, subject, at, state, count)
      select business_id, 'end_user', timestamptz 'epoch', kyc_status, count(*) from end_users group by business_id, kyc_status
      union all select business_id, 'virtual_account', timestamptz 'epoch', status, count(*) from virtual_accounts group by business_id, status`
    await tx`
      insert into count_changes (business_id, subject, at, state, unit, count, volume)
      select business_id, 'deposit', date_trunc('hour', created_at), status, source_currency, count(*), sum(gross_amount)
      from deposits group by 1, 3, 4, 5`
    await tx`
      insert into count_changes (business_id, subject, at, object_id, state, unit, count)
      select business_id, 'attempt', date_trunc('hour', started_at), endpoint_id,
        case status when 'delivered' then 'delivered' else 'failed' end, ${stepSql(tx)}, count(*)
      from finished_deliveries group by 1, 3, 4, 5, 6`
  })
  while ((await db.read((query) => addChanges(query, changesMax))) === changesMax);
}
