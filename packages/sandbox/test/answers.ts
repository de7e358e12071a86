// The types of responses and events. Every field is typed as present: the tests find out which fields a response has.

export type Requirements = { complete: unknown[]; pending: string[]; missing: unknown; issues: unknown[] }

export type Endorsement = {
  name: string
  status: string
  requirements: Requirements
  additional_requirements: string[]
}

export type Receipt = Record<
  | 'initial_amount'
  | 'developer_fee'
  | 'exchange_fee'
  | 'subtotal_amount'
  | 'gas_fee'
  | 'final_amount'
  | 'exchange_rate',
  string
> & { destination_tx_hash: string; url: string }

export type Resource = {
  id: string
  type: string
  status: string
  email: string
  first_name: string
  last_name: string | null
  client_reference_id: string
  has_accepted_terms_of_service: boolean
  endorsements: Endorsement[]
  associated_persons: { id: string; email: string }[]
  rejection_reasons: { developer_reason: string; reason: string; created_at: string }[]
  created_at: string
  updated_at: string
  url: string
  public_key: string
  event_categories: string[]
  customer_id: string | null
  fee_config: unknown
  kyc_link: string
  kyc_status: string
  tos_link: string
  tos_status: string
  virtual_account_id: string
  developer_fee_percent: string
  source_deposit_instructions: Record<string, string> & { payment_rails: string[] }
  destination: Record<string, string>
  deposit_id: string
  amount: string
  subtotal_amount: string
  developer_fee_amount: string
  exchange_fee_amount: string
  currency: string
  destination_tx_hash: string
  source: Record<string, string>
  receipt: Receipt
  refund: { code: string; reason: string; refunded_at: string }
  state: string
  referent_type: string | null
  referent_id: string | null
  context: Record<string, string>
  requested_items: { content: string }[]
  expected_action_on_expiry: string | null
  deadline: string
  dashboard_url: string
  state_changed_at: string | null
  closed_at: string | null
}

export type Event = {
  api_version: string
  event_id: string
  event_developer_id: string
  event_sequence: number
  event_category: string
  event_type: string
  event_object_id: string
  event_object_status: string | null
  event_object: Resource
  event_object_changes: Record<string, [unknown, unknown]>
  event_created_at: string
}

type Tally = { count: number; ids: string[] }

export type Body = Resource & {
  count: number
  data: Body[]
  code: string
  message: string
  location: string
  name: string
  errors: { code: string }[]
  source: { location: string; key: Record<string, string> }
  existing_kyc_link: Resource
  success: boolean
  signed_agreement_id: string
  cleared: number
  hits: number
  queued: number
  midmarket_rate: string
  buy_rate: string
  sell_rate: string
  alpha3: string
  now: string
  offset_ms: number
  webhook_id: string
  response_body: string
  error: string | null
  manual: boolean
} & Record<
    'customers' | 'kyc_links' | 'virtual_accounts' | 'deposits' | 'webhooks' | 'agreements' | 'pending_tasks',
    Tally
  > &
  Event
