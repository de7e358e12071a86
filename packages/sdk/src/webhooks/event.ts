// A webhook's body as a union that a switch over `type` narrows.

import { type EventData, eventTypes } from '../generated/events.gen.ts'

/** An event of Causeway. `data` is the object at the time of the event. */
export type KnownEvent = {
  [Type in keyof EventData]: {
    readonly type: Type
    /** `event_type` on the wire. */
    readonly name: Type
    /** The same for every endpoint and attempt. */
    readonly id: string
    /** ISO 8601, UTC. */
    readonly createdAt: string
    readonly data: EventData[Type]
  }
}[keyof EventData]

/** A forwarded event of the provider, or a Causeway event that is newer than this package. */
export interface OtherEvent {
  readonly type: 'other'
  /** `event_type` on the wire, such as `customer.updated.status_transitioned`. */
  readonly name: string
  readonly id: string
  readonly createdAt: string | null
  /** The whole body. */
  readonly data: Readonly<Record<string, unknown>>
}

export type WebhookEvent = KnownEvent | OtherEvent

const known: ReadonlySet<unknown> = new Set(eventTypes)

/** Types a body: of a webhook, or the `payload` of a listed or polled event. */
export function eventOf(body: Readonly<Record<string, unknown>>): WebhookEvent {
  const { event_id: id, event_type: name, created_at: createdAt, api_version: version, data } = body
  const isOurs = version === 'v0' && known.has(name)
  const common = { id: String(id ?? ''), name: String(name ?? ''), createdAt: createdAt ?? null }
  return (isOurs ? { ...common, type: name, data } : { ...common, type: 'other', data: body }) as WebhookEvent
}
