// The stored row of a request for information. The wire adds the link, which needs the current origin.

export const rfiStates = ['on_developer', 'on_bridge', 'closed'] as const
export type RfiState = (typeof rfiStates)[number]

export const actions = ['customer_paused', 'transaction_paused'] as const

export type Rfi = {
  id: string
  state: RfiState
  developer_id: string
  customer_id: string | null
  referent_type: 'transfer' | 'drain' | 'deposit' | 'card_account' | null
  referent_id: string | null
  context: Record<string, string>
  bridge_action_taken: (typeof actions)[number] | null
  expected_action_on_expiry: 'pause_customer' | null
  deadline: string
  requested_items: { content: string }[]
  state_changed_at: string | null
  closed_at: string | null
  created_at: string
}
