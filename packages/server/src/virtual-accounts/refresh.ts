// An open account read again at the provider: its state, fee and destination, as events and the reconciliation need it. What
// the provider says counts, whatever was lost in between.

import { isDeepStrictEqual } from 'node:util'
import type { Deps, EventHandler } from '../app/context.ts'
import { appendAudit } from '../audit/log.ts'
import { theProvider } from '../platform/http/caller.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { isOperationOpen, readProvider } from '../provider/operations/operations.ts'
import type { ProviderVirtualAccount } from '../provider/port.ts'
import { auditDestination } from './change.ts'
import { changedDestination, goesElsewhere } from './destination.rules.ts'
import { emitAccount, findAccountOfProvider, type VirtualAccount } from './service.ts'
import * as store from './store.ts'
import { isOtherFee, providerStatuses } from './terms.rules.ts'

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
 * @returns `busy` when a change of ours is under way or came meanwhile: the answer may be older than that change, so it was
 *   dropped, and the account should be read again a little later
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshAccount(
  deps: Deps,
  { businessId, id }: Pick<VirtualAccount, 'businessId' | 'id'>,
): Promise<'read' | 'busy'> {
  const seen = await deps.db.read((query) => store.findVirtualAccount(query, businessId, id))
  const { providerCustomerId: customer = null, providerVirtualAccountId: account = null } = seen ?? {}
  if (!seen || customer === null || account === null) return 'read'
  const answer = await readProvider(() => deps.provider.getVirtualAccount(customer, account))
  return await deps.db.transaction(async (tx) => {
    const held = await store.lockVirtualAccount(tx, businessId, id)
    if (!held) return 'read' // erased meanwhile
    const isChanged = held.updatedAt.getTime() !== seen.updatedAt.getTime()
    if (isChanged || (await isOperationOpen(tx, { businessId, subjectId: id }))) return 'busy'
    await applyAnswer(deps, tx, held, answer)
    return 'read'
  })
}

async function applyAnswer(deps: Deps, tx: Tx, held: VirtualAccount, answer: ProviderVirtualAccount): Promise<void> {
  if (held.status !== 'active' && held.status !== 'deactivated') return
  const { businessId, id } = held
  const { developerFeePercent: fee, feeConfig } = answer
  // A status that is new to us moves nothing.
  const status = providerStatuses.get(answer.status) ?? held.status
  const destination = changedDestination(held, answer.destination)
  const terms = {
    ...destination,
    ...(isOtherFee(held.developerFeePercent, fee) && { developerFeePercent: fee }),
    ...(!isDeepStrictEqual(held.feeConfig, feeConfig) && { feeConfig }),
  }
  const hasNewTerms = Object.keys(terms).length > 0
  if (status === held.status && !hasNewTerms) return
  const account = await store.updateVirtualAccount(tx, businessId, id, { ...terms, status })
  if (hasNewTerms) await emitAccount(deps, tx, 'virtual_account.updated', account)
  const switched = status === 'active' ? 'virtual_account.reactivated' : 'virtual_account.deactivated'
  if (status !== held.status) await emitAccount(deps, tx, switched, account)
  if (destination && goesElsewhere(held, answer.destination))
    await auditDestination(deps, tx, held, 'changed', theProvider, account)
  if (status !== held.status) await appendAudit(deps, tx, theProvider, { businessId, action: switched, subjectId: id })
}
