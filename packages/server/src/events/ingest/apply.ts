// What stored provider events do to us: owners found late, then our state moved. What their receipt means stands in
// provider-events.ts. Many replicas may do this at once; each event is held by one of them.

import type { Deps } from '../../app/context.ts'
import { takeInActivity } from '../../deposits/service.ts'
import { refreshEndUser } from '../../end-users/kyc/apply-verdict.ts'
import { findEndUserById } from '../../end-users/service.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { QueueFront } from '../../platform/values/queue-front.ts'
import { isOutage } from '../../provider/operations/operations.ts'
import type { ProviderActivity } from '../../provider/port.ts'
import { isAccountStep, refreshAccount } from '../../virtual-accounts/refresh.ts'
import { findAccountOfProvider, lockAccountOfProvider, type VirtualAccountRow } from '../../virtual-accounts/store.ts'
import { plainBody } from '../bodies.ts'
import type { EventRow } from '../store.ts'
import { askForOwner, isAskable, routeToOwner } from './owner.ts'
import * as store from './work.store.ts'

/** An event that can be applied only after the provider was asked. It is leased to the caller. */
export type Reading =
  | { event: OwnedEvent; of: 'customer' | 'account' | 'history' }
  | { event: store.WorkRow; of: 'owner' }
type OwnedEvent = store.WorkRow & { businessId: string }

/** What one turn came to: nothing was due, an event was dealt with, or the provider must be read for one. */
export type Turn = 'idle' | 'done' | Reading

const applyTriesMax = 5
const historyStepsMax = 100
/** Longest waits, in seconds: for an owner or account to become known, for the provider to answer, for a free reading. */
const idWait = { min: 1, max: 3_600 }
const outageWait = { min: 5, max: 60 }
const readingWait = { min: 0.25, max: 60 }
/** For a change of ours to be over, which takes as long as a call of the provider, however old the event is. */
const changeWait = { min: 1, max: 10 }
/** An account of this event that we have not learnt of by then was not made by us. The provider's keys live 24 h. */
const accountWaitSecondsMax = 72 * 3_600

/** Whether events of this category may move our state; all are forwarded. */
export function hasEffects(category: string): boolean {
  return ['customer', 'kyc_link', 'virtual_account', 'virtual_account.activity'].includes(category)
}

/**
 * Deals with the event that is due first, in one transaction that holds it, and with no wait for anyone else's network.
 * @param mayRead whether the caller can take on reading the provider for this event now
 */
export async function takeDueEvent(
  deps: Deps,
  front: QueueFront,
  mayRead: (event: EventRow) => boolean,
): Promise<Turn> {
  let held: store.WorkRow | undefined
  try {
    return await deps.db.transaction(async (tx) => {
      held = await store.lockDueEvent(tx, front.from(performance.now()))
      if (held) front.saw(held.queueFrom)
      return held ? await advance(deps, tx, held, mayRead) : 'idle'
    })
  } catch (error) {
    if (!held) throw error
    await postpone(deps, held, error)
    return 'done'
  }
}

async function advance(deps: Deps, tx: Tx, row: store.WorkRow, mayRead: (event: EventRow) => boolean): Promise<Turn> {
  const { businessId } = row
  if (businessId === null) return await findOwnerOf(deps, tx, row, mayRead)
  const event = { ...row, businessId }
  const { category, activity } = deps.provider.readEvent(bodyOf(deps, event))
  if (category === 'customer' || category === 'kyc_link')
    return await lease(deps, tx, { event, of: 'customer' }, mayRead)
  if (category === 'virtual_account' || (activity && isAccountStep(activity.type)))
    return await lease(deps, tx, { event, of: 'account' }, mayRead)
  if (category !== 'virtual_account.activity') return await finish(tx, event)
  // An unverified event changes nothing by its own body: it is a hint to read.
  if (event.trust !== 'verified') return await lease(deps, tx, { event, of: 'history' }, mayRead)
  return activity ? await applyActivities(deps, tx, event, [activity]) : await finish(tx, event)
}

