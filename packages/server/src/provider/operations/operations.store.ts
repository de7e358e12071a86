// Writes at the provider: the intent and the provider key are committed before the call, the outcome after it.

import { only } from '../../platform/postgres/database.ts'
import { endedSql, leaseEndSql } from '../../platform/postgres/leases.ts'
import { willLock } from '../../platform/postgres/lock-order.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { WriteKind } from '../port.ts'

export type Operation = {
  businessId: string
  id: string
  kind: WriteKind
  subjectId: string
  providerKey: string
  fingerprint: Buffer | null
  /** The body for a retry; null if the row of the subject holds it, and for identity data, which is not stored. */
  request: JsonObject | null
  state: 'running' | 'unknown' | 'done' | 'failed'
  errorCode: string | null
  attempts: number
  /**
   * The provider has carried the operation out, but its response cannot be read or shows an object that is not active
   * yet.
   */
  mustBeRead: boolean
  /** The ID of the object in that response. */
  providerObjectId: string | null
  leaseUntil: Date
  createdAt: Date
  updatedAt: Date
}

/** @returns undefined if an operation of this kind is already open for this subject */
export async function insertOperation(
  tx: Tx,
  operation: Pick<Operation, 'businessId' | 'id' | 'kind' | 'subjectId' | 'providerKey' | 'fingerprint' | 'request'> & {
    provider: string
    leaseMs: number
  },
): Promise<Operation | undefined> {
  willLock(tx, 'operation')
  const rows = await tx<Operation[]>`
    insert into operations (business_id, id, kind, subject_id, provider, provider_key, fingerprint, request, lease_until)
    values (${operation.businessId}, ${operation.id}, ${operation.kind}, ${operation.subjectId}, ${operation.provider},
      ${operation.providerKey}, ${operation.fingerprint}, ${operation.request === null ? null : tx.json(operation.request)},
      ${leaseEndSql(tx, operation.leaseMs)})
    on conflict (business_id, kind, subject_id) where state in ('running', 'unknown') do nothing
    returning *`
  return rows[0]
}

export async function lockOpenOperation(tx: Tx, businessId: string, kind: WriteKind, subjectId: string) {
  const rows = await tx<Operation[]>`
    select * from operations
    where business_id = ${businessId} and kind = ${kind} and subject_id = ${subjectId} and state in ('running', 'unknown')
    for update`
  return rows[0]
}

/** @returns whether any operation about this subject, except of kind `except`, has an open outcome */
export async function isOperationOpen(
  query: Query,
  { businessId, subjectId }: Pick<Operation, 'businessId' | 'subjectId'>,
  except: WriteKind | '' = '',
): Promise<boolean> {
  const rows = await query`
    select 1 from operations
    where business_id = ${businessId} and subject_id = ${subjectId} and state in ('running', 'unknown') and kind <> ${except}
    limit 1`
  return rows.length > 0
}

/** @returns the stored request of an open operation; null if none of this kind is open */
export async function findOpenRequest(
  query: Query,
  { businessId, kind, subjectId }: Pick<Operation, 'businessId' | 'kind' | 'subjectId'>,
): Promise<JsonObject | null> {
  const rows = await query<Pick<Operation, 'request'>[]>`
    select request from operations
    where business_id = ${businessId} and kind = ${kind} and subject_id = ${subjectId} and state in ('running', 'unknown')`
  return rows[0]?.request ?? null
}

/**
 * @returns whether a call about this subject is in progress; an operation with an unknown outcome may be taken over
 * instead
 */
export async function isCallUnderWay(query: Query, businessId: string, subjectId: string): Promise<boolean> {
  const rows = await query`
    select 1 from operations
    where business_id = ${businessId} and subject_id = ${subjectId} and state = 'running' and lease_until > now() limit 1`
  return rows.length > 0
}

/** Takes an open operation over: at once if its outcome is unknown, else when its holder's lease has expired. */
export async function takeOverOperation(tx: Tx, operation: Operation, leaseMs: number): Promise<Operation | undefined> {
  const rows = await tx<Operation[]>`
    update operations set state = 'running', attempts = attempts + 1, updated_at = now(),
      lease_until = ${leaseEndSql(tx, leaseMs)}
    where business_id = ${operation.businessId} and id = ${operation.id} and (state = 'unknown' or (state = 'running' and lease_until <= now()))
    returning *`
  return rows[0]
}

