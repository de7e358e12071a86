// Events of the provider: stored before they are acknowledged, given to their owner, forwarded, applied to our state.

import { makeId } from '../domain/ids.ts'
import { isJsonObject, type JsonObject } from '../domain/json.ts'
import { ApiError, fail } from '../errors.ts'
import { ProviderError, type ProviderEvent } from '../provider/port.ts'
import type { Tx } from '../store/db.ts'
import { fanOut } from '../store/deliveries.ts'
import { getEndUser } from '../store/end-users.ts'
import * as store from '../store/events.ts'
import { findAccountOfProvider } from '../store/virtual-accounts.ts'
import { hasEndpoints } from '../store/webhook-endpoints.ts'
import { takeInActivity } from './deposits.ts'
import type { Deps } from './deps.ts'
import { refreshEndUser } from './kyc-verdict.ts'

export const acknowledgements = {
  queued: 'Event received and queued for forwarding.',
  duplicate: 'Event received before; nothing was queued again.',
  noEndpoint: 'Event received; no webhook URL is configured for its owner.',
  noOwner: 'Event received; its owner is not known yet. It is forwarded once it is.',
} as const

export type Acknowledgement = { received: true; event_id: string; message: string }

/**
 * Takes in one event. What is acknowledged is committed.
 * @param rawBody the bytes as they came: they are what is signed and what is forwarded
 * @throws ApiError `invalid_json`, `missing_field`, `invalid_type`, `webhook_signature_missing`,
 *   `webhook_signature_invalid`, `webhook_signature_stale`, `database_unavailable`
 */
export async function receiveProviderEvent(
  deps: Deps,
  rawBody: Buffer,
  signature: string | undefined,
): Promise<Acknowledgement> {
  const trust = await trustOf(deps, rawBody, signature)
  const body = parseEvent(rawBody)
  const { event_id: eventId, event_type: type } = body
  const { hints } = deps.provider.readEvent(body.json)
  const outcome = await deps.db.transaction(async (tx) => {
    const owner = (await store.findOwner(tx, hints)) ?? null
    const event = await store.insertEvent(tx, {
      id: makeId('event', deps.randomBytes(16)),
      providerEventId: eventId,
      trust,
      type,
      body: rawBody,
      providerRefs: hints.refs,
      applyState: 'pending',
      owner,
    })
    if (!event) return 'duplicate' as const
    if (!owner) return 'noOwner' as const
    return (await fanOut(tx, event)) > 0 || (await hasEndpoints(tx, owner.businessId))
      ? ('queued' as const)
      : ('noEndpoint' as const)
  })
  if (outcome !== 'duplicate') deps.wake('apply')
  if (outcome === 'queued') deps.wake('send')
  return { received: true, event_id: eventId, message: acknowledgements[outcome] }
}

async function trustOf(deps: Deps, rawBody: Buffer, header: string | undefined): Promise<'verified' | 'unverified'> {
  const verdict = await deps.verifyEvent(rawBody, header)
  switch (verdict) {
    case 'verified':
      return 'verified'
    case 'absent':
      if (deps.config.providerWebhookSignature === 'required') throw fail('webhook_signature_missing')
      return 'unverified'
    case 'stale':
      throw fail('webhook_signature_stale')
    default:
      throw fail('webhook_signature_invalid')
  }
}

function parseEvent(rawBody: Buffer): { event_id: string; event_type: string; json: JsonObject } {
  let json: unknown
  try {
    json = JSON.parse(rawBody.toString('utf8'))
  } catch {
    throw fail('invalid_json')
  }
  if (!isJsonObject(json)) throw fail('body_required')
  return { event_id: requiredText(json, 'event_id'), event_type: requiredText(json, 'event_type'), json }
}

const eventNameCharsMax = 256

function requiredText(json: JsonObject, name: string): string {
  const value = json[name]
  if (value === undefined) throw fieldFault('missing_field', name, `${name} is required.`)
  if (typeof value !== 'string') throw fieldFault('invalid_type', name, `${name} must be a string.`)
  if (value.length === 0 || value.length > eventNameCharsMax || value.includes('\0')) {
    throw fieldFault('invalid_length', name, `${name} must have 1 to ${eventNameCharsMax} characters.`)
  }
  return value
}

function fieldFault(
  code: 'missing_field' | 'invalid_type' | 'invalid_length',
  param: string,
  message: string,
): ApiError {
  return fail(code, { message, details: [{ param, code, message }] })
}

/** Longest waits between tries, in seconds: an owner that is not known yet, and a provider that does not answer. */
const routeDelaySecondsMax = 3_600
const applyTriesMax = 5

/**
 * Works off the event that is due first: finds its owner, then applies it. One transaction, which holds the event;
 * what the provider must be asked is asked before, by `prepare`, with no transaction open.
 * @returns false when none is due
 */