/** An event that has found its owner stays due: what it does to our state comes first in the order of locks. */
async function findOwnerOf(
  deps: Deps,
  tx: Tx,
  row: store.WorkRow,
  mayRead: (event: EventRow) => boolean,
): Promise<Turn> {
  const read = deps.provider.readEvent(bodyOf(deps, row))
  const outcome = await routeToOwner(tx, row.id, read.hints)
  if (outcome === 'routed') return 'done'
  if (outcome === 'unknown') return await waitForId(deps, tx, row, 'owner not known yet')
  if (outcome === 'shared name' && isAskable(read)) return await lease(deps, tx, { event: row, of: 'owner' }, mayRead)
  return await waitForOneOwner(deps, tx, row)
}

async function waitForOneOwner(deps: Deps, tx: Tx, row: store.WorkRow, bounds = idWait): Promise<Turn> {
  if (row.error !== store.ambiguousOwner) deps.log.warn({ event: row.id, type: row.type }, 'event owner is ambiguous')
  return await waitForId(deps, tx, row, store.ambiguousOwner, bounds)
}

async function applyActivities(
  deps: Deps,
  tx: Tx,
  event: OwnedEvent,
  activities: readonly ProviderActivity[],
): Promise<Turn> {
  const account = await lockAccountOfProvider(tx, event.providerRefs)
  // The event may have overtaken the answer that creates its account, while its end-user was known already.
  if (!account) return await waitForAccount(deps, tx, event)
  for (const activity of activities) await takeInActivity(deps, tx, account, activity)
  return await finish(tx, event)
}

async function waitForAccount(deps: Deps, tx: Tx, event: OwnedEvent): Promise<Turn> {
  const reason = 'account not known yet'
  if (ageSeconds(deps, event) > accountWaitSecondsMax) return await finish(tx, event)
  return await waitForId(deps, tx, event, reason)
}

/** Until a provider id is learnt, and at growing intervals. */
async function waitForId(deps: Deps, tx: Tx, event: EventRow, error: string, bounds = idWait): Promise<Turn> {
  const delaySeconds = patience(deps, event, bounds)
  await store.postponeEvent(tx, event.id, delaySeconds, { error, counts: false })
  return 'done'
}

async function finish(tx: Tx, event: EventRow): Promise<Turn> {
  await store.finishEvent(tx, event.id)
  return 'done'
}

async function lease(deps: Deps, tx: Tx, reading: Reading, mayRead: (event: EventRow) => boolean): Promise<Turn> {
  const { event } = reading
  if (!mayRead(event)) {
    await store.leaseEvent(tx, event.id, patience(deps, event, readingWait))
    return 'done'
  }
  // Two calls to the provider, and the transactions around them: past it, the holder is gone.
  await store.leaseEvent(tx, event.id, (2 * deps.config.providerTimeoutMs) / 1000 + 20)
  return reading
}

/** Reads what the event hints at, and applies the answer. Whatever goes wrong is recorded with the event. */
export async function applyByReading(deps: Deps, { event, of }: Reading): Promise<void> {
  try {
    if (of === 'customer') await readCustomer(deps, event)
    else if (of === 'account') await readAccount(deps, event)
    else if (of === 'owner') await readOwner(deps, event)
    else await readHistory(deps, event)
  } catch (error) {
    await postpone(deps, event, error)
  }
}

/** The event names what several businesses have. While the provider is away, it stays so. */
async function readOwner(deps: Deps, event: store.WorkRow): Promise<void> {
  const refs = await askForOwner(deps, deps.provider.readEvent(bodyOf(deps, event))).catch((error: unknown) => {
    if (isOutage(error)) return null
    throw error
  })
  await whileHeld(deps, event, async (tx) => {
    if (refs === null) return await waitForOneOwner(deps, tx, event, outageWait)
    const outcome = await routeToOwner(tx, event.id, { refs, externalUserId: null })
    return outcome === 'routed' ? await store.makeEventDue(tx, event.id) : await waitForOneOwner(deps, tx, event)
  })
}

