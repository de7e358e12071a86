// Idempotent requests: a retry with the same key and body gets the stored response, and nothing is done twice.

import type { Core } from '../../core.ts'
import { type ApiError, type ErrorCode, fail, isRetryable } from '../../errors.ts'
import { endedSql, type Lease, leaseEndSql, requireHeld } from '../../postgres/leases.ts'
import type { Query, Tx } from '../../postgres/query.ts'
import type { HeldKey, IdempotencyKey } from '../scope.ts'

const keepHours = 72

type StoredResponse = { status: number; body: string }

/** A key and its fence: the number of the request that holds the key. */
type Held = IdempotencyKey & { fence: number }

/**
 * Reserves a key for this request. Takes over an expired or abandoned claim of another request.
 * @param claim `content`: body and query as text, which must be the same in a retry
 * @returns the response to replay; if there is none, the fence under which this request holds the key, and the ID of
 * the object that an earlier request with the key has begun
 * @throws ApiError `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function reserve(
  deps: Core,
  key: IdempotencyKey,
  { content, createsCustomer }: { content: string; createsCustomer: boolean },
): Promise<{ stored: StoredResponse } | { fence: number; subjectId: string | null }> {
  // The stored fingerprint may come from any of the deployment secrets; the first one creates new fingerprints.
  const fingerprints = deps.secrets.fingerprints('idempotency', content)
  // Random, because a deleted key can come back as a new row.
  const fence = deps.randomBytes(6).readUIntBE(0, 6)
  const insert = (query: Query) => query`
    insert into idempotency_keys (business_id, operation, key, fingerprint, fence, lease_until, expires_at)
    values (${key.businessId}, ${key.operation}, ${key.key}, ${fingerprints[0]}, ${fence}, ${leaseUntil(query)}, ${expiresAt(query)})
    on conflict (business_id, operation, key) do nothing`
  const expiresAt = (query: Query) => query`now() + make_interval(hours => ${keepHours})`
  const leaseUntil = (query: Query) => leaseEndSql(query, leaseMsOf(deps, createsCustomer))
  const { count: inserted } = await deps.db.statement(insert)
  if (inserted > 0) return { fence, subjectId: null }
  const { claimed, holders } = await deps.db.transaction(async (tx) => {
    // A separate statement: a retry waits for the row only if the lease has expired, until its holder has committed.
    const [taken] = await tx<{ subjectId: string | null }[]>`
      update idempotency_keys
      set fingerprint = ${fingerprints[0]}, status = null, response = null, fence = ${fence}, lease_until = ${leaseUntil(tx)},
        subject_id = case when expires_at > now() then subject_id end, expires_at = ${expiresAt(tx)}, created_at = now()
      where ${rowOf(tx, key)} and (expires_at <= now()
        or (status is null and lease_until <= now() and fingerprint = any(${fingerprints}::bytea[])))
      returning subject_id`
    if (taken) return { claimed: { fence, subjectId: taken.subjectId }, holders: [] }
    const holders = await tx<{ fingerprint: Buffer; status: number | null; response: Buffer | null }[]>`
      select fingerprint, status, response from idempotency_keys where ${rowOf(tx, key)}`
    return { claimed: null, holders }
  })
  if (claimed) return claimed
  const [held] = holders
  if (held && !fingerprints.some((one) => held.fingerprint.equals(one)))
    throw fail('idempotency_key_reused', { param: 'Idempotency-Key' })
  // Without a row, the key was deleted between the statements: the caller's retry will get it.
  if (!held || held.status === null || held.response === null) throw inProgress()
  return { stored: { status: held.status, body: deps.secrets.open(held.response, responseContext(key)) } }
}

const rowOf = (query: Query, { businessId, operation, key }: IdempotencyKey) =>
  query`business_id = ${businessId} and operation = ${operation} and key = ${key}`

const heldRowOf = (query: Query, held: Held) => query`${rowOf(query, held)} and fence = ${held.fence}`

const inProgress = (): ApiError => fail('idempotency_in_progress', { retryAfterSeconds: 1 })

/** The lease of a request on its key: writes of the request are committed only if no retry has taken the key over. */
export const leaseOf = (held: Held): Lease => ({
  lock: (tx) => tx`select 1 from idempotency_keys where ${heldRowOf(tx, held)} for share`,
  lost: inProgress,
})

/**
 * The lease outlives a request and the look-up of an earlier request's outcome: after the lease, the process that held
 * the key is gone. Until then a retry gets `idempotency_in_progress`, so the lease is no longer than necessary.
 */
