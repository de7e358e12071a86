// Events of our own: written in the transaction of the change they report, in the envelope that provider events use.

import { makeId } from '../domain/ids.ts'
import type { JsonObject } from '../domain/json.ts'
import { isoTime } from '../domain/time.ts'
import type { Tx } from '../store/db.ts'
import { fanOut } from '../store/deliveries.ts'
import { type EventOwner, insertEvent } from '../store/events.ts'
import type { Deps } from './deps.ts'

export const ownEventTypes = [
  'end_user.created',
  'end_user.tos.accepted',
  'end_user.kyc.updated',
  'virtual_account.created',
  'virtual_account.updated',
  'virtual_account.deactivated',
  'virtual_account.reactivated',
  'virtual_account.failed',
  'virtual_account.deposit.updated',
  'virtual_account.payment.received',
  'webhook_endpoint.disabled',
  'api_key.rolled',
] as const

export type OwnEventType = (typeof ownEventTypes)[number]

/** @param data the object the event is about, as the API shows it */
export async function appendOwnEvent(
  deps: Deps,
  tx: Tx,
  type: OwnEventType,
  owner: EventOwner,
  data: JsonObject,
): Promise<void> {
  const id = makeId('event', deps.randomBytes(16))
  const envelope = { event_id: id, event_type: type, created_at: isoTime(deps.now()), api_version: 'v0', data }
  const event = await insertEvent(tx, {
    id,
    providerEventId: null,
    trust: 'own',
    type,
    body: Buffer.from(JSON.stringify(envelope)),
    providerRefs: [],
    applyState: 'applied',
    owner,
  })
  if (event) await fanOut(tx, event)
}
