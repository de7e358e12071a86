// Applies stored provider events: finds late owners, then updates objects through the handler that app/ registers.
// Several replicas may do this concurrently; each event is held by one of them.

import { LeaseLostError, underLease } from '../../platform/postgres/leases.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { QueueFront } from '../../platform/values/queue-front.ts'
import { isOutage, isUnreadable } from '../../provider/operations/operations.ts'
import type { EventReading } from '../../provider/port.ts'
import type { Applied, OwnedEvent } from '../handler.ts'
import { exactBodyOf } from '../service.ts'
import * as store from '../work.store.ts'
import { askForOwner, isAskable, routeToOwner } from './owner.ts'
import type { Applies } from './ports.ts'

const applyTriesMax = 5
type Wait = { minSeconds: number; maxSeconds: number }
const idWait: Wait = { minSeconds: 1, maxSeconds: 3_600 }
const outageWait: Wait = { minSeconds: 5, maxSeconds: 60 }
/** For reads at the provider, of which few run concurrently. */
const readWait: Wait = { minSeconds: 0.25, maxSeconds: 60 }
/** A change of an account takes as long as a call to the provider, whatever the age of the event. */
const changeWait: Wait = { minSeconds: 1, maxSeconds: 10 }
/** An account that is unknown by then was not created by Causeway: the provider's idempotency keys live 24 h. */
const accountWaitSecondsMax = 72 * 3_600

/**
 * Handles one due event, in one transaction that holds it, without waiting for another network.
 * @param chosen the event to handle; default: the event that is due first
 * @param mayRead whether the caller can read the provider for this event now
 * @returns the event, leased to the caller, if applying it requires a read of the provider; `idle` if nothing was due
 */
export async function takeDueEvent(
  deps: Applies,
  { front, chosen }: { front: QueueFront; chosen: string | undefined },
  mayRead: (event: store.WorkRow) => boolean,
) {
  let held: store.WorkRow | undefined
  try {
    return await deps.db.transaction(async (tx) => {
      if (chosen === undefined) {
        held = await store.lockDueEvent(tx, front.from(performance.now()))
        if (!held) return 'idle'
        front.saw(held.queueFrom)
      } else {
        held = await store.lockEventIfDue(tx, chosen)
        if (!held) return 'done'
      }
      if ((await applyHeld(deps, tx, held)) === 'done') return 'done'
      const isMine = mayRead(held)
      // Two calls to the provider and the transactions around them: after that time the holder has crashed.
      const leaseMs = isMine ? 2 * deps.config.providerTimeoutMs + 20_000 : 1_000 * waitSeconds(held, readWait)
      const leased = { ...held, ...(await store.leaseEvent(tx, held.id, leaseMs)) }
      return isMine ? leased : 'done'
    })
  } catch (error) {
    if (!held) throw error
    await recordFailure(deps, held, error)
    return 'done'
  }
}

async function applyHeld(deps: Applies, tx: Tx, event: store.WorkRow): Promise<'done' | 'must_read'> {
  const read = deps.provider.events.read(exactBodyOf(deps, event))
  if (!isOwned(event)) return await findOwnerOf(deps, tx, event, read)
  const handler = deps.eventHandlerOf(read)
  // An unverified event changes nothing by its body: it only triggers a read.
  if (handler && (handler.apply === undefined || event.trust !== 'verified')) return 'must_read'
  await settle(tx, event, (await handler?.apply?.(deps, tx, event, read)) ?? 'applied')
  return 'done'
}

/** An event that has found its owner remains due: the lock on its object comes first in the lock order. */
async function findOwnerOf(
  deps: Applies,
  tx: Tx,
  event: store.WorkRow,
  read: EventReading,
): Promise<'done' | 'must_read'> {
  const outcome = await routeToOwner(deps, tx, event.id, read.hints)
  if (outcome === 'shared name' && isAskable(read)) return 'must_read'
  if (outcome === 'unknown') await waitForOwner(deps, tx, event, read)
  else if (outcome !== 'routed') await waitForOneOwner(deps, tx, event, idWait)
  return 'done'
}

async function waitForOwner(deps: Applies, tx: Tx, event: store.WorkRow, read: EventReading): Promise<void> {
  const isFirstTry = event.error === null
  const applied = isFirstTry ? await deps.eventHandlerOf(read)?.withoutOwner?.(tx, read) : 'waits'
  if (applied === 'applied') await store.finishEvent(tx, event.id)
  else await waitFor(tx, event, 'owner not known yet', idWait)
}

