// Writes at the provider: the intent and key are committed first, the call is made without an open transaction, and the
// outcome is settled under a fence. Also maps a provider failure to the caller's error.
// Above the usual length: sending, reading and giving up an outcome must agree.

import { providerOf } from '../../platform/config.ts'
import type { Core } from '../../platform/core.ts'
import { ApiError, type ErrorDetail, fail } from '../../platform/errors.ts'
import { answeringTransaction, storeRefusal } from '../../platform/http/idempotency/service.ts'
import type { HeldKey } from '../../platform/http/scope.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import { providerKeyOf } from '../../platform/secrets/secret-box.ts'
import { makeId } from '../../platform/values/ids.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import { type Provider, ProviderError, type Write } from '../port.ts'
import * as store from './operations.store.ts'

export type Operation = store.Operation

// Statements for use by other folders.
export const { findOpenRequest, handToResume, isCallUnderWay, isOperationOpen, listLostCreations, readAgeMs } = store

/**
 * The delay before an unknown outcome is retried. Including the call, it is settled within a minute after the provider
 * is available again.
 */
const repeatDelayMs = (attempts: number): number => Math.min(1_000 * 2 ** (attempts - 1), 30_000)

/**
 * The delay before an outcome is read again after an unreadable response to the write or the read, which a person has
 * to fix. Up to an hour, so an operation is read about 35 times before it fails.
 */
const rereadDelayMs = (attempts: number): number => Math.min(1_000 * 2 ** (attempts - 1), 3_600_000)

/** Dependencies of a write at the provider. */
export type Writes = Core & { provider: Pick<Provider, 'traits'> }

const dayMs = 24 * 3_600_000

/** How long an outcome is read before the operation fails: after the key expires, a retry would be a new request. */
const readForMs = ({ provider }: Writes): number => provider.traits.keyLifeMs ?? dayMs

const deadlineMs = ({ config }: Core, { kind }: Pick<Operation, 'kind'>): number =>
  kind === 'customer.create' ? config.providerCustomerTimeoutMs : config.providerTimeoutMs

/** The lease of an operation in the resume loop, which reads the outcome of a customer's creation but creates none. */
export const resumeLeaseMs = ({ config }: Core): number => config.providerTimeoutMs + 20_000

/**
 * A request that timed out may still complete at the provider. Wait two deadlines before treating "not found" as "never
 * arrived".
 */
export async function mayStillArrive(deps: Core, query: Query, operation: Operation): Promise<boolean> {
  return (await store.readSentAgeMs(query, operation)) < 2 * deadlineMs(deps, operation)
}

export type Intent = Pick<Operation, 'businessId' | 'kind' | 'subjectId'> & {
  /** Under each deployment secret, newest first. */
  fingerprints?: readonly Buffer[]
  /**
   * The body for a retry. Absent if the row of the subject holds it, or for identity data, which only the caller can
   * send again.
   */
  request?: JsonObject
  /**
   * For a subject with only one operation of this kind: derives the same key even after the database has lost the
   * operation.
   */
  keyedBySubject?: true
}

/**
 * @returns whether the original request makes this call. The resume loop and a retry take the operation over, which
 * raises `attempts`, also after `handToResume`
 */
export const isFirstCallByRequest = ({ attempts }: Operation): boolean => attempts === 1

export type BeginResult = { operation: Operation; resumed: boolean } | 'in_progress' | 'other_request'

/**
 * Commits the intent, or takes over an earlier operation of the same kind and subject with an unknown outcome.
 * @returns `other_request` if the earlier operation sent another request, so that its key cannot be reused
 */
export async function beginOperation(deps: Core, tx: Tx, intent: Intent): Promise<BeginResult> {
  const { businessId, kind, subjectId, fingerprints, request = null, keyedBySubject } = intent
  const id = makeId('operation', deps.randomBytes(16))
  // Longer than this provider call and its settling may take: after the lease, the holder is gone.
  const leaseMs = deadlineMs(deps, intent) + 20_000
  const fingerprint = fingerprints?.[0] ?? null
  const provider = providerOf(deps.config)
  const own = {
    businessId,
    id,
    kind,
    subjectId,
    provider,
    providerKey: providerKeyOf(keyedBySubject ? `${kind} ${subjectId}` : id),
    fingerprint,
    request,
    leaseMs,
  }
  const fresh = await store.insertOperation(tx, own)
  if (fresh) return { operation: fresh, resumed: false }
  const open = await store.lockOpenOperation(tx, businessId, kind, subjectId)
  if (!open) return 'in_progress' // the operation ended between the two statements; the caller's retry starts a new one
  const sentBefore = open.fingerprint
  if (fingerprints && sentBefore && !fingerprints.some((one) => sentBefore.equals(one))) {
    return open.state === 'unknown' ? 'other_request' : 'in_progress'
  }
  const taken = await store.takeOverOperation(tx, open, leaseMs)
  return taken ? { operation: taken, resumed: true } : 'in_progress'
}

