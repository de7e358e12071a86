// Who had the destination of an account changed, and from where to where.

import { isDeepStrictEqual } from 'node:util'
import { type AuditDeps, appendAudit } from '../audit/log.ts'
import type { Actor } from '../platform/http/caller.ts'
import type { Tx } from '../platform/postgres/query.ts'
import type { VirtualAccount } from './service.ts'
import { type Destination, destinationView } from './terms/destination.rules.ts'

/** Writes down who had the destination of an account changed, and from where to where. */
export async function auditDestination(
  deps: AuditDeps,
  tx: Tx,
  account: VirtualAccount,
  what: 'requested' | 'cancelled' | 'changed' | 'refused' | 'unconfirmed',
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

function plain(destination: Destination) {
  const { destinationPaymentRail, destinationCurrency, destinationAddress, destinationMemo } = destination
  const { destinationWalletId, destinationPrefundedAccountId } = destination
  return {
    destinationPaymentRail,
    destinationCurrency,
    destinationAddress,
    ...(destinationWalletId !== null && { destinationBridgeWalletId: destinationWalletId }),
    ...(destinationPrefundedAccountId !== null && { destinationPrefundedAccountId }),
    destinationMemo,
  }
}

/** Compares what was asked for: an address that the provider has shown for an id is none of it. */
export const isSameDestination = (one: Destination, other: Destination) =>
  isDeepStrictEqual(destinationView(one), destinationView(other))
