// Writes at the provider: intent and key committed first, the call made with no transaction open, the outcome settled
// under a fence. And what a provider failure means to a caller.

import type { Deps } from '../../app/context.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { answering, concludeRefusal } from '../../platform/http/idempotency/service.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { providerKeyOf } from '../../platform/secrets/secret-box.ts'
import { makeId } from '../../platform/values/ids.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { ProviderError, type Write } from '../port.ts'
import {
  beginOperation,
  lockOpenOperation,
  type OperationKind,
  type OperationRow,
  settleOperation,
  takeOverOperation,
} from './operations.store.ts'

const deadlineMs = ({ config }: Deps, kind: OperationKind): number =>
  kind === 'customer.create' ? config.providerCustomerTimeoutMs : config.providerTimeoutMs

/** Longer than the provider call of this kind and its settling may take: past it, the holder is gone. */
const operationLeaseMs = (deps: Deps, kind: OperationKind): number => deadlineMs(deps, kind) + 20_000

/** Of operations that the resume loop takes over: it reads what became of a customer, and creates none. */
export const resumeLeaseMs = ({ config }: Deps): number => config.providerTimeoutMs + 20_000

// With the call itself this keeps the promise that an unknown outcome is settled within a minute of the provider's return.
const repeatDelayMsMax = 30_000

/** How soon a write whose outcome is unknown is repeated with the same key; doubles up to half a minute. */
export const repeatDelayMs = (attempts: number): number => Math.min(1_000 * 2 ** (attempts - 1), repeatDelayMsMax)

/** A request that was given up may be worked off for as long again; that nothing is found proves nothing until then. */
export function mayStillArrive(deps: Deps, operation: OperationRow): boolean {
  return deps.now() - operation.createdAt.getTime() < 2 * deadlineMs(deps, operation.kind)
}

/** Past it a repeat under the same key would be a new request to the provider. */
export function isWithinKeyLife(deps: Deps, operation: OperationRow): boolean {
  return deps.now() - operation.createdAt.getTime() <= 24 * 3_600_000
}

export type Intent = {
  businessId: string
  kind: OperationKind
  subjectId: string
  /** Under each deployment secret, newest first. */
  fingerprints?: readonly Buffer[]
  /** What a repeat sends. Left out where it would hold identity data: then only the caller's own repeat can resume it. */
  request?: JsonObject
}

export type Begun = { operation: OperationRow; resumed: boolean } | 'in_progress' | 'other_request'

/**
 * Commits the intent, or takes over an earlier one of the same kind and subject whose outcome is unknown.
 * `other_request`: the earlier one sent something else, so its key can not be used for this.
 */
export async function beginUpstream(deps: Deps, tx: Tx, intent: Intent): Promise<Begun> {
  const id = makeId('operation', deps.randomBytes(16))
  const leaseMs = operationLeaseMs(deps, intent.kind)
  const fresh = await beginOperation(tx, {
    businessId: intent.businessId,
    id,
    kind: intent.kind,
    subjectId: intent.subjectId,
    providerKey: providerKeyOf(id),
    fingerprint: intent.fingerprints?.[0] ?? null,
    request: intent.request ?? null,
    leaseMs,
  })
  if (fresh) return { operation: fresh, resumed: false }
  const open = await lockOpenOperation(tx, intent.businessId, intent.kind, intent.subjectId)
  if (!open) return 'in_progress' // it ended between the two statements; the caller's repeat starts afresh
  const { fingerprint } = open
  if (intent.fingerprints && fingerprint && !intent.fingerprints.some((one) => fingerprint.equals(one))) {
    return open.state === 'unknown' ? 'other_request' : 'in_progress'
  }
  const taken = await takeOverOperation(tx, open, leaseMs)
  return taken ? { operation: taken, resumed: true } : 'in_progress'
}

export type Rejection = (error: ProviderError) => ApiError

