// Deposits: what the provider tells of them, applied in any order, and what a business may read.

import type { Business } from '../domain/business.ts'
import { applyDepositEvent, type DepositState, depositFacts, depositTimeline } from '../domain/deposit.ts'
import { makeId } from '../domain/ids.ts'
import { isoTime } from '../domain/time.ts'
import { fail } from '../errors.ts'
import type { ProviderActivity } from '../provider/port.ts'
import type { Tx } from '../store/db.ts'
import * as store from '../store/deposits.ts'
import type { Page, PageRequest } from '../store/paging.ts'
import type { VirtualAccountRow } from '../store/virtual-accounts.ts'
import type { Deps } from './deps.ts'
import { appendOwnEvent } from './own-events.ts'
import { accountOf } from './virtual-accounts.ts'

export type DepositView = ReturnType<typeof depositView>

export function depositView(row: store.DepositRow) {
  const facts = depositFacts(row.facts)
  return {
    id: row.id,
    virtualAccountId: row.virtualAccountId,
    externalUserId: row.externalUserId,
    status: row.status,
    ...facts,
    timeline: depositTimeline(row.facts),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export async function listDeposits(
  deps: Deps,
  business: Business,
  filter: store.DepositFilter,
  page: PageRequest,
): Promise<Page<store.DepositRow>> {
  return await deps.db.read((query) => store.listDeposits(query, business.id, filter, page))
}

/** @throws ApiError `virtual_account_not_found` */
export async function listDepositsOfAccount(
  deps: Deps,
  business: Business,
  virtualAccountId: string,
  filter: store.DepositFilter,
  page: PageRequest,
): Promise<Page<store.DepositRow>> {
  return await deps.db.read(async (query) => {
    await accountOf(query, business, virtualAccountId)
    return await store.listDeposits(query, business.id, { ...filter, virtualAccountId }, page)
  })
}

/** @throws ApiError `deposit_not_found` */
export async function getDeposit(deps: Deps, business: Business, id: string): Promise<DepositView> {
  const row = await deps.db.read((query) => store.findDeposit(query, business.id, id))
  if (!row) throw fail('deposit_not_found')
  return depositView(row)
}

/**
 * Takes in one step of a deposit. A refund may come without a deposit id: it then stands as a deposit of its own.
 * @returns what became of it, for the event's record
 */
export async function takeInActivity(deps: Deps, tx: Tx, account: VirtualAccountRow, activity: ProviderActivity) {
  const key = {
    businessId: account.businessId,
    virtualAccountId: account.id,
    providerDepositId: activity.depositId ?? activity.id,
  }
  const row = await store.lockDeposit(tx, key)
  const applied = applyDepositEvent(row?.facts ?? null, activity.step)
  if (!applied.changed) return applied.outcome
  const saved = row
    ? await store.saveDeposit(tx, row.businessId, row.id, applied.state)
    : await insertOrJoin(deps, tx, account, key.providerDepositId, applied.state, activity)
  if (row && canSkip(row.facts, applied.state)) return applied.outcome
  const owner = {
    businessId: account.businessId,
    endUserId: account.endUserId,
    virtualAccountId: account.id,
    externalUserId: account.externalUserId,
  }
  const view = depositView(saved)
  await appendOwnEvent(deps, tx, 'virtual_account.deposit.updated', owner, view)
  if (saved.status === 'completed' && row?.status !== 'completed') {
    await appendOwnEvent(deps, tx, 'virtual_account.payment.received', owner, view)
  }
  return applied.outcome
}

async function insertOrJoin(
  deps: Deps,
  tx: Tx,
  account: VirtualAccountRow,
  providerDepositId: string,
  facts: DepositState,
  activity: ProviderActivity,
): Promise<store.DepositRow> {
  const inserted = await store.insertDeposit(tx, {
    businessId: account.businessId,
    id: makeId('deposit', deps.randomBytes(16)),
    virtualAccountId: account.id,
    endUserId: account.endUserId,
    providerDepositId,
    facts,
  })
  if (inserted) return inserted
  // Another replica inserted it between our look and our insert: its row is visible to the next statement.
  const theirs = await store.lockDeposit(tx, {
    businessId: account.businessId,
    virtualAccountId: account.id,
    providerDepositId,
  })
  if (!theirs) throw new Error('a deposit vanished between two statements')
  const joined = applyDepositEvent(theirs.facts, activity.step)
  return joined.changed ? await store.saveDeposit(tx, theirs.businessId, theirs.id, joined.state) : theirs
}

/** A change of which nothing shows: the same facts and timeline. */
function canSkip(before: DepositState, after: DepositState): boolean {
  return (
    before.status === after.status &&
    JSON.stringify(depositFacts(before)) === JSON.stringify(depositFacts(after)) &&
    JSON.stringify(depositTimeline(before)) === JSON.stringify(depositTimeline(after))
  )
}
