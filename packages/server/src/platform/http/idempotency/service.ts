// Repeats of a request: the same key and body get the stored response, and nothing is done twice.

import type { Deps, HeldKey } from '../../../app/context.ts'
import { type ApiError, type ErrorCode, fail, isRetryable } from '../../errors.ts'
import type { Tx } from '../../postgres/query.ts'
import * as store from './store.ts'

const keepHours = 72

export type StoredResponse = { status: number; body: string }

/** @property content what must be the same in a repeat: body and query, as text */
export type KeyClaim = store.IdempotencyKey & { content: string; createsCustomer: boolean }

/**
 * Reserves a key for this request.
 * @returns the response to replay, or null when this request is the first
 * @throws ApiError `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function reserve(
  deps: Deps,
  { content, createsCustomer, ...key }: KeyClaim,
): Promise<StoredResponse | null> {
  const fingerprints = deps.secrets.fingerprints('idempotency', content)
  const leaseMs = leaseMsOf(deps, createsCustomer)
  const found = await deps.db.transaction((tx) => store.reserveKey(tx, key, { fingerprints, leaseMs, keepHours }))
  switch (found.kind) {
    case 'reserved':
      return null
    case 'running':
      throw fail('idempotency_in_progress', { retryAfterSeconds: 1 })
    case 'other_body':
      throw fail('idempotency_key_reused', { param: 'Idempotency-Key' })
    case 'answered':
      return { status: found.status, body: deps.secrets.open(found.response, responseContext(key)) }
  }
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
 * Ends the hold of a request on its key: stores a response that a repeat would get again anyway, else frees the key.
 * @param errorCode of a refusal; null of a success
 */
export async function storeOrRelease(
  deps: Deps,
  held: HeldKey,
  response: StoredResponse & { errorCode: ErrorCode | null },
): Promise<void> {
  if (held.storedText === response.body) return
  await deps.db.transaction(async (tx) => {
    if (!isKept(response.status, response.errorCode)) return await store.releaseKey(tx, held)
    await save(deps, tx, held, response)
  })
}

const unkept: ReadonlySet<number> = new Set([401, 403, 408, 429])

/** "Try again" must not be what every later try is told. */
function isKept(status: number, errorCode: ErrorCode | null): boolean {
  const isPassing = errorCode !== null && isRetryable(errorCode)
  return status < 500 && !unkept.has(status) && !isPassing
}

/** Seals the response: it may hold a new API key or signing secret. */
async function save(deps: Deps, tx: Tx, held: HeldKey, { status, body }: StoredResponse): Promise<void> {
  await store.saveResponse(tx, held, { status, response: deps.secrets.seal(body, responseContext(held)) })
  held.storedText = body
}

/** Names what a stored response is sealed for, so that no other key opens it. */
export function responseContext(held: store.IdempotencyKey): string {
  return `${held.businessId} ${held.operation} ${held.key}`
}
