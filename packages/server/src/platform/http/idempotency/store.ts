// Idempotency keys of callers: reserved before the work, then given the response that a repeat gets.

import type { Query, Tx } from '../../postgres/query.ts'

export type IdempotencyKey = { businessId: string; operation: string; key: string }

export type Reservation =
  | { kind: 'reserved' }
  | { kind: 'running' }
  | { kind: 'other_body' }
  | { kind: 'answered'; status: number; response: Buffer }

/**
 * Claims the key, or tells what became of the request that claimed it first. An expired or abandoned claim is taken over.
 * @param claim `fingerprints`: of the request, under each deployment secret; the first is stored
 */
export async function reserveKey(
  tx: Tx,
  key: IdempotencyKey,
  claim: { fingerprints: readonly Buffer[]; leaseMs: number; keepHours: number },
): Promise<Reservation> {
  const won = await tx`
    insert into idempotency_keys as k (business_id, operation, key, fingerprint, lease_until, expires_at)
    values (${key.businessId}, ${key.operation}, ${key.key}, ${claim.fingerprints[0]},
      now() + make_interval(secs => ${claim.leaseMs / 1000}), now() + make_interval(hours => ${claim.keepHours}))
    on conflict (business_id, operation, key) do update
      set fingerprint = excluded.fingerprint, status = null, response = null,
        lease_until = excluded.lease_until, expires_at = excluded.expires_at, created_at = now()
      where k.expires_at <= now()
        or (k.status is null and k.lease_until <= now() and k.fingerprint = any(${claim.fingerprints}::bytea[]))
    returning key`
  if (won.length > 0) return { kind: 'reserved' }
  const rows = await tx<{ fingerprint: Buffer; status: number | null; response: Buffer | null }[]>`
    select fingerprint, status, response from idempotency_keys
    where business_id = ${key.businessId} and operation = ${key.operation} and key = ${key.key}`
  const held = rows[0]
  if (!held) return { kind: 'running' } // released between the two statements: the caller's repeat will win it
  if (!claim.fingerprints.some((one) => held.fingerprint.equals(one))) return { kind: 'other_body' }
  if (held.status === null || held.response === null) return { kind: 'running' }
  return { kind: 'answered', status: held.status, response: held.response }
}

/** Saves the response, unless there is one: a request that lost its key to a repeat changes nothing of what the repeat was told. */
export async function saveResponse(
  tx: Tx,
  key: IdempotencyKey,
  saved: { status: number; response: Buffer },
): Promise<void> {
  await tx`
    update idempotency_keys set status = ${saved.status}, response = ${saved.response}
    where business_id = ${key.businessId} and operation = ${key.operation} and key = ${key.key} and status is null`
}

/** Frees a key without a response for another try. */
export async function releaseKey(tx: Tx, key: IdempotencyKey): Promise<void> {
  await tx`
    delete from idempotency_keys
    where business_id = ${key.businessId} and operation = ${key.operation} and key = ${key.key} and status is null`
}

/** Deletes expired keys of all businesses, for the sweep loop. */
export async function sweepExpiredKeys(query: Query, limit: number): Promise<number> {
  const rows = await query`
    delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at < now() limit ${limit}) returning 1`
  return rows.length
}
