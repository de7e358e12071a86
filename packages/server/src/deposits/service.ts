// Deposits: what the provider tells of them, applied in any order, and what a business may read.

import type { Deps } from '../app/context.ts'
import { emit } from '../events/emit.ts'
import type { Applied, EventHandler } from '../events/ingest/apply.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import { canonicalJson } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import type { ProviderActivity } from '../provider/types.ts'
import {
  accountOf,
  findAccountOfProvider,
  lockAccountOfProvider,
  type VirtualAccount,
} from '../virtual-accounts/service.ts'
import { applyDepositEvent, type DepositState, type DepositStep, depositFacts, depositTimeline } from './state.rules.ts'
import * as store from './store.ts'

export type DepositView = ReturnType<typeof depositView>

export function depositView(row: store.DepositRow) {
  const facts = depositFacts(row.facts)
  return {
    id: row.id,
    virtualAccountId: row.virtualAccountId,
    externalUserId: row.externalUserId,
    providerDepositId: row.providerDepositId,
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
 * Applies one step of a deposit. A refund may come without a deposit id: it then stands as a deposit of its own.
 * @returns what became of it, for the event's record
 */
export async function applyActivity(
  deps: Deps,
  tx: Tx,
  account: VirtualAccount,
  activity: ProviderActivity,
): Promise<DepositStep['outcome']> {
  const key = {
    businessId: account.businessId,
    virtualAccountId: account.id,
    providerDepositId: activity.depositId ?? activity.id,
  }
  const row = await store.lockDeposit(tx, key)
  const applied = applyDepositEvent(row?.facts ?? null, activity.step, account)
  const { state } = applied
  if (state === null || state === row?.facts) return applied.outcome
  if (row && showsTheSame(row.facts, state)) {
    await store.keepDepositFacts(tx, row.businessId, row.id, state)
    return applied.outcome
  }
  const saved = row
    ? await store.saveDeposit(tx, row.businessId, row.id, state)
    : await store.insertDeposit(tx, {
        ...key,
        id: makeId('deposit', deps.randomBytes(16)),
        endUserId: account.endUserId,
        facts: state,
      })
  // Another replica inserted it between our look and our insert: the next look finds it.
  if (!saved) return await applyActivity(deps, tx, account, activity)
  const owner = {
    businessId: account.businessId,
    endUserId: account.endUserId,
    virtualAccountId: account.id,
    externalUserId: account.externalUserId,
  }
  const view = depositView(saved)
  await emit(deps, tx, 'virtual_account.deposit.updated', owner, view)
  if (saved.status === 'completed' && row?.status !== 'completed') {
    await emit(deps, tx, 'virtual_account.payment.received', owner, view)
  }
  return applied.outcome
}

/** Nothing to tell anybody: the same facts and timeline. */
function showsTheSame(before: DepositState, after: DepositState): boolean {
  return (
    before.status === after.status &&
    canonicalJson(depositFacts(before)) === canonicalJson(depositFacts(after)) &&
    canonicalJson(depositTimeline(before)) === canonicalJson(depositTimeline(after))
  )
}

const historyStepsMax = 100

/** Applies the step that a verified event tells; for any other event the history of its account is read. */
export const depositEvents: EventHandler = {
  async apply(deps, tx, { providerRefs }, { activity }) {
    return activity ? await applyActivities(deps, tx, providerRefs, [activity]) : 'applied'
  },
  async read(deps, { providerRefs }) {
    const account = await deps.db.read((query) => findAccountOfProvider(query, providerRefs))
    const { providerCustomerId: customer = null, providerVirtualAccountId: id = null } = account ?? {}
    const activities =
      customer === null || id === null ? [] : await deps.provider.listActivity(customer, id, { limit: historyStepsMax })
    return await deps.db.transaction((tx) => applyActivities(deps, tx, providerRefs, activities))
  },
}

async function applyActivities(
  deps: Deps,
  tx: Tx,
  providerRefs: string[],
  activities: readonly ProviderActivity[],
): Promise<Applied> {
  const account = await lockAccountOfProvider(tx, providerRefs)
  if (!account) return 'unknown_account'
  for (const activity of activities) await applyActivity(deps, tx, account, activity)
  return 'applied'
}
