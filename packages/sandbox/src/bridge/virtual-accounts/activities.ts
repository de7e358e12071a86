// The history of virtual accounts: each step of a deposit and each change of an account is one activity and one event.

import { invalidParameters } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Query } from '../../platform/operations.ts'
import { choice, type Page, paginate, several, single } from '../forms/pagination.ts'
import { timestamp, type World } from '../state/world.ts'
import { emitEvent } from '../webhooks/events.ts'
import { type Activity, activityTypes } from './rows.ts'

export const recordActivity = (world: World, activity: Omit<Activity, 'id' | 'created_at'>): Activity => {
  const recorded = world.state.activities.put({ id: newId(), ...activity, created_at: timestamp(world) })
  emitEvent(world, { category: 'virtual_account.activity', mutation: 'created', object: recorded })
  return recorded
}

/** Records a change of the account itself, which moves no money. */
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

/**
 * Returns one page of the history of one account, or of all accounts, newest first.
 * @throws Refusal `invalid_parameters`
 */
export const listActivities = (world: World, query: Query, accountId?: string): Page<Activity> => {
  const depositId = single(query, 'deposit_id')
  const depositIds = several(query, 'deposit_ids')
  const txHash = single(query, 'tx_hash')
  const type = choice(query, 'event_type', activityTypes)
  // The provider's history of one account has no filter by time.
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