/**
 * Makes the call and settles its outcome. All that `settle` writes is committed with it, and so is what the caller's
 * Idempotency-Key is answered: the result, or a refusal.
 * @param lock locks what the operation is about, before the operation itself: the order of platform/postgres/lock-order.ts
 * @param undo runs in the transaction that records that nothing happened upstream
 * @throws ApiError: `provider_unavailable`, `provider_timeout`, or what `rejection` makes of a refusal
 */
export async function performUpstream<T, L, R>(
  deps: Deps,
  operation: OperationRow,
  steps: {
    call: (write: Write) => Promise<T>
    lock: (tx: Tx) => Promise<L>
    settle: (tx: Tx, result: T, locked: L) => Promise<R>
    undo?: (tx: Tx, code: string, locked: L) => Promise<void>
    rejection: Rejection
  },
): Promise<R> {
  let result: T
  try {
    result = await steps.call({ idempotencyKey: operation.providerKey })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const answer = isRefusal(error) ? steps.rejection(error) : providerFailure(error)
    await settleFailure(deps, operation, error, answer, async (tx) => {
      const locked = await steps.lock(tx)
      return async (code) => await steps.undo?.(tx, code, locked)
    })
    throw answer
  }
  return await answering(deps, async (tx) => {
    const locked = await steps.lock(tx)
    // Whoever took the operation over repeats it with the same key and settles it; the caller reads the outcome there.
    if (!(await settleOperation(tx, operation, { state: 'done' }))) throw fail('provider_timeout')
    return await steps.settle(tx, result, locked)
  })
}

/** The provider understood and will not do it, now or at a repeat: the object the write is about may be gone there. */
function isRefusal(error: ProviderError): boolean {
  return error.kind === 'rejected' || error.kind === 'not_found'
}

async function settleFailure(
  deps: Deps,
  operation: OperationRow,
  error: ProviderError,
  answer: ApiError,
  prepareUndo: (tx: Tx) => Promise<(code: string) => Promise<void>>,
): Promise<void> {
  const errorCode = error.code ?? error.kind
  // A repeat that fails says nothing about the first try: once unknown, only an answer settles it.
  const open = error.outcomeUnknown || (operation.attempts > 1 && !isRefusal(error))
  deps.log.warn(
    { operation: operation.id, kind: operation.kind, failure: error.kind, status: error.status, code: error.code },
    'provider call failed',
  )
  await deps.db.transaction(async (tx) => {
    if (open) {
      const retryInMs = repeatDelayMs(operation.attempts)
      await settleOperation(tx, operation, { state: 'unknown', errorCode, retryInMs })
      return
    }
    const undo = await prepareUndo(tx)
    if (!(await settleOperation(tx, operation, { state: 'failed', errorCode }))) return
    await undo(errorCode)
    await concludeRefusal(deps, tx, answer)
  })
  deps.wake('resume')
}

/** A provider failure that is not a refusal, in the caller's terms. Also for reads. */
export function providerFailure(error: unknown): ApiError {
  if (!(error instanceof ProviderError)) throw error
  if (error.kind === 'timeout') return fail('provider_timeout', { cause: error, retryAfterSeconds: 5 })
  return fail('provider_unavailable', { cause: error, retryAfterSeconds: error.retryAfterSeconds ?? 5 })
}

/**
 * Reads at the provider: every failure is told as the provider's.
 * @param rejection of an object that the provider does not have any more; without it that, too, is a failure
 */
export async function readUpstream<T>(read: () => Promise<T>, rejection?: Rejection): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (rejection && error instanceof ProviderError && isRefusal(error)) throw rejection(error)
    throw providerFailure(error)
  }
}

/** Null for what the provider does not have: an event may name anything, and a customer may be deleted there. */
export async function found<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'not_found' || error.kind === 'rejected')) return null
    throw error
  }
}

/** The database or the provider is away, or will not have us now. A provider that answers "no such thing" is there. */
export function isOutage(error: unknown): boolean {
  const cause = error instanceof ApiError && error.cause instanceof ProviderError ? error.cause : error
  if (cause instanceof ProviderError) return cause.kind !== 'not_found' && cause.kind !== 'rejected'
  return cause instanceof ApiError && cause.status >= 503
}
