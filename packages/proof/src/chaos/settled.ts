// The work still under way in a deployment, read behind the API. After healing, a minute is enough for all of it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Query } from '../../../server/src/platform/postgres/query.ts'
import type { Deployment } from '../relay-world/deployment.ts'
import type { ChaosProvider } from '../relay-world/provider.ts'

/** What is asked. `foreign`: how the ids of events begin that the provider never sent. */
export type SettlingWorld = { deployment: Deployment; provider: ChaosProvider; foreign?: string }

/** @returns the work left after `limitMs`; empty as soon as none is left */
export async function untilSettled(world: SettlingWorld, limitMs: number): Promise<string[]> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const left = await whatIsLeft(world).catch((error: unknown) => [`nobody can tell what is left: ${String(error)}`])
    if (left.length === 0 || performance.now() > deadline) return left
    await delay(250)
  }
}

async function whatIsLeft({ deployment, provider, foreign }: SettlingWorld): Promise<string[]> {
  const state = (await provider.ask('GET', '/_sandbox/state')).body as Record<string, { count: number }>
  const left = await deployment.db.read(async (query) => [
    ...(await openOperations(query)),
    ...(await runningKeys(query)),
    ...(await waitingDeliveries(query)),
    ...(await waitingEvents(query)),
    ...(await waitingAccounts(query)),
  ])
  if (state['pending_tasks']?.count !== 0) left.push(`the provider has ${state['pending_tasks']?.count} tasks ahead`)
  const [received] = await deployment.db.read(
    (query) =>
      query<{ count: number }[]>`
        select count(*)::int as count from received_events
        where key like 'bridge/verified:%' and key not like ${`bridge/verified:${foreign ?? 'none of these'}%`}`,
  )
  const missing = (state['events']?.count ?? 0) - (received?.count ?? 0)
  if (missing !== 0) left.push(`${missing} of the provider's events were not accepted`)
  return left
}

const rowsMax = 20

async function openOperations(query: Query): Promise<string[]> {
  const rows = await query<
    {
      id: string
      kind: string
      subjectId: string
      state: string
      attempts: number
      errorCode: string | null
      leaseSeconds: number
    }[]
  >`
    select id, kind, subject_id, state, attempts, error_code,
      extract(epoch from lease_until - now())::int as lease_seconds from operations where state in ('running', 'unknown') limit ${rowsMax}`
  return rows.map(
    (row) =>
      `operation ${row.id} (${row.kind} of ${row.subjectId}) is ${row.state} after ${row.attempts} attempts, due in ${row.leaseSeconds} s: ${row.errorCode}`,
  )
}

/** One whose lease has run out belongs to nobody: the next repeat takes it. */
async function runningKeys(query: Query): Promise<string[]> {
  const rows = await query<{ operation: string; key: string; leftSeconds: number }[]>`
    select operation, key, extract(epoch from lease_until - now())::int as left_seconds
    from idempotency_keys where status is null and lease_until > now() limit ${rowsMax}`
  return rows.map((row) => `Idempotency-Key ${row.key} of ${row.operation} is held for another ${row.leftSeconds} s`)
}

async function waitingDeliveries(query: Query): Promise<string[]> {
  const rows = await query<{ id: string; endpointId: string; attempts: number; lastOutcome: string | null }[]>`
    select id, endpoint_id, attempts, last_outcome from deliveries limit ${rowsMax}`
  return rows.map(
    (row) => `delivery ${row.id} to ${row.endpointId} waits after ${row.attempts} attempts: ${row.lastOutcome}`,
  )
}

async function waitingEvents(query: Query): Promise<string[]> {
  const rows = await query<
    { eventId: string; state: string; attempts: number; error: string | null; dueInSeconds: number }[]
  >`
    select event_id, state, attempts, error, extract(epoch from due_at - now())::int as due_in_seconds from event_work limit ${rowsMax}`
  return rows.map(
    (row) =>
      `event ${row.eventId} is ${row.state} after ${row.attempts} attempts, due in ${row.dueInSeconds} s: ${row.error}`,
  )
}

async function waitingAccounts(query: Query): Promise<string[]> {
  const rows = await query<{ id: string; externalUserId: string }[]>`
    select v.id, u.external_user_id from virtual_accounts v
    join end_users u on u.business_id = v.business_id and u.id = v.end_user_id
    where v.status = 'pending' and u.kyc_status = 'approved' limit ${rowsMax}`
  return rows.map((row) => `account ${row.id} is pending, and its end-user ${row.externalUserId} is approved`)
}
