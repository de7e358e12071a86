// The provider's events: one envelope per change of an object, numbered in the order in which the changes were made.
import { isDeepStrictEqual } from 'node:util'
import { newEventId } from './ids.ts'
import { timestamp, type World } from './world.ts'

export const eventCategories = [
  'customer',
  'kyc_link',
  'liquidation_address.drain',
  'static_memo.activity',
  'transfer',
  'virtual_account.activity',
  'bridge_wallet.activity',
  'card_account',
  'card_transaction',
  'card_withdrawal',
  'posted_card_account_transaction',
  'external_account',
  'rfi',
] as const

export type EventCategory = (typeof eventCategories)[number]

export type Mutation = 'created' | 'updated' | 'updated.status_transitioned' | 'deleted'

/** A resource as the wire shows it. */
export type Resource = { id: string } & Record<string, unknown>

export type Envelope = {
  api_version: 'v0'
  event_id: string
  event_developer_id: string
  event_sequence: number
  event_category: EventCategory
  event_type: string
  event_object_id: string
  event_object_status: string | null
  event_object: Resource
  event_object_changes: Record<string, [old: unknown, now: unknown]>
  event_created_at: string
}

/** Kept under its sequence number, which has no gaps: the next event of an endpoint is found by counting. */
export type ProviderEvent = { id: string; envelope: Envelope }

/** The statuses an envelope may name. A resource's other statuses (e.g. `paused`) stand in `event_object` alone. */
const envelopeStatuses = new Set(
  `not_started incomplete active rejected under_review manual_review awaiting_ubo approved awaiting_funds funds_received
   payment_submitted payment_processed in_review canceled error returned refunded undeliverable`.split(/\s+/),
)

type Change = { category: EventCategory; mutation: Mutation; object: Resource; status?: string; before?: Resource }

/** Records one event and wakes the delivery. */
export const recordEvent = (world: World, change: Change): ProviderEvent => {
  const { events, identity } = world.state
  const sequence = world.state.nextEventSequence()
  const event = events.put({
    id: String(sequence),
    envelope: {
      api_version: 'v0',
      event_id: newEventId(),
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

export const eventById = (world: World, eventId: string): ProviderEvent | undefined =>
  world.state.events.all().find(({ envelope }) => envelope.event_id === eventId)

const changesBetween = (before: Resource, after: Resource): Envelope['event_object_changes'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, [before[field] ?? null, after[field] ?? null]]),
  )
