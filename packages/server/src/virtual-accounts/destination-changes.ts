// Where an account's money goes, changed: what is written down of it, and the time a deployment may let it wait, so that the
// owner of a stolen key sees the event before the money follows it.

import type { Deps } from '../app/context.ts'
import { type AuditDeps, appendAudit } from '../audit/log.ts'
import type { Actor } from '../platform/http/caller.ts'
import { idempotentTransaction } from '../platform/http/idempotency/service.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { announce, type VirtualAccountView } from './open.ts'
import { savePendingDestination } from './pending-destinations.store.ts'
import { lockedAccount } from './service.ts'
import * as store from './store.ts'
import { type CheckedDestination, requireChangeable } from './terms.ts'
import { virtualAccountView } from './view.ts'

export async function auditDestination(
  deps: AuditDeps,
  tx: Tx,
  account: store.VirtualAccountRow,
  what: 'requested' | 'cancelled' | 'changed' | 'refused',
  by: Actor,
  destination: CheckedDestination,
): Promise<void> {
  await appendAudit(deps, tx, by, {
    businessId: account.businessId,
    action: `virtual_account.destination.${what}`,
    subjectId: account.id,
    details: { from: plain(account), to: plain(destination) },
  })
}

function plain(held: CheckedDestination) {
  const { destinationPaymentRail, destinationCurrency, destinationAddress, destinationMemo } = held
  return { destinationPaymentRail, destinationCurrency, destinationAddress, destinationMemo }
}

function isWaiting(account: store.VirtualAccountRow, destination: CheckedDestination): boolean {
  const { pendingDestination, pendingDestinationAt } = account
  if (pendingDestination === null || pendingDestinationAt === null) return false
  const waiting = pendingDestination as CheckedDestination // written by scheduleDestination, in this shape
  return JSON.stringify(plain(waiting)) === JSON.stringify(plain(destination))
}

/** Lets a new destination wait. The one that counts already ends the waiting of another. @throws ApiError `account_state_conflict` */
export async function scheduleDestination(
  deps: Deps,
  seen: store.VirtualAccountRow,
  destination: CheckedDestination,
  by: Actor,
): Promise<VirtualAccountView> {
  const { businessId, id } = seen
  const delayMinutes = deps.config.destinationChangeDelayMinutes
  return await idempotentTransaction(deps, async (tx) => {
    const account = await lockedAccount(tx, seen)
    requireChangeable(account)
    const isKept = JSON.stringify(plain(account)) === JSON.stringify(plain(destination))
    if (isKept && account.pendingDestination === null) return virtualAccountView(account)
    // Asked for once more, it waits as it did, and has been told.
    if (isWaiting(account, destination)) return virtualAccountView(account)
    await savePendingDestination(tx, businessId, id, isKept ? null : { destination, actor: by.name, delayMinutes })
    deps.wake('resume')
    const row = await store.getVirtualAccount(tx, businessId, id)
    const view = await announce(deps, tx, 'virtual_account.updated', row)
    await auditDestination(deps, tx, account, isKept ? 'cancelled' : 'requested', by, destination)
    return view
  })
}
