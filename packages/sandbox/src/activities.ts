// The history of virtual accounts: each step of a deposit and each change of an account is one activity and one event.
import type { Receipt } from './deposit-amounts.ts'
import { invalidParameters } from './errors.ts'
import { recordEvent } from './events.ts'
import { newId } from './ids.ts'
import { choice, type Page, paginate, type Query, several, single } from './pagination.ts'
import { timestamp, type World } from './world.ts'

const activityTypes = [
  'funds_scheduled',
  'funds_received',
  'payment_submitted',
  'payment_processed',
  'in_review',
  'refund',
  'refund_in_flight',
  'refund_failed',
  'microdeposit',
  'account_update',
  'deactivation',
  'activation',
] as const

export type ActivityType = (typeof activityTypes)[number]

/** Kept exactly as the wire shows it. */
export type Activity = {
  id: string
  type: ActivityType
  customer_id: string
  virtual_account_id: string
  amount: string
  currency: string
  developer_fee_amount: string
  exchange_fee_amount: string
  subtotal_amount: string
  gas_fee: string
  deposit_id?: string
  destination_payment_rail?: string
  destination_tx_hash?: string
  source?: { payment_rail: string } & Record<string, string>
  receipt?: (Receipt & { destination_tx_hash: string; url: string }) | { initial_amount: string; url: string }
  refund?: { code: string; reason: string; refunded_at: string }
  created_at: string
}

export const recordActivity = (world: World, activity: Omit<Activity, 'id' | 'created_at'>): Activity => {
  const recorded = world.state.activities.put({ id: newId(), ...activity, created_at: timestamp(world) })
  recordEvent(world, { category: 'virtual_account.activity', mutation: 'created', object: recorded })
  return recorded
}

/** An activity of the account itself, which moves no money. */
export const recordAccountChange = (
  world: World,
  account: { id: string; customerId: string; currency: string },
  type: 'account_update' | 'deactivation' | 'activation',
): Activity =>
  recordActivity(world, {
    type,
    customer_id: account.customerId,
    virtual_account_id: account.id,
    amount: '0.0',
    currency: account.currency,
    developer_fee_amount: '0.0',
    exchange_fee_amount: '0.0',
    subtotal_amount: '0.0',
    gas_fee: '0.0',
  })

/** One page of history, newest first; of one account or, without one, of all. */
export const listActivities = (world: World, query: Query, accountId?: string): Page<Activity> => {
  const depositId = single(query, 'deposit_id')
  const depositIds = several(query, 'deposit_ids')
  const txHash = single(query, 'tx_hash')
  const type = choice(query, 'event_type', activityTypes)
  // The history of one account has no filter by time.
  const times = accountId === undefined ? query : {}
  const [after, before] = [instant(times, 'updated_after_ms'), instant(times, 'updated_before_ms')]
  if (depositId !== undefined && depositIds.length > 0) {
    throw invalidParameters('query', { deposit_ids: 'cannot be combined with deposit_id' })
  }
  const wanted = depositId === undefined ? depositIds : [depositId]
  const rows = world.state.activities.all().filter((activity) => {
    const at = Date.parse(activity.created_at)
    return (
      (accountId === undefined || activity.virtual_account_id === accountId) &&
      (wanted.length === 0 || wanted.includes(activity.deposit_id ?? '')) &&
      (txHash === undefined || activity.destination_tx_hash === txHash) &&
      (type === undefined || activity.type === type) &&
      (after === undefined || at > after) &&
      (before === undefined || at < before)
    )
  })
  return paginate(rows.reverse(), query)
}

const instant = (query: Query, name: string): number | undefined => {
  const value = single(query, name)
  if (value !== undefined && !/^\d{1,15}$/.test(value)) throw invalidParameters('query', { [name]: 'must be unix ms' })
  return value === undefined ? undefined : Number(value)
}
