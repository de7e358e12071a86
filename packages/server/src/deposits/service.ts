// Deposits: what a business may read, and how deposits follow the provider's reports.

import { createHash } from 'node:crypto'
import { emit } from '../events/emit.ts'
import type { Applied, EventHandler } from '../events/handler.ts'
import { providerOf } from '../platform/config.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import { canonicalJson } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import type { ProviderActivity } from '../provider/port.ts'
import {
  accountOf,
  findAccountOfProvider,
  lockAccountOfProvider,
  ownerOf,
  type VirtualAccount,
} from '../virtual-accounts/service.ts'
import type { Deposits } from './ports.ts'
import { type ActivityOutcome, advance, type DepositState, depositTimeline, shownDeposit } from './state.rules.ts'
import * as store from './store.ts'

// Statements for use by other subjects.
export const { findDeposit, forgetOldFailures, listAccountsToRead, nextDepositReadDueMs, noteDepositsRead } = store

export type DepositView = ReturnType<typeof depositView>

/** Converts a deposit to its representation in the API and its events. */
export function depositView(row: store.DepositRow) {
  const { id, virtualAccountId, externalUserId, providerDepositId, status, state } = row
  return {
    id,
    virtualAccountId,
    externalUserId,
    providerDepositId,
    status,
    ...shownDeposit(state),
    timeline: depositTimeline(state),
    informationRequests: row.informationRequests,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** Lists deposits, the newest first. */
export async function listDeposits(
  deps: Core,
  business: Business,
  filter: store.DepositFilter,
  page: PageRequest,
): Promise<Page<DepositView>> {
  const { items, next } = await deps.db.read((query) => store.listDeposits(query, business.id, filter, page))
  return { items: items.map(depositView), next }
}

/** Lists the deposits of an account, the newest first. @throws ApiError `virtual_account_not_found` */
export async function listDepositsOfAccount(
  deps: Core,
  business: Business,
  virtualAccountId: string,
  filter: store.DepositFilter,
  page: PageRequest,
): Promise<Page<DepositView>> {
  await deps.db.read((query) => accountOf(query, business, virtualAccountId))
  return await listDeposits(deps, business, { ...filter, virtualAccountId }, page)
}

/** Reads a deposit. @throws ApiError `deposit_not_found` */
export async function getDeposit(deps: Core, business: Business, id: string): Promise<DepositView> {
  const deposit = await deps.db.read((query) => store.findDeposit(query, business.id, id))
  if (!deposit) throw fail('deposit_not_found')
  return depositView(deposit)
}

/**
 * Applies one activity of the provider to its deposit, in any order and any number of times. An activity that names no
 * deposit, as a refund may, becomes a separate deposit. Emits events if the API shows the change.
 * @param account locked in this transaction, so that no other transaction inserts or changes the deposit in the
 * meantime
 */
export async function applyActivity(
  deps: Core,
  tx: Tx,
  account: VirtualAccount,
  { depositId, activity }: ProviderActivity,
): Promise<ActivityOutcome> {
  const { businessId, id: virtualAccountId, endUserId } = account
  const key = { businessId, virtualAccountId, providerDepositId: depositId ?? activity.id }
  const before = await store.lockDeposit(tx, key)
  const { state, outcome } = advance(before?.state ?? null, activity, account)
  if (state === null || state === before?.state) return outcome
  const isShown = !before || !showsTheSame(before.state, state)
  const deposit = before
    ? await store.saveDeposit(tx, before, state, isShown)
    : await store.insertDeposit(tx, { ...key, id: depositIdOf(key), endUserId, state })
  if (!isShown) return outcome
  const view = depositView(deposit)
  await emit(deps, tx, 'virtual_account.deposit.updated', ownerOf(account), view)
  // The specification defines the name of this event: the money has reached the wallet.
  if (deposit.status === 'completed' && before?.status !== 'completed')
    await emit(deps, tx, 'virtual_account.payment.received', ownerOf(account), view)
  return outcome
}

/**
 * Derives the ID of a deposit from its account and the provider's deposit ID, so that the sandbox can return the ID
 * before the first event of the deposit arrives.
 */
export function depositIdOf({
  virtualAccountId,
  providerDepositId,
}: {
  virtualAccountId: string
  providerDepositId: string
}) {
  const digest = createHash('sha256').update(`${virtualAccountId}/${providerDepositId}`).digest()
  return makeId('deposit', digest.subarray(0, 16))
}

function showsTheSame(before: DepositState, after: DepositState): boolean {
  const shown = (state: DepositState) => canonicalJson([state.status, shownDeposit(state), depositTimeline(state)])
  return shown(before) === shown(after)
}

/**
 * Applies the activity of an event with a valid signature. For an event without one, the newest activities of the
 * account are read from the provider instead.
 */
export const depositEvents: EventHandler<Deposits> = {
  async apply(deps, tx, { providerRefs }, { activity }) {
    return activity ? await applyActivities(deps, tx, providerRefs, [activity]) : 'applied'
  },
  async read(deps, { providerRefs }) {
    const account = await deps.db.read((query) => findAccountOfProvider(query, providerOf(deps.config), providerRefs))
    const { providerCustomerId: customer = null, providerVirtualAccountId: id = null } = account ?? {}
    const { deposits } = deps.provider
    const activities =
      customer === null || id === null ? [] : await deposits.ofAccount(customer, id, { limit: deposits.pageMax })
    return await deps.db.transaction((tx) => applyActivities(deps, tx, providerRefs, activities))
  },
}

/** @param providerRefs all provider IDs in the event, including the ID of the activity's account */
async function applyActivities(
  deps: Core,
  tx: Tx,
  providerRefs: string[],
  activities: readonly ProviderActivity[],
): Promise<Applied> {
  const account = await lockAccountOfProvider(tx, providerOf(deps.config), providerRefs)
  if (!account) return 'unknown_account'
  for (const activity of activities) await applyActivity(deps, tx, account, activity)
  return 'applied'
}
