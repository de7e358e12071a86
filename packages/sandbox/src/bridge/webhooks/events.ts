// The provider's events: one envelope per change of an object, numbered in the order of the changes.
import { isDeepStrictEqual } from 'node:util'
import { randomBase58 } from '../../platform/ids.ts'
import { timestamp, type World } from '../state/world.ts'
import type { Envelope, EventCategory, ProviderEvent, Resource } from './rows.ts'

/** The statuses that an envelope may name. Other statuses, such as `paused`, are only in `event_object`. */
const envelopeStatuses = new Set(
  `not_started incomplete active rejected under_review manual_review awaiting_ubo approved awaiting_funds funds_received
   payment_submitted payment_processed in_review canceled error returned refunded undeliverable`.split(/\s+/),
)

type Change = {
  category: EventCategory
  mutation: 'created' | 'updated' | 'updated.status_transitioned' | 'deleted'
  object: Resource
  status?: string
  before?: Resource
}

/** Stores one event and wakes the delivery. */
export const emitEvent = (world: World, change: Change): ProviderEvent => {
  const { events, identity } = world.state
  const sequence = world.state.nextEventSequence()
  const event = events.put({
    id: String(sequence),
    envelope: {
      api_version: 'v0',
      event_id: `wh_${randomBase58(22)}`,
      event_developer_id: identity.developerId,
      event_sequence: sequence,
      event_category: change.category,
      event_type: `${change.category}.${change.mutation}`,
      event_object_id: change.object.id,
      event_object_status: change.status !== undefined && envelopeStatuses.has(change.status) ? change.status : null,
      event_object: change.object,
      event_object_changes: change.before ? changesBetween(change.before, change.object) : {},
      event_created_at: timestamp(world),
    },
  })
  world.wakeDelivery()
  return event
}

const changesBetween = (before: Resource, after: Resource): Envelope['event_object_changes'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, [before[field] ?? null, after[field] ?? null]]),
  )
