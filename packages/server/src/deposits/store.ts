// Deposits, one row per provider deposit id of an account.

import { type Page, type PageRequest, pageOf, type TimeRange, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { type DepositState, depositFacts } from './state.rules.ts'

export type DepositRow = {
  businessId: string
  id: string
  virtualAccountId: string
  endUserId: string
  externalUserId: string
  providerDepositId: string
  status: DepositState['status']
  facts: DepositState
  createdAt: Date
  updatedAt: Date
}

const joined = (query: Query) =>
  query`select d.*, u.external_user_id from deposits d join end_users u on u.business_id = d.business_id and u.id = d.end_user_id`

export async function lockDeposit(
  tx: Tx,
  key: Pick<DepositRow, 'businessId' | 'virtualAccountId' | 'providerDepositId'>,
): Promise<DepositRow | undefined> {
  const rows = await tx<DepositRow[]>`
    ${joined(tx)}
    where d.business_id = ${key.businessId} and d.virtual_account_id = ${key.virtualAccountId}
      and d.provider_deposit_id = ${key.providerDepositId}
    for no key update of d`
  return rows[0]
}

/** @returns undefined when another transaction inserted the deposit first */
export async function insertDeposit(
  tx: Tx,
  deposit: Pick<DepositRow, 'businessId' | 'id' | 'virtualAccountId' | 'endUserId' | 'providerDepositId' | 'facts'>,
): Promise<DepositRow | undefined> {
  const rows = await tx`
    insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, facts,
      source_currency, gross_amount)
    values (${deposit.businessId}, ${deposit.id}, ${deposit.virtualAccountId}, ${deposit.endUserId}, ${deposit.providerDepositId},
      ${deposit.facts.status}, ${tx.json(deposit.facts)}, ${deposit.facts.sourceCurrency}, ${grossOf(deposit.facts)})
    on conflict do nothing returning id`
  return rows.length === 0 ? undefined : await findDeposit(tx, deposit.businessId, deposit.id)
}

/** Stores a changed deposit. @param isShown whether the API shows the change; if not, `updated_at` stays */
export async function saveDeposit(
  tx: Tx,
  businessId: string,
  id: string,
  facts: DepositState,
  isShown: boolean,
): Promise<DepositRow | undefined> {
  await tx`
    update deposits set status = ${facts.status}, facts = ${tx.json(facts)}, source_currency = ${facts.sourceCurrency},
      gross_amount = ${grossOf(facts)}, updated_at = ${isShown ? tx`now()` : tx`updated_at`}
    where business_id = ${businessId} and id = ${id}`
  return await findDeposit(tx, businessId, id)
}

const grossOf = (facts: DepositState): string | null => depositFacts(facts).grossAmount?.value ?? null

export async function findDeposit(query: Query, businessId: string, id: string): Promise<DepositRow | undefined> {
  const rows = await query<DepositRow[]>`${joined(query)} where d.business_id = ${businessId} and d.id = ${id}`
  return rows[0]
}

export type DepositFilter = {
  virtualAccountId?: string
  externalUserId?: string
  providerDepositId?: string
  status?: string
} & TimeRange

export async function listDeposits(
  query: Query,
  businessId: string,
  filter: DepositFilter,
  page: PageRequest,
): Promise<Page<DepositRow>> {
  const rows = await query<DepositRow[]>`
    ${joined(query)}
    where d.business_id = ${businessId}
      and ${filter.virtualAccountId === undefined ? query`true` : query`d.virtual_account_id = ${filter.virtualAccountId}`}
      and ${filter.externalUserId === undefined ? query`true` : query`u.external_user_id = ${filter.externalUserId}`}
      and ${filter.providerDepositId === undefined ? query`true` : query`d.provider_deposit_id = ${filter.providerDepositId}`}
      and ${filter.status === undefined ? query`true` : query`d.status = ${filter.status}`}
      ${pageOf(query, 'd', page, filter)}`
  return toPage(rows, page.limit)
}