export type Rejection = (error: ProviderError) => ApiError

/** The steps of a kind of operation around its call, in order. */
type Steps<Answer, Subject, Result> = {
  /** Calls the provider, with no transaction open. */
  call: (write: Write) => Promise<Answer>
  /** Locks the subject, which comes before the operation in the order of platform/postgres/lock-order.ts. */
  lock: (tx: Tx) => Promise<Subject>
  /** Writes the effects of the response, and returns the caller's result. */
  settle: (tx: Tx, answer: Answer, subject: Subject) => Promise<Result>
  /** Reverts the writes before the call: nothing happened at the provider. */
  undo?: (tx: Tx, errorCode: string) => Promise<void>
  /** Creates the caller's error if the provider refuses. */
  rejection: Rejection
  /**
   * Reads the outcome of an operation that was carried out with an unreadable response. Omitted for a change without a
   * key at the provider, which a caller may send again.
   * @param objectId named by that response
   * @returns undefined while the provider does not show the outcome
   */
  read?: (objectId: string | null) => Promise<Answer | undefined>
  /**
   * Only the caller has the data to send. Once a read shows that nothing was created, the caller's retry is sent under
   * the same key, so the provider creates no duplicate.
   */
  repeatsUnseen?: true
  /** @returns whether the outcome cannot be read: then an unreadable response ends the operation */
  endsUnread?: (objectId: string | null) => boolean
  /**
   * @returns the ID of an object that the provider has created but not finished: the operation stays open until it has
   */
  unfinished?: (answer: Answer) => string | null
  /** Names the object in the error for an unreadable response. */
  unreadableDetails?: ErrorDetail[]
}

/**
 * Makes the call and settles its outcome. All writes of `settle` are committed with the outcome, and with the stored
 * response to the caller's Idempotency-Key: the result, or a refusal.
 * @param held the key of the request that waits for the outcome; null if no caller waits
 * @throws ApiError: `provider_unavailable`, `provider_timeout`, `provider_response_unreadable`, or the error that
 * `rejection` creates
 */
export async function performOperation<Answer, Subject, Result>(
  deps: Writes,
  held: HeldKey | null,
  operation: Operation,
  steps: Steps<Answer, Subject, Result>,
): Promise<Result> {
  const answer = await outcomeOf(deps, operation, steps).catch(async (error: unknown) => {
    throw error instanceof ProviderError ? await settleFailure(deps, held, operation, error, steps) : error
  })
  return await answeringTransaction(deps, held, async (tx) => {
    const subject = await steps.lock(tx)
    const isHeld = await settleAnswer(tx, operation, steps.unfinished?.(answer) ?? null)
    // The new holder retries the operation with the same key and settles it; the caller reads the outcome there.
    if (!isHeld) throw fail('provider_timeout', { retryAfterSeconds: 5 })
    return await steps.settle(tx, answer, subject)
  })
}

/**
 * Carries the operation out. Instead reads the outcome if the provider's response could not be read, or if the provider
 * would carry a retry out once more.
 */
async function outcomeOf<Answer, Subject, Result>(
  deps: Writes,
  operation: Operation,
  steps: Steps<Answer, Subject, Result>,
): Promise<Answer> {
  const write = { key: operation.providerKey }
  const isReadFirst = !isFirstCallByRequest(operation) && deps.provider.traits.repeats[operation.kind] === 'read_first'
  if (!steps.read || (!operation.mustBeRead && !isReadFirst)) return await steps.call(write)
  const again = () => callAgain(deps, operation, () => steps.call(write))
  if (!operation.mustBeRead) return (await steps.read(operation.providerObjectId).catch(unsettled)) ?? (await again())
  const answer = await steps.read(operation.providerObjectId)
  if (answer === undefined && steps.repeatsUnseen) {
    if (isReadFirst) return await again()
    if (!(await deps.db.read((query) => mayStillArrive(deps, query, operation)))) return await steps.call(write)
  }
  if (answer === undefined) throw new ProviderError('unreadable', { code: 'never_seen' })
  if ((steps.unfinished?.(answer) ?? null) !== null) throw new ProviderError('unreadable', { code: 'not_activated' })
  return answer
}