/** Claims open operations past their lease, for the resume loop. Crosses businesses. */
export async function claimAbandonedOperations(tx: Tx, claim: { limit: number; leaseMs: number }) {
  return await tx<Operation[]>`
    update operations o set state = 'running', attempts = attempts + 1, updated_at = now(),
      lease_until = ${leaseEndSql(tx, claim.leaseMs)}
    from (
      select business_id, id from operations
      where state in ('running', 'unknown') and lease_until <= now()
      order by lease_until limit ${claim.limit} for update skip locked
    ) due
    where o.business_id = due.business_id and o.id = due.id
    returning o.*`
}

/**
 * Lists the creations of an end-user's customer that may have arrived, including failed ones.
 * @param freshId an operation in its first attempt, which has lost no response yet
 */
export async function listLostCreations(
  query: Query,
  user: { businessId: string; id: string },
  freshId: string | null,
): Promise<Operation[]> {
  return await query<Operation[]>`
    select * from operations
    where business_id = ${user.businessId} and subject_id = ${user.id} and kind = 'customer.create'
      and (state in ('running', 'unknown') or error_code in ('superseded', 'never_seen')) and id is distinct from ${freshId}`
}

export type CarriedOut = { objectId: string | null }

/** @returns false if another holder has taken the operation over: then nothing is settled */
export async function settleOperation(
  tx: Tx,
  operation: Pick<Operation, 'businessId' | 'id' | 'attempts'>,
  outcome:
    | { state: 'done' | 'failed'; errorCode?: string; carriedOut?: CarriedOut | null }
    | { state: 'unknown'; errorCode: string; retryInMs: number; carriedOut?: CarriedOut | null },
): Promise<boolean> {
  willLock(tx, 'operation')
  // `attempts` is the fencing token: taking the operation over raises it, so an old holder settles nothing.
  const { carriedOut = null } = outcome
  const rows = await tx`
    update operations set must_be_read = must_be_read or ${carriedOut !== null},
      provider_object_id = coalesce(provider_object_id, ${carriedOut?.objectId ?? null}),
      state = ${outcome.state}, error_code = ${outcome.errorCode ?? null}, updated_at = now(),
      request = case when ${outcome.state}::text = 'unknown' then request else request #- '{destination,travelRuleData}' end,
      lease_until = ${outcome.state === 'unknown' ? leaseEndSql(tx, outcome.retryInMs) : endedSql(tx)}
    where business_id = ${operation.businessId} and id = ${operation.id} and attempts = ${operation.attempts} and state = 'running'
    returning id`
  return rows.length === 1
}

/** @returns the milliseconds since the operation was stored, by the database's clock, which also dated it */
export async function readAgeMs(query: Query, { businessId, id }: Operation): Promise<number> {
  const { ms } = only(
    await query<{ ms: number }[]>`
      select (extract(epoch from now() - created_at) * 1000)::float8 as ms from operations
      where business_id = ${businessId} and id = ${id}`,
  )
  return ms
}

/** @returns the milliseconds since the write was last sent, if each retry was claimed */
export async function readSentAgeMs(query: Query, { businessId, id }: Operation): Promise<number> {
  const { ms } = only(
    await query<{ ms: number }[]>`
      select (extract(epoch from now() - coalesce(repeated_at, created_at)) * 1000)::float8 as ms from operations
      where business_id = ${businessId} and id = ${id}`,
  )
  return ms
}

/**
 * Records that the write is sent again now, if a retry must not overtake the earlier request.
 * @returns false if another holder has taken the operation over
 */
export async function claimRepeat(tx: Tx, { businessId, id, attempts }: Operation): Promise<boolean> {
  willLock(tx, 'operation')
  const rows = await tx`
    update operations set repeated_at = now()
    where business_id = ${businessId} and id = ${id} and attempts = ${attempts} and state = 'running'
    returning id`
  return rows.length === 1
}

/** @returns milliseconds until the next open operation may be taken over; null if none is open */
export async function nextOperationDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(lease_until) - now()) * 1000)::float8 as ms from operations where state in ('running', 'unknown')`
  return rows[0]?.ms ?? null
}

/** Leaves a fresh operation to the resume loop, for which the operation is due at once. */
export async function handToResume(tx: Tx, { businessId, id }: Operation): Promise<void> {
  await tx`update operations set state = 'unknown', lease_until = ${endedSql(tx)} where business_id = ${businessId} and id = ${id}`
  await wakeOnCommit(tx, 'resume')
}