export async function applyNextEvent(deps: Deps): Promise<boolean> {
  const due = await deps.db.read((query) => store.peekDueEvent(query))
  if (!due) return false
  try {
    const reading = due.businessId === null ? null : await prepare(deps, due)
    await deps.db.transaction((tx) => applyEvent(deps, tx, due.id, reading))
  } catch (error) {
    await postpone(deps, due, error)
  }
  return true
}

/** Reads at the provider what an event hints at. An unverified event changes nothing by its own body. */
async function prepare(deps: Deps, row: store.EventRow): Promise<Reading> {
  const event = readRow(deps, row)
  if (event.category === 'customer' || event.category === 'kyc_link') return await prepareCustomer(deps, row, event)
  if (event.category !== 'virtual_account.activity') return { kind: 'nothing' }
  if (row.trust === 'verified')
    return event.activity ? { kind: 'activities', activities: [event.activity] } : { kind: 'nothing' }
  return await prepareHistory(deps, row)
}

type Reading =
  | { kind: 'nothing' }
  | { kind: 'refreshed' }
  | { kind: 'activities'; activities: readonly NonNullable<ProviderEvent['activity']>[] }

/** Customer events say that something changed; what it is now, the provider's answer says, whatever their order. */
async function prepareCustomer(deps: Deps, row: store.EventRow, event: ProviderEvent): Promise<Reading> {
  const { businessId, endUserId } = row
  if (businessId === null || endUserId === null) return { kind: 'nothing' }
  const user = await deps.db.read((query) => getEndUser(query, businessId, endUserId))
  await refreshEndUser(deps, user, event.customerId)
  return { kind: 'refreshed' }
}

const historyStepsMax = 100

async function prepareHistory(deps: Deps, row: store.EventRow): Promise<Reading> {
  const account = await deps.db.read((query) => findAccountOfProvider(query, row.providerRefs))
  if (!account?.providerCustomerId || !account.providerVirtualAccountId) return { kind: 'nothing' }
  const activities = await deps.provider.listActivity(account.providerCustomerId, account.providerVirtualAccountId, {
    limit: historyStepsMax,
  })
  return { kind: 'activities', activities }
}

async function applyEvent(deps: Deps, tx: Tx, id: string, reading: Reading | null): Promise<void> {
  const row = await store.lockPendingEvent(tx, id)
  if (!row) return // another replica has it
  if (row.businessId === null || reading === null) return await routeEvent(deps, tx, row)
  if (reading.kind === 'activities') {
    const account = await findAccountOfProvider(tx, row.providerRefs)
    if (account) for (const activity of reading.activities) await takeInActivity(deps, tx, account, activity)
  }
  await store.finishEvent(tx, row.id, reading.kind === 'nothing' ? 'ignored' : 'applied')
  deps.wake('send')
}

/** Gives a waiting event to its owner, once there is one; it is applied at the next turn. */
async function routeEvent(deps: Deps, tx: Tx, row: store.EventRow): Promise<void> {
  const owner = await store.findOwner(tx, deps.provider.readEvent(bodyOf(row)).hints)
  if (!owner) {
    const ageSeconds = (deps.now() - row.createdAt.getTime()) / 1000
    const delaySeconds = Math.min(Math.max(ageSeconds, 1), routeDelaySecondsMax)
    await store.postponeEvent(tx, row.id, delaySeconds, { error: 'owner not known yet', counts: false })
    return
  }
  await fanOut(tx, await store.setEventOwner(tx, row.id, owner))
  deps.wake('send')
}

function readRow(deps: Deps, row: store.EventRow): ProviderEvent {
  return deps.provider.readEvent(bodyOf(row))
}

function bodyOf(row: store.EventRow): JsonObject {
  return JSON.parse(row.body.toString('utf8')) as JsonObject // it was a JSON object when it was stored
}

/** A provider that is away costs no try. An event that fails to apply by itself is quarantined, and blocks nobody. */
async function postpone(deps: Deps, row: store.EventRow, error: unknown): Promise<void> {
  const outage = error instanceof ProviderError || (error instanceof ApiError && error.status >= 503)
  const reason = error instanceof Error ? error.name : 'unknown'
  deps.log.warn(
    { event: row.id, type: row.type, outage, err: outage ? undefined : error },
    'an event could not be applied yet',
  )
  await deps.db.transaction(async (tx) => {
    const held = await store.lockPendingEvent(tx, row.id)
    if (!held) return
    if (!outage && held.applyAttempts + 1 >= applyTriesMax)
      return await store.finishEvent(tx, row.id, 'quarantined', reason)
    await store.postponeEvent(tx, row.id, outage ? 5 : 2 ** held.applyAttempts, { error: reason, counts: !outage })
  })
}
