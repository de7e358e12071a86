// Requests for information: commands open, resolve and close them, and the wire lists and reads them.

import { refuse } from '../../platform/errors.ts'
import { integer, list, object, oneOf, parse, text } from '../../platform/fields.ts'
import { randomBase58 } from '../../platform/ids.ts'
import { customerById } from '../customers/record.ts'
import { depositById } from '../deposits/deposits.ts'
import { unknownId } from '../forms/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { emitEvent } from '../webhooks/events.ts'
import type { Resource } from '../webhooks/rows.ts'
import { actions, type Rfi, type RfiState, rfiStates } from './rows.ts'

const day = 86_400_000

const orderForm = object({
  customer_id: text(1, 42),
  deposit_id: text(1, 64),
  questions: list(text(1, 1_000), 10),
  custom_body: text(1, 1_000),
  deadline_ms: integer(1, 400 * day),
  action_taken: oneOf(actions),
})

/**
 * Opens a request about a deposit, about a customer, or where the body names neither about the developer.
 * @throws Refusal for an unknown customer or deposit, or a deposit of another customer
 */
export const openRfi = (world: World, body: unknown): Rfi => {
  const order = parse(orderForm, body)
  const about = aboutDeposit(world, order.deposit_id)
  const customerId = order.customer_id ?? about?.customerId
  const customer = customerId === undefined ? undefined : customerById(world, customerId)
  if (about && customer?.id !== about.customerId)
    throw refuse(409, 'wrong_customer', 'The deposit belongs to another customer')
  const name = customer ? [customer.firstName, customer.lastName].filter(Boolean).join(' ') : ''
  const createdAt = timestamp(world)
  const rfi = world.state.rfis.put({
    id: `rfi_${randomBase58(22)}`,
    state: 'on_developer',
    developer_id: world.state.identity.developerId,
    customer_id: customer?.id ?? null,
    referent_type: about ? 'deposit' : null,
    referent_id: about?.deposit.id ?? null,
    context: {
      ...(name === '' ? {} : { customer_name: name }),
      ...(order.custom_body === undefined ? {} : { custom_body: order.custom_body }),
      ...(about ? { amount_display: about.deposit.amount, ...senderOf(about.deposit.source) } : {}),
    },
    bridge_action_taken: order.action_taken ?? null,
    expected_action_on_expiry: customer ? 'pause_customer' : null,
    deadline: new Date(Date.parse(createdAt) + (order.deadline_ms ?? 7 * day)).toISOString(),
    requested_items: (order.questions ?? ['What is the purpose of this payment?']).map((content) => ({ content })),
    state_changed_at: null,
    closed_at: null,
    created_at: createdAt,
  })
  emitEvent(world, { category: 'rfi', mutation: 'created', object: renderRfi(world, rfi), status: rfi.state })
  return rfi
}

const senderOf = (source: Record<string, string>): Record<string, string> => {
  const sender = source['sender_name'] ?? source['originator_name']
  return sender === undefined ? {} : { sender_name: sender }
}

const aboutDeposit = (world: World, id: string | undefined) => {
  if (id === undefined) return undefined
  const deposit = depositById(world, id)
  const account = world.state.virtualAccounts.get(deposit.virtualAccountId)
  if (!account) throw refuse(404, 'unknown_virtual_account', 'The deposit has no virtual account')
  return { deposit, customerId: account.customerId }
}

const changeForm = object({ state: oneOf(rfiStates), deadline_ms: integer(1, 400 * day) })

/** Moves a request to any state, or moves its deadline. A request that was closed may be opened again. */
export const changeRfi = (world: World, rfi: Rfi, body: unknown): Rfi => {
  const { state = rfi.state, deadline_ms: deadlineMs } = parse(changeForm, body)
  const now = timestamp(world)
  const changed = world.state.rfis.put({
    ...rfi,
    state,
    ...(deadlineMs === undefined ? {} : { deadline: new Date(world.now() + deadlineMs).toISOString() }),
    state_changed_at: state === rfi.state ? rfi.state_changed_at : now,
    closed_at: state === 'closed' ? (rfi.closed_at ?? now) : null,
  })
  const mutation = state === rfi.state ? 'updated' : 'updated.status_transitioned'
  const [before, object] = [renderRfi(world, rfi), renderRfi(world, changed)]
  emitEvent(world, { category: 'rfi', mutation, object, before, status: state })
  return changed
}

/** @throws Refusal for an unknown id */
export const rfiById = (world: World, id: string): Rfi => {
  const rfi = world.state.rfis.get(id)
  if (!rfi) throw unknownId('rfi')
  return rfi
}

export const rfisOf = (world: World, customerId: string | undefined, state: RfiState | undefined): Rfi[] =>
  world.state.rfis
    .all()
    .filter((rfi) => customerId === undefined || rfi.customer_id === customerId)
    .filter((rfi) => state === undefined || rfi.state === state)
    .reverse()

export const renderRfi = (world: World, rfi: Rfi): Resource => ({
  ...rfi,
  dashboard_url: `${world.origin()}/rfis/${rfi.id}`,
})
