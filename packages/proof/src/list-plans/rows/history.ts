// Events, deliveries and the log of requests.

import type { Tx } from '../../../../server/src/platform/postgres/query.ts'

/** As long as the body of an event about a deposit is. */
const body = Buffer.from(JSON.stringify({ event_object: 'x'.repeat(900) }))

/**
 * Of 100 deliveries one failed and ten wait. One type of event, and one that is Causeway's own, is a millionth of all. Of 100
 * requests one was refused and one carries an id of the caller's.
 */
export async function writeHistory(tx: Tx): Promise<void> {
  await tx`
    insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id, trust, type,
      body, created_at)
    select 'evt_' || moment || right(place, 16), business_id, 'eu_' || place, 'va_' || place, 'user-' || n, position, 'wh_' || n,
      case when n % 1000000 = 12 then 'own' else 'verified' end,
      case when n % 1000000 = 11 then 'rare.type' else 'usual.type' end, ${body}, made_at
    from seeded`
  await tx`insert into received_events (key, event_id) select 'bridge/verified:wh_' || n, 'evt_' || moment || right(place, 16) from seeded`
  await tx`
    insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts, last_outcome,
      http_status, response_body, duration_ms, started_at, created_at, finished_at)
    select 'dlv_' || moment || right(place, 16) || '000001', 'whe_' || right(business_id, 20) || '000001', position, business_id,
      'evt_' || moment || right(place, 16), 'eu_' || place, case when n % 100 = 1 then 'exhausted' else 'delivered' end, 1,
      case when n % 100 = 1 then 'http_500' else 'http_200' end, case when n % 100 = 1 then 500 else 200 end, '', 5 + n % 400,
      made_at, made_at, made_at
    from seeded where n % 10 <> 3`
  await tx`
    insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered, created_at)
    select 'whe_' || right(business_id, 20) || '000001', position, 'dlv_' || moment || right(place, 16) || '000001', business_id,
      'evt_' || moment || right(place, 16), 'eu_' || place, false, made_at
    from seeded where n % 10 = 3`
  await tx`
    insert into requests (id, business_id, request_id, credential_id, method, path, status, error_code, duration_ms, is_replay)
    select 'req_' || moment || right(place, 16), business_id, case when n % 100 = 2 then 'mine-' || n end, 'key_of_lists',
      case when n % 3 = 0 then 'POST' else 'GET' end, '/v0/end-users', case when n % 100 = 1 then 404 else 200 end,
      case when n % 100 = 1 then 'holder_not_found' end, 3, false
    from seeded`
}