/** Customer events say that something changed; what it is now, the provider's answer says, whatever their order. */
async function readCustomer(deps: Deps, event: OwnedEvent): Promise<void> {
  const { businessId, endUserId } = event
  if (endUserId !== null) {
    const user = await deps.db.read((query) => findEndUserById(query, businessId, endUserId))
    // One that was erased meanwhile has no state to move.
    if (user) await refreshEndUser(deps, user, deps.provider.readEvent(bodyOf(deps, event)).customerId)
  }
  await whileHeld(deps, event, (tx) => finish(tx, event))
}

/** An account may have been changed at the provider itself; an event about it says only that it was. */
async function readAccount(deps: Deps, event: OwnedEvent): Promise<void> {
  const account = await deps.db.read((query) => findAccountOfProvider(query, event.providerRefs))
  const outcome = account ? await refreshAccount(deps, account) : 'unknown'
  await whileHeld(deps, event, async (tx) => {
    if (outcome === 'unknown') return await waitForAccount(deps, tx, event)
    if (outcome === 'read') return await finish(tx, event)
    const delaySeconds = patience(deps, event, changeWait)
    return await store.postponeEvent(tx, event.id, delaySeconds, { error: 'account is changed by us', counts: false })
  })
}

async function readHistory(deps: Deps, event: OwnedEvent): Promise<void> {
  const account = await deps.db.read((query) => findAccountOfProvider(query, event.providerRefs))
  const activities = account ? await historyOf(deps, account) : []
  await whileHeld(deps, event, (tx) => applyActivities(deps, tx, event, activities))
}

async function historyOf(deps: Deps, account: VirtualAccountRow): Promise<ProviderActivity[]> {
  const { providerCustomerId, providerVirtualAccountId } = account
  if (providerCustomerId === null || providerVirtualAccountId === null) return []
  return await deps.provider.listActivity(providerCustomerId, providerVirtualAccountId, { limit: historyStepsMax })
}

/** Does nothing when another replica has finished the event, or works on it. */
async function whileHeld(deps: Deps, event: EventRow, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await store.lockPendingEvent(tx, event.id)) await work(tx)
  })
}

/** A provider that is away costs no try. An event that fails to apply by itself is quarantined, and blocks nobody. */
async function postpone(deps: Deps, event: EventRow, error: unknown): Promise<void> {
  const outage = isOutage(error)
  const reason = error instanceof Error ? error.name : 'unknown'
  deps.log.warn(
    { event: event.id, type: event.type, outage, err: outage ? undefined : error },
    'an event could not be applied yet',
  )
  await deps.db.transaction(async (tx) => {
    const held = await store.lockPendingEvent(tx, event.id)
    if (!held) return
    const tries = held.attempts + 1
    if (!outage && tries >= applyTriesMax) return await store.quarantineEvent(tx, event.id, reason)
    const delaySeconds = outage ? patience(deps, event, outageWait) : 2 ** (tries - 1)
    await store.postponeEvent(tx, event.id, delaySeconds, { error: reason, counts: !outage })
  })
}

/** A wait as long as the event is old: tries get rarer, and an old event is not tried as often as a young one. */
function patience(deps: Deps, event: EventRow, bounds: { min: number; max: number }): number {
  return Math.min(Math.max(ageSeconds(deps, event), bounds.min), bounds.max)
}

function ageSeconds(deps: Deps, event: EventRow): number {
  return (deps.now() - event.createdAt.getTime()) / 1000
}

function bodyOf(deps: Deps, event: EventRow): JsonObject {
  return JSON.parse(plainBody(deps, event).toString('utf8')) as JsonObject // it was a JSON object when it was stored
}
