// The stored rows of events, the webhook endpoints that want them, and the attempts to deliver them.

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

/** The id is the sequence number as text. Sequence numbers have no gaps, so the next event is found by counting. */
export type ProviderEvent = { id: string; envelope: Envelope }

export type Webhook = {
  id: string
  url: string
  status: 'active' | 'disabled'
  publicKey: string
  privateKey: string
  /** The categories chosen, each choice valid from a sequence number on. An empty list means all categories. */
  filters: { fromSequence: number; categories: EventCategory[] }[]
}

/** How far the delivery to one endpoint has come. */
export type Lane = {
  id: string
  /** Sequence number of the last event delivered or skipped. */
  cursor: number
  /** Failed attempts at the event after the cursor. */
  failures: number
  /** No attempt is made before this time (unix milliseconds of the machine). */
  notBefore: number
  /** All retries failed: delivery resumes after a manual send succeeds. */
  stopped: boolean
}

/** One HTTP request to an endpoint and its outcome, as the wire shows it. */
export type Attempt = {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  event_sequence: number
  manual: boolean
  /** 0 without a response. */
  status: number
  response_body: string
  error: string | null
  duration_ms: number
  created_at: string
}
