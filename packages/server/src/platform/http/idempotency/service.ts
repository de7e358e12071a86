// Repeats of a request: the same key and body get the stored response, and nothing is done twice.

import type { Deps, HeldKey, IdempotencyKey } from '../../../app/context.ts'
import { type ApiError, type ErrorCode, fail, isRetryable } from '../../errors.ts'
import type { Query, Tx } from '../../postgres/query.ts'

const keepHours = 72

type StoredResponse = { status: number; body: string }

/**
 * Reserves a key for this request. An expired or abandoned claim of another one is taken over.
 * @param claim `content`: what must be the same in a repeat, body and query, as text
 * @returns the response to replay; or, when this request is the first, the lease under which it holds the key
 * @throws ApiError `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function reserve(
  deps: Deps,
  key: IdempotencyKey,
  { content, createsCustomer }: { content: string; createsCustomer: boolean },
): Promise<{ stored: StoredResponse } | { lease: string }> {
  // Any of the deployment secrets may have made the fingerprint that is stored; the first makes new ones.
  const fingerprints = deps.secrets.fingerprints('idempotency', content)
  const leaseSeconds = leaseMsOf(deps, createsCustomer) / 1000
  const { won, holders } = await deps.db.transaction(async (tx) => {
    const won = await tx<{ lease: string }[]>`
      insert into idempotency_keys as k (business_id, operation, key, fingerprint, lease_until, expires_at)
      values (${key.businessId}, ${key.operation}, ${key.key}, ${fingerprints[0]},
        now() + make_interval(secs => ${leaseSeconds}), now() + make_interval(hours => ${keepHours}))
      on conflict (business_id, operation, key) do update
        set fingerprint = excluded.fingerprint, status = null, response = null,
          lease_until = excluded.lease_until, expires_at = excluded.expires_at, created_at = now()
        where k.expires_at <= now()
          or (k.status is null and k.lease_until <= now() and k.fingerprint = any(${fingerprints}::bytea[]))
      returning extract(epoch from lease_until)::text as lease`
    if (won.length > 0) return { won, holders: [] }
    const holders = await tx<{ fingerprint: Buffer; status: number | null; response: Buffer | null }[]>`
      select fingerprint, status, response from idempotency_keys
      where business_id = ${key.businessId} and operation = ${key.operation} and key = ${key.key}`
    return { won, holders }
  })
  if (won[0]) return won[0]
  const [held] = holders
  if (held && !fingerprints.some((one) => held.fingerprint.equals(one)))
    throw fail('idempotency_key_reused', { param: 'Idempotency-Key' })
  // Without a row the key was released between the two statements: the caller's repeat will win it.
  if (!held || held.status === null || held.response === null)
    throw fail('idempotency_in_progress', { retryAfterSeconds: 1 })
  return { stored: { status: held.status, body: deps.secrets.open(held.response, responseContext(key)) } }
}

/**
 * The lease outlives a request and the look-up of what became of an earlier one: past it, the process that held the key is
 * gone. Until then a repeat is told to wait, so the lease is not longer either.
 */
function leaseMsOf({ config }: Deps, createsCustomer: boolean): number {
  const { providerTimeoutMs, providerCustomerTimeoutMs } = config
  return 3 * providerTimeoutMs + (createsCustomer ? providerCustomerTimeoutMs : providerTimeoutMs) + 20_000
}

/**
 * Runs a transaction whose result is the `data` of the response, and commits both together: after a crash the repeat gets
 * that response, and the work is not done a second time.
 */
export async function idempotentTransaction<T>(deps: Deps, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await deps.db.transaction(async (tx) => {
    const data = await work(tx)
    await storeResponse(deps, tx, data)
    return data
  })
}

/** Stores the response of a success within the transaction that does the work. @param data of the response */
export async function storeResponse(deps: Deps, tx: Tx, data: unknown): Promise<void> {
  if (deps.heldKey === null) return
  await save(deps, tx, deps.heldKey, { status: 200, body: deps.heldKey.textOf(data) })
}

/** Stores a refusal within the transaction that records it, unless a repeat might be answered otherwise. */
export async function storeRefusal(deps: Deps, tx: Tx, error: ApiError): Promise<void> {
  const { heldKey } = deps
  if (heldKey === null || !isKept(error.status, error.code)) return
  await save(deps, tx, heldKey, { status: error.status, body: heldKey.textOfError(error) })
}

/**
 * Ends the hold of a request on its key: stores a response that a repeat would get again anyway, else frees the key, unless
 * the lease has run out and a repeat holds the key by now.
 * @param errorCode of a refusal; null of a success
 */
export async function storeOrRelease(
  deps: Deps,
  held: HeldKey,
  response: StoredResponse & { errorCode: ErrorCode | null },
): Promise<void> {
  if (held.storedText === response.body) return
  await deps.db.transaction(async (tx) => {
    if (isKept(response.status, response.errorCode)) return await save(deps, tx, held, response)
    await tx`
      delete from idempotency_keys
      where business_id = ${held.businessId} and operation = ${held.operation} and key = ${held.key} and status is null
        and extract(epoch from lease_until)::text = ${held.lease}`
  })
}

const unkept: ReadonlySet<number> = new Set([401, 403, 408, 429])

/** "Try again" must not be what every later try is told. */
function isKept(status: number, errorCode: ErrorCode | null): boolean {
  const isPassing = errorCode !== null && isRetryable(errorCode)
  return status < 500 && !unkept.has(status) && !isPassing
}

/**
 * Stores the response sealed, because it may hold a new API key or signing secret; unless there is one: a request that lost its
 * key to a repeat changes nothing of what the repeat was told.
 */
async function save(deps: Deps, tx: Tx, held: HeldKey, { status, body }: StoredResponse): Promise<void> {
  const response = deps.secrets.seal(body, responseContext(held))
  await tx`
    update idempotency_keys set status = ${status}, response = ${response}
    where business_id = ${held.businessId} and operation = ${held.operation} and key = ${held.key} and status is null`
  held.storedText = body
}

/** Names what a stored response is sealed for, so that no other key opens it. */
export function responseContext(held: IdempotencyKey): string {
  return `${held.businessId} ${held.operation} ${held.key}`
}

/** Deletes expired keys of all businesses, for the sweep loop. */
export async function sweepExpiredKeys(query: Query, limit: number): Promise<number> {
  const { count } = await query`
    delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at < now() limit ${limit})`
  return count
}