/** A refused read does not show that the write was refused. */
function unsettled(error: unknown): never {
  throw error instanceof ProviderError && isRefusal(error) ? new ProviderError('unavailable', { cause: error }) : error
}

/**
 * Makes the call once more, after a read showed nothing. @throws ProviderError while the last request may still arrive
 */
async function callAgain<Answer>(deps: Core, operation: Operation, call: () => Promise<Answer>): Promise<Answer> {
  const isFree = await deps.db.transaction(
    async (tx) => !(await mayStillArrive(deps, tx, operation)) && (await store.claimRepeat(tx, operation)),
  )
  if (!isFree) throw new ProviderError('timeout')
  return await call()
}

/**
 * Completes the operation; or leaves it open, to be read until the provider has finished this object. @returns like
 * `completeOperation`
 */
async function settleAnswer(tx: Tx, operation: Operation, objectId: string | null): Promise<boolean> {
  if (objectId === null) return await completeOperation(tx, operation)
  const retryInMs = rereadDelayMs(operation.attempts)
  const outcome = { state: 'unknown', errorCode: 'not_activated', retryInMs, carriedOut: { objectId } } as const
  return await store.settleOperation(tx, operation, outcome)
}

/** The code of an operation, and of its object, that failed because its outcome could not be read. */
export const unreadableCode = 'provider_response_unreadable'

type FailureStep = 'lock' | 'undo' | 'rejection' | 'endsUnread' | 'unreadableDetails'

/** Settles the operation after a failed call. @returns the error for the caller */
async function settleFailure(
  deps: Writes,
  held: HeldKey | null,
  operation: Operation,
  error: ProviderError,
  { lock, undo, rejection, endsUnread, unreadableDetails }: Pick<Steps<never, unknown, unknown>, FailureStep>,
): Promise<ApiError> {
  const { id, kind, attempts } = operation
  const { carriedOut } = error
  const isUnreadable = error.kind === 'unreadable'
  const answer = isRefusal(error) ? rejection(error) : providerFailure(error, unreadableDetails)
  const objectId = operation.providerObjectId ?? carriedOut?.objectId ?? null
  const wasCarriedOut = operation.mustBeRead || carriedOut !== null
  const isGivenUp =
    isUnreadable &&
    ((wasCarriedOut && endsUnread?.(objectId) === true) ||
      // A creation without any response is retried until its key expires, and then read for as long.
      (await deps.db.read((query) => readAgeMs(query, operation))) >
        (wasCarriedOut ? readForMs(deps) : 2 * readForMs(deps)))
  // The failure of a retry does not show the outcome of the first try: once unknown, only a response settles the
  // operation.
  const isOpen = error.outcomeUnknown || (attempts > 1 && !isRefusal(error))
  const errorCode = error.code ?? (isUnreadable ? unreadableCode : error.kind)
  const facts = { operation: id, kind, failure: error.kind, status: error.status, code: error.code }
  if (isGivenUp)
    deps.log.error({ ...facts, providerObject: objectId }, 'provider operation abandoned, outcome unreadable')
  else deps.log.warn(facts, 'provider call failed')
  await deps.db.transaction(async (tx) => {
    if (isOpen && !isGivenUp) {
      const retryInMs = isUnreadable ? rereadDelayMs(attempts) : repeatDelayMs(attempts)
      await store.settleOperation(tx, operation, { state: 'unknown', errorCode, retryInMs, carriedOut })
      return
    }
    await lock(tx)
    if (!(await store.settleOperation(tx, operation, { state: 'failed', errorCode, carriedOut }))) return
    await undo?.(tx, errorCode)
    storeRefusal(deps, held, tx, answer)
  })
  deps.wake('resume')
  return answer
}

/** Settles an operation as done. @returns false if another holder has taken the operation over */
export async function completeOperation(tx: Tx, operation: Operation): Promise<boolean> {
  return await store.settleOperation(tx, operation, { state: 'done' })
}

