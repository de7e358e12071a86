// The open requests of an object, as the API shows them in it.

import type { Query } from '../platform/postgres/query.ts'

/** Builds the JSON list of the open requests `r` for which the condition holds, oldest first. */
export function openRequestsSql(query: Query, condition: ReturnType<Query>) {
  const iso = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
  return query`coalesce((
    select jsonb_agg(jsonb_build_object('id', r.id, 'state', r.state,
        'deadline', to_char(r.deadline at time zone 'UTC', ${iso}), 'actionTaken', r.action_taken)
      order by r.created_at, r.id)
    from information_requests r where ${condition} and r.state <> 'closed'), '[]')`
}
