// New destinations that wait: a deployment may delay them, so that the owner of a stolen key sees the event before the money
// follows it. And the audit entries about destinations.

import type { Deps } from '../app/context.ts'
import { type AuditDeps, appendAudit } from '../audit/log.ts'
import type { Actor } from '../platform/http/caller.ts'
import { idempotentTransaction } from '../platform/http/idempotency/service.ts'
import type { Tx } from '../platform/postgres/query.ts'
import {
  accountOf,
  emitAccount,
  lockedAccount,
  requireChangeable,
  type VirtualAccount,
  type VirtualAccountView,
  virtualAccountView,
} from './service.ts'
import * as store from './store.ts'
import type { Destination } from './terms.rules.ts'

/** Writes down who had the destination of an account changed, and from where to where. */
export async function auditDestination(
  deps: AuditDeps,
  tx: Tx,
  account: VirtualAccount,
  what: 'requested' | 'cancelled' | 'changed' | 'refused',
  by: Actor,
  destination: Destination,
): Promise<void> {
  await appendAudit(deps, tx, by, {
    businessId: account.businessId,
    action: `virtual_account.destination.${what}`,
    subjectId: account.id,
    details: { from: plain(account), to: plain(destination) },
  })
}

function plain({ destinationPaymentRail, destinationCurrency, destinationAddress, destinationMemo }: Destination) {
  return { destinationPaymentRail, destinationCurrency, destinationAddress, destinationMemo }
}

const isSame = (one: Destination, other: Destination) => JSON.stringify(plain(one)) === JSON.stringify(plain(other))

/**
 * Lets a new destination wait for its time. The destination that counts already cancels one that waits.
 * @throws ApiError `account_state_conflict`
 */
export async function scheduleDestination(
  deps: Deps,
  seen: VirtualAccount,
  destination: Destination,
  by: Actor,
): Promise<VirtualAccountView> {
  const { businessId, id } = seen
  const delayMinutes = deps.config.destinationChangeDelayMinutes
  return await idempotentTransaction(deps, async (tx) => {
    const account = await lockedAccount(tx, seen)
    requireChangeable(account)
    const { pendingDestination: waiting, pendingDestinationAt: waitsUntil } = account
    const isKept = isSame(account, destination)
    const isWaiting = waiting !== null && waitsUntil !== null && isSame(waiting, destination)
    if (isWaiting || (isKept && waiting === null)) return virtualAccountView(account)
    await store.saveDestination(tx, businessId, id, isKept ? null : { destination, actor: by.name, delayMinutes })
    deps.wake('resume')
    const view = await emitAccount(deps, tx, 'virtual_account.updated', await accountOf(tx, { id: businessId }, id))
    await auditDestination(deps, tx, account, isKept ? 'cancelled' : 'requested', by, destination)
    return view
  })
}