/**
 * Takes over an operation with an unknown outcome that sent another request, and settles it from what was read.
 * @param hasArrived whether the provider shows that the operation was carried out
 * @returns false if the operation may still be carried out
 */
export async function supersedeOperation(
  deps: Core,
  tx: Tx,
  intent: Omit<Intent, 'fingerprints'>,
  hasArrived: (operation: Operation) => boolean,
): Promise<boolean> {
  const begun = await beginOperation(deps, tx, intent)
  if (typeof begun === 'string') return false
  const { operation, resumed } = begun
  if (hasArrived(operation)) return await completeOperation(tx, operation)
  if (resumed && (await mayStillArrive(deps, tx, operation))) return false
  return await store.settleOperation(tx, operation, { state: 'failed', errorCode: 'superseded' })
}

/**
 * Settles an operation that cannot be repeated because its request is not stored. If the object exists, completes it.
 * Otherwise fails it once the key has expired (24 h), and leaves it open until then.
 */
export async function settleByReading(deps: Writes, tx: Tx, operation: Operation, hasArrived: boolean): Promise<void> {
  if (hasArrived) await completeOperation(tx, operation)
  else {
    const delayMs = operation.mustBeRead ? rereadDelayMs : repeatDelayMs
    await postpone(deps, tx, operation, { errorCode: 'not_seen_yet', retryInMs: delayMs(operation.attempts) })
  }
}

async function postpone(
  deps: Writes,
  tx: Tx,
  operation: Operation,
  wait: { errorCode: string; retryInMs: number },
): Promise<void> {
  const isOver =
    (await store.readAgeMs(tx, operation)) > readForMs(deps) && !(await mayStillArrive(deps, tx, operation))
  await store.settleOperation(
    tx,
    operation,
    isOver ? { state: 'failed', errorCode: 'never_seen' } : { state: 'unknown', ...wait },
  )
}

/**
 * Reads for `settleByReading`. An unreadable response postpones the operation with growing delays.
 * @throws ApiError like `readProvider`
 */
export async function readForSettling<T>(deps: Writes, operation: Operation, read: () => Promise<T>): Promise<T> {
  return await readProvider(read).catch(async (error: unknown) => {
    const wait = { errorCode: unreadableCode, retryInMs: rereadDelayMs(operation.attempts) }
    if (isUnreadable(error)) await deps.db.transaction((tx) => postpone(deps, tx, operation, wait))
    throw error
  })
}

/** The provider understood and refuses, now and on a retry: the object may have been deleted there. */
function isRefusal(error: ProviderError): boolean {
  return error.kind === 'rejected' || error.kind === 'not_found'
}

/** @returns the caller's error for a provider failure other than a refusal, of a read or a write */
export function providerFailure(error: unknown, details?: ErrorDetail[]): ApiError {
  if (!(error instanceof ProviderError)) throw error
  if (error.kind === 'unreadable') return fail(unreadableCode, { cause: error, ...(details && { details }) })
  if (error.kind === 'timeout') return fail('provider_timeout', { cause: error, retryAfterSeconds: 5 })
  return fail('provider_unavailable', { cause: error, retryAfterSeconds: error.retryAfterSeconds ?? 5 })
}

/**
 * Reads at the provider.
 * @param rejection creates the error for an object that the provider no longer has; omitted: a failure
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function readProvider<T>(read: () => Promise<T>, rejection?: Rejection): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (rejection && error instanceof ProviderError && isRefusal(error)) throw rejection(error)
    throw providerFailure(error)
  }
}

/**
 * @returns null for an object that the provider does not have: an event may name anything, and a customer may be
 * deleted there
 */
export async function readIfPresent<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ProviderError && isRefusal(error)) return null
    throw error
  }
}

/**
 * @returns whether the database or the provider is unavailable or refuses us now. A provider that returns "not found",
 * or an unreadable response, is available
 */
export function isOutage(error: unknown): boolean {
  const cause = causeOf(error)
  if (cause instanceof ProviderError) return !isRefusal(cause) && cause.kind !== 'unreadable'
  return cause instanceof ApiError && cause.status >= 503
}

/** @returns whether the provider responded with success, but its response cannot be read */
export function isUnreadable(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof ProviderError && cause.kind === 'unreadable'
}

const causeOf = (error: unknown): unknown =>
  error instanceof ApiError && error.cause instanceof ProviderError ? error.cause : error
