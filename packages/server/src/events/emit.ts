// Business events: stored in the transaction of the change that they report, in the envelope of provider events, and handed
// to the send loop of this process after the commit. Also wakes provider events that waited for other subjects.

import type { Core } from '../platform/core.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeEventId } from '../platform/values/ids.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import type { BusinessEventType, StreamEventType } from './catalogue.rules.ts'
import { nobody } from './fan-out.sql.ts'
import { storedDelivery } from './local-relay.ts'
import * as store from './store.ts'
import * as work from './work.store.ts'

/**
 * Stores an event with its deliveries, in the transaction of the change that it reports.
 * @param data the object of the event, as the API shows it
 * @param tested makes the event a test for this endpoint only, regardless of its event types
 * @returns the event's ID
 */
export async function emit(
  deps: Core,
  tx: Tx,
  type: BusinessEventType,
  owner: store.EventOwner,
  data: JsonObject,
  tested: string | null = null,
): Promise<string> {
  return await storeEvent(deps, tx, { type, owner, data }, tested)
}

/** Stores an event that readers of the stream see, and no endpoint receives. */
export async function emitToStream(
  deps: Core,
  tx: Tx,
  type: StreamEventType,
  owner: store.EventOwner,
  data: JsonObject,
): Promise<void> {
  await storeEvent(deps, tx, { type, owner, data }, nobody)
}

type OwnEvent = { type: BusinessEventType | StreamEventType; owner: store.EventOwner; data: JsonObject }

async function storeEvent(
  deps: Core,
  tx: Tx,
  { type, owner, data }: OwnEvent,
  target: string | typeof nobody | null,
): Promise<string> {
  const nowMs = deps.now()
  const id = makeEventId(nowMs, deps.randomBytes(10))
  const mark = typeof target === 'string' ? { test: true } : {}
  const envelope = { event_id: id, event_type: type, created_at: isoTime(nowMs), api_version: 'v0', ...mark, data }
  const body = Buffer.from(JSON.stringify(envelope))
  const { businessId, externalUserId } = owner
  const known = { businessId, externalUserId, eventType: type, body, isVerified: true }
  const { localRelay } = deps
  store.insertBusinessEvent(tx, { id, type, body, owner }, target, localRelay.receiver, (rows) =>
    localRelay.handOver(rows.map((row) => storedDelivery(row, known))),
  )
  return id
}

// Statements that other subjects may run; the first for a transaction that locks lanes and then emits an event: streams are
// locked before lanes.
export const { lockStream: prepareToEmit } = store
export const { makeWaitingEventsDue } = work