async function waitForOneOwner(deps: Applies, tx: Tx, event: store.WorkRow, wait: Wait): Promise<void> {
  if (event.error !== store.ambiguousOwner)
    deps.log.warn({ event: event.id, type: event.type }, 'event owner is ambiguous')
  await waitFor(tx, event, store.ambiguousOwner, wait)
}

async function settle(tx: Tx, event: store.WorkRow, applied: Applied): Promise<void> {
  if (applied === 'busy_account') return await waitFor(tx, event, 'account is changed by us', changeWait)
  if (applied === 'unknown_account' && event.ageSeconds <= accountWaitSecondsMax)
    return await waitFor(tx, event, 'account not known yet', idWait)
  await store.finishEvent(tx, event.id)
}

async function waitFor(tx: Tx, event: store.WorkRow, error: string, wait: Wait): Promise<void> {
  await store.postponeEvent(tx, event.id, waitSeconds(event, wait), { error, counts: false })
}

/** Applies a leased event by reading the provider. Failures are recorded with the event. */
export async function applyByReading(deps: Applies, event: store.WorkRow): Promise<void> {
  try {
    const read = deps.provider.events.read(exactBodyOf(deps, event))
    if (!isOwned(event)) return await readOwner(deps, event, read)
    const leased = underLease(deps, store.leaseOfEvent(event))
    const applied = await deps.eventHandlerOf(read)?.read(leased, event, read)
    await whileHeld(deps, event, (tx) => settle(tx, event, applied ?? 'applied'))
  } catch (error) {
    await recordFailure(deps, event, error)
  }
}

/**
 * Asks the provider for the owner of an event that names objects of several businesses. During an outage the event
 * waits.
 */
async function readOwner(deps: Applies, event: store.WorkRow, read: EventReading): Promise<void> {
  const refs = await askForOwner(deps, read).catch((error: unknown) => {
    if (isOutage(error)) return null
    throw error
  })
  await whileHeld(deps, event, async (tx, { businessId }) => {
    // The operator may make an event due while the provider is asked: another turn may have found its owner.
    if (businessId !== null) return
    if (refs === null) return await waitForOneOwner(deps, tx, event, outageWait)
    const outcome = await routeToOwner(deps, tx, event.id, { refs, externalUserId: null })
    await (outcome === 'routed' ? store.makeEventDue(tx, event.id) : waitForOneOwner(deps, tx, event, idWait))
  })
}

/** Does nothing if another replica has finished the event, or is handling it. */
async function whileHeld(
  deps: Applies,
  event: store.WorkRow,
  work: (tx: Tx, held: store.PendingEvent) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const held = await store.lockHeldEvent(tx, event)
    if (held) await work(tx, held)
  })
}

/** An unreadable response of the provider may be fixed within a day. */
const unreadableSecondsMax = 24 * 3_600

/**
 * An outage of the provider does not count as an attempt. An event that fails for another reason is quarantined, and
 * blocks no other event.
 */
async function recordFailure(deps: Applies, event: store.WorkRow, error: unknown): Promise<void> {
  if (error instanceof LeaseLostError) return // the replica that took over the event applies it
  const outage = isOutage(error)
  const reason = error instanceof Error ? error.name : 'unknown'
  deps.log.warn(
    { event: event.id, type: event.type, outage, err: outage ? undefined : error },
    'provider event not applied, retrying later',
  )
  await deps.db.transaction(async (tx) => {
    const held = await store.lockHeldEvent(tx, event)
    if (!held) return
    const tries = held.attempts + 1
    const mayBeMended = isUnreadable(error) && event.ageSeconds < unreadableSecondsMax
    if (!outage && !mayBeMended && tries >= applyTriesMax) return await store.quarantineEvent(tx, event.id, reason)
    const wait = outage ? outageWait : mayBeMended ? idWait : null
    const delaySeconds = wait === null ? 2 ** (tries - 1) : waitSeconds(event, wait)
    await store.postponeEvent(tx, event.id, delaySeconds, { error: reason, counts: !outage })
  })
}

/** Waits as long as the age of the event: retries become rarer as the event gets older. */
function waitSeconds({ ageSeconds }: store.WorkRow, { minSeconds, maxSeconds }: Wait): number {
  return Math.min(Math.max(ageSeconds, minSeconds), maxSeconds)
}

function isOwned(event: store.WorkRow): event is OwnedEvent {
  return event.businessId !== null
}
