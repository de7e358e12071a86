// An open account read again at the provider: its state, fee and destination, as its events and the reconciliation need it.
// What the provider says counts; nothing of what was lost in between is needed to arrive at it.

import type { Deps } from '../app/context.ts'
import { appendAudit } from '../audit/log.ts'
import type { EventHandler } from '../events/ingest/apply.ts'
import { theProvider } from '../platform/http/caller.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { parseDecimal } from '../platform/values/money.ts'
import { isOperationOpen, readProvider } from '../provider/operations/operations.ts'
import type { ProviderVirtualAccount } from '../provider/types.ts'
import { isSameAddress } from './answer.ts'
import { auditDestination } from './destination-changes.ts'
import { announce } from './open.ts'
import { findAccountOfProvider } from './service.ts'
import * as store from './store.ts'
import type { CheckedDestination } from './terms.ts'

/** Steps of a history that are about the account itself and move no money. */
const accountSteps: ReadonlySet<string> = new Set(['account_update', 'activation', 'deactivation'])

export function isAccountStep(type: string): boolean {
  return accountSteps.has(type)
}

/** Reads the account again: it may have been changed at the provider itself, and an event says only that it was. */
export const accountEvents: EventHandler = {
  async read(deps, { providerRefs }) {
    const account = await deps.db.read((query) => findAccountOfProvider(query, providerRefs))
    if (!account) return 'unknown_account'
    return (await refreshAccount(deps, account)) === 'busy' ? 'busy_account' : 'applied'
  },
}

/**
 * Reads an account at the provider and applies the answer.
 * @returns `busy` when a change of ours is under way or came meanwhile: the answer may be older than that, so it was
 *   dropped, and the account should be read again a little later
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshAccount(
  deps: Deps,
  account: Pick<store.VirtualAccountRow, 'businessId' | 'id'>,
): Promise<'read' | 'busy'> {
  const { businessId, id } = account
  const seen = await deps.db.read((query) => store.findVirtualAccount(query, businessId, id))
  if (!seen) return 'read' // it has been erased
  const { providerCustomerId, providerVirtualAccountId } = seen
  if (providerCustomerId === null || providerVirtualAccountId === null) return 'read'
  const answer = await readProvider(() => deps.provider.getVirtualAccount(providerCustomerId, providerVirtualAccountId))
  return await deps.db.transaction(async (tx) => {
    const held = await store.lockVirtualAccount(tx, businessId, id)
    if (!held) return 'read'
    const isChanged = held.updatedAt.getTime() !== seen.updatedAt.getTime()
    if (isChanged || (await isOperationOpen(tx, { businessId, subjectId: id }))) return 'busy'
    await takeInAccount(deps, tx, held, answer)
    return 'read'
  })
}

/** Nobody is told of what is the same already. */
async function takeInAccount(
  deps: Deps,
  tx: Tx,
  held: store.VirtualAccountRow,
  answer: ProviderVirtualAccount,
): Promise<void> {
  if (held.status !== 'active' && held.status !== 'deactivated') return
  const status = statusOf(held, answer)
  const terms = { ...changedDestination(held, answer.destination), ...changedFee(held, answer.developerFeePercent) }
  const hasNewTerms = Object.keys(terms).length > 0
  if (status === held.status && !hasNewTerms) return
  const row = await store.updateVirtualAccount(tx, held.businessId, held.id, { ...terms, status })
  if (hasNewTerms) await announce(deps, tx, 'virtual_account.updated', row)
  const switched = status === 'active' ? 'virtual_account.reactivated' : 'virtual_account.deactivated'
  if (status !== held.status) await announce(deps, tx, switched, row)
  if ('destinationAddress' in terms) await auditDestination(deps, tx, held, 'changed', theProvider, row)
  if (status !== held.status)
    await appendAudit(deps, tx, theProvider, { businessId: held.businessId, action: switched, subjectId: held.id })
}

/** A word that is new to us moves nothing. */
function statusOf(held: store.VirtualAccountRow, { status }: ProviderVirtualAccount): store.VirtualAccountStatus {
  if (status === 'activated') return 'active'
  return status === 'deactivated' ? 'deactivated' : held.status
}

/** Taken whole or not at all: an address belongs to its rail. A target that is no wallet address is not ours to show. */
function changedDestination(
  held: CheckedDestination,
  told: ProviderVirtualAccount['destination'],
): Partial<Omit<CheckedDestination, 'travelRuleData'>> {
  const { paymentRail, currency, address, memo } = told
  if (paymentRail === null || currency === null || address === null) return {}
  const isSame =
    paymentRail === held.destinationPaymentRail &&
    currency === held.destinationCurrency &&
    isSameAddress(address, held.destinationAddress) &&
    // An answer may leave a memo out; without it the money would go astray, so its absence is not believed.
    (memo === null || memo === held.destinationMemo)
  if (isSame) return {}
  return {
    destinationPaymentRail: paymentRail,
    destinationCurrency: currency,
    destinationAddress: address,
    destinationMemo: memo,
  }
}

/** By value: "0.0" is the provider's way to write "0". */
function changedFee(
  held: Pick<store.VirtualAccountRow, 'developerFeePercent'>,
  told: string | null,
): { developerFeePercent?: string } {
  const [before, now] = [parseDecimal(held.developerFeePercent), told === null ? null : parseDecimal(told)]
  if (told === null || now === null || before?.eq(now)) return {}
  return { developerFeePercent: told }
}
