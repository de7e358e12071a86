// Repeats of a request: the same key and body get the stored answer; nothing is done twice.

import type { Deps, HeldKey } from '../../../app/context.ts'
import { type ApiError, type ErrorCode, fail, isRetryable } from '../../errors.ts'
import type { Tx } from '../../postgres/query.ts'
import type { Business } from '../caller.ts'
import * as store from './store.ts'

export const idempotencyKeepHours = 72
/**
 * Longer than a request takes, a KYC submission that first looks up what became of an earlier one included: past it, whoever
 * held the key is gone. Until then a caller's repeat is told to wait, so it is not longer either.
 */
function leaseMs({ config }: Deps, operation: string): number {
  const { providerTimeoutMs, providerCustomerTimeoutMs } = config
  const longestMs = operation.endsWith('/submit-kyc') ? providerCustomerTimeoutMs : providerTimeoutMs
  return 3 * providerTimeoutMs + longestMs + 20_000
}

export type StoredAnswer = { status: number; body: string }
/** @property errorCode of a refusal; null of a success */
export type GivenAnswer = StoredAnswer & { errorCode: ErrorCode | null }

/**
 * Reserves a key for this request.
 * @param operation method and path: the same key elsewhere is another key
 * @param content what must be the same in a repeat: body and query, as text
 * @returns the answer to replay, or null when this request is the first
 * @throws ApiError `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function reserve(
  deps: Deps,
  business: Business,
  operation: string,
  key: string,
  content: string,
): Promise<{ held: store.IdempotencyKey; answer: StoredAnswer | null }> {
  const held = { businessId: business.id, operation, key }
  const fingerprints = deps.secrets.fingerprints('idempotency', content)
  const found = await deps.db.transaction((tx) =>
    store.reserveKey(tx, held, { fingerprints, leaseMs: leaseMs(deps, operation), keepHours: idempotencyKeepHours }),
  )
  switch (found.kind) {
    case 'reserved':
      return { held, answer: null }
    case 'running':
      throw fail('idempotency_in_progress', { retryAfterSeconds: 1 })
    case 'other_body':
      throw fail('idempotency_key_reused', { param: 'Idempotency-Key' })
    case 'answered':
      return { held, answer: { status: found.status, body: deps.secrets.open(found.response, answerContext(held)) } }
  }
}

/**
 * A transaction whose result is what the caller is answered: it and the answer for a repeat are committed together. A crash
 * right after it costs the caller the answer, and the repeat gets that answer, not the work a second time.
 */
export async function answering<T>(deps: Deps, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await deps.db.transaction(async (tx) => {
    const data = await work(tx)
    await conclude(deps, tx, data)
    return data
  })
}

/** Within the transaction that does what was asked for. @param data of the answer */
export async function conclude(deps: Deps, tx: Tx, data: unknown): Promise<void> {
  if (deps.heldKey === null) return
  await finish(deps, tx, deps.heldKey, { status: 200, body: deps.heldKey.textOf(data) })
}

/** Within the transaction that records a refusal; of an error that a repeat would not get again nothing is stored. */
export async function concludeRefusal(deps: Deps, tx: Tx, error: ApiError): Promise<void> {
  const { heldKey } = deps
  if (heldKey === null || !isKept(error.status, error.code)) return
  await finish(deps, tx, heldKey, { status: error.status, body: heldKey.textOfError(error) })
}

/** Keeps what a repeat would get again anyway; everything else frees the key for another try. What is kept stays so. */
export async function settle(deps: Deps, held: HeldKey, answer: GivenAnswer): Promise<void> {
  if (held.storedText === answer.body) return
  await deps.db.transaction(async (tx) => {
    if (!isKept(answer.status, answer.errorCode)) return await store.releaseKey(tx, held)
    await finish(deps, tx, held, answer)
  })
}

/** "Try again" must not be what every later try is told. */
function isKept(status: number, errorCode: ErrorCode | null): boolean {
  const isPassing = errorCode !== null && isRetryable(errorCode)
  return status < 500 && !unkept.has(status) && !isPassing
}

/** An answer may carry a new API key or signing secret, so it lies sealed. */
async function finish(deps: Deps, tx: Tx, held: HeldKey, { status, body }: StoredAnswer): Promise<void> {
  await store.finishKey(tx, held, { status, response: deps.secrets.seal(body, answerContext(held)) })
  held.storedText = body
}

const unkept: ReadonlySet<number> = new Set([401, 403, 408, 429])

/** Of a stored answer's seal. */
export function answerContext(held: store.IdempotencyKey): string {
  return `${held.businessId} ${held.operation} ${held.key}`
}