function leaseMsOf({ config }: Pick<Core, 'config'>, createsCustomer: boolean): number {
  const { providerTimeoutMs, providerCustomerTimeoutMs } = config
  return 3 * providerTimeoutMs + (createsCustomer ? providerCustomerTimeoutMs : providerTimeoutMs) + 20_000
}

/**
 * Runs a transaction that returns the `data` of the response, and commits the response with it. After a crash, the
 * retry gets that response, and the work is not done a second time.
 */
export async function answeringTransaction<T>(
  deps: Pick<Core, 'db' | 'secrets'>,
  held: HeldKey | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await deps.db.transaction(async (tx) => {
    const data = await work(tx)
    storeResponse(deps, held, tx, data)
    return data
  })
}

/**
 * Stores the success response in the transaction that does the work.
 * @param data of the response
 * @throws ApiError `idempotency_in_progress` from the transaction, if a retry has taken the key over: the work is rolled back
 */
export function storeResponse(deps: Pick<Core, 'secrets'>, held: HeldKey | null, tx: Tx, data: unknown): void {
  if (held === null) return
  save(deps, tx, held, { status: 200, body: held.textOf(data) })
}

/**
 * Stores an error in the transaction that records it, unless a retry might get another response.
 * @throws ApiError `idempotency_in_progress`
 */
export function storeRefusal(deps: Pick<Core, 'secrets'>, held: HeldKey | null, tx: Tx, error: ApiError): void {
  if (held === null || endOf(error.status, error.code) !== 'keep') return
  save(deps, tx, held, { status: error.status, body: held.textOfError(error) })
}

/**
 * Ends the hold of a request on its key, unless a retry now holds the key. Stores a response that a retry would get
 * again anyway. Otherwise ends the lease, so that a retry with the same body continues at once; or deletes the key if
 * nothing ran.
 * @param errorCode of an error response; null for a success
 * @throws ApiError `idempotency_in_progress` if a retry has taken the key over: its response counts, and this one may
 * be an error that the retry caused
 */
export async function storeOrRelease(
  deps: Core,
  held: HeldKey,
  response: StoredResponse & { errorCode: ErrorCode | null },
): Promise<void> {
  if (held.storedText === response.body) return
  const end = endOf(response.status, response.errorCode)
  await deps.db.transaction(async (tx) => {
    if (end === 'keep') save(deps, tx, held, response)
    else if (end === 'forget') await tx`delete from idempotency_keys where ${heldRowOf(tx, held)} and status is null`
    else
      await tx`
        update idempotency_keys set lease_until = ${endedSql(tx)} where ${heldRowOf(tx, held)} and status is null`
  })
}

/** Statuses of requests that were rejected before they did anything. */
const turnedAway: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * A retryable error is not stored: every later retry would get it. The row of the key stays, because the request may
 * have done something.
 */
function endOf(status: number, errorCode: ErrorCode | null): 'keep' | 'release' | 'forget' {
  if (turnedAway.has(status)) return 'forget'
  const isPassing = status >= 500 || status === 408 || (errorCode !== null && isRetryable(errorCode))
  return isPassing ? 'release' : 'keep'
}

/**
 * Stores the response encrypted, because it may contain a new API key or signing secret.
 * @throws ApiError `idempotency_in_progress` from the transaction, if a retry has taken the key over: the response to the retry
 * stays
 */
function save(deps: Pick<Core, 'secrets'>, tx: Tx, held: HeldKey, { status, body }: StoredResponse): void {
  const response = deps.secrets.seal(body, responseContext(held))
  const kept = tx`
    update idempotency_keys set status = ${status}, response = ${response} where ${heldRowOf(tx, held)} and status is null returning 1`
  requireHeld(tx, inProgress, kept, () => {
    held.storedText = body
  })
}

/** Encryption context of a stored response, so that no other key opens it. */
export function responseContext(held: IdempotencyKey): string {
  return `${held.businessId} ${held.operation} ${held.key}`
}

/**
 * Records the object that the request begins. A retry that takes the key over continues with it.
 * @throws ApiError `idempotency_in_progress` from the transaction, if a retry has taken the key over: the work is rolled back
 */
export function noteSubject(held: HeldKey | null, tx: Tx, subjectId: string): void {
  if (held === null) return
  requireHeld(
    tx,
    inProgress,
    tx`update idempotency_keys set subject_id = ${subjectId} where ${heldRowOf(tx, held)} returning 1`,
  )
}

/** Deletes expired keys of all businesses, for the sweep loop. */
export async function sweepExpiredKeys(query: Query, limit: number): Promise<number> {
  const { count } = await query`
    delete from idempotency_keys where ctid in (select ctid from idempotency_keys where expires_at < now() limit ${limit})`
  return count
}
