// Deposits, one row per provider deposit id of an account.

import type { OpenInformationRequest } from '../end-users/schema.rules.ts'
import { openRequestsSql } from '../information-requests/open.sql.ts'
import {
  allOf,
  type Page,
  type PageRequest,
  placesOf,
  readPage,
  stateOf,
  type TimeRange,
} from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { differenceOf } from './report.rules.ts'
import { type DepositState, depositFacts, depositNames } from './state.rules.ts'

export type DepositRow = {
  businessId: string
  id: string
  virtualAccountId: string
  endUserId: string
  externalUserId: string
  providerDepositId: string
  status: DepositState['status']
  facts: DepositState
  completedAt: Date | null
  informationRequests: OpenInformationRequest[]
  createdAt: Date
  updatedAt: Date
}

export const joined = (query: Query, deposits = query`deposits`) => query`
  select d.*, u.external_user_id,
    ${openRequestsSql(
      query,
      query`r.business_id = d.business_id and r.provider_deposit_id = d.provider_deposit_id
      and r.end_user_id = d.end_user_id`,
    )} as information_requests
  from ${deposits} d join end_users u on u.business_id = d.business_id and u.id = d.end_user_id`

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
  const { facts } = deposit
  const shown = columnsOf(facts)
  const rows = await tx`
    insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, facts, names,
      source_currency, gross_amount, developer_fee, exchange_fee, subtotal_amount, destination_currency,
      destination_exchange_fee, gas_fee, net_amount, completed_at, difference, refunded_amount, refunded_at)
    values (${deposit.businessId}, ${deposit.id}, ${deposit.virtualAccountId}, ${deposit.endUserId}, ${deposit.providerDepositId},
      ${facts.status}, ${tx.json(facts)}, ${namesOf(deposit)}, ${shown.sourceCurrency}, ${shown.grossAmount},
      ${shown.developerFee}, ${shown.exchangeFee}, ${shown.subtotalAmount}, ${shown.destinationCurrency},
      ${shown.destinationExchangeFee}, ${shown.gasFee}, ${shown.netAmount}, ${shown.completedAt}, ${shown.difference},
      ${shown.refundedAmount}, ${shown.refundedAt})
    on conflict do nothing returning id`
  return rows.length === 0 ? undefined : await findDeposit(tx, deposit.businessId, deposit.id)
}

/** Stores a changed deposit. @param isShown whether the API shows the change; if not, `updated_at` stays */
export async function saveDeposit(
  tx: Tx,
  { businessId, id, providerDepositId }: DepositRow,
  facts: DepositState,
  isShown: boolean,
): Promise<DepositRow | undefined> {
  const shown = columnsOf(facts)
  await tx`
    update deposits set status = ${facts.status}, facts = ${tx.json(facts)}, names = ${namesOf({ id, providerDepositId, facts })},
      source_currency = ${shown.sourceCurrency}, gross_amount = ${shown.grossAmount}, developer_fee = ${shown.developerFee},
      exchange_fee = ${shown.exchangeFee}, subtotal_amount = ${shown.subtotalAmount},
      destination_currency = ${shown.destinationCurrency}, destination_exchange_fee = ${shown.destinationExchangeFee},
      gas_fee = ${shown.gasFee}, net_amount = ${shown.netAmount}, completed_at = ${shown.completedAt},
      difference = ${shown.difference}, refunded_amount = ${shown.refundedAmount}, refunded_at = ${shown.refundedAt},
      updated_at = ${isShown ? tx`now()` : tx`updated_at`}
    where business_id = ${businessId} and id = ${id}`
  return await findDeposit(tx, businessId, id)
}

/** Lists what the search finds a deposit by, in lower case. */
function namesOf({ id, providerDepositId, facts }: Pick<DepositRow, 'id' | 'providerDepositId' | 'facts'>): string[] {
  return [...new Set([id, providerDepositId, ...depositNames(facts)].map((name) => name.toLowerCase()))]
}

/** What lists and sums read beside the facts. */
function columnsOf(state: DepositState) {
  const facts = depositFacts(state)
  return {
    sourceCurrency: facts.sourceCurrency,
    grossAmount: facts.grossAmount?.value ?? null,
    developerFee: facts.developerFee?.value ?? null,
    exchangeFee: facts.exchangeFee?.value ?? null,
    subtotalAmount: facts.subtotalAmount?.value ?? null,
    destinationCurrency: facts.destinationCurrency,
    destinationExchangeFee: facts.destinationExchangeFee?.value ?? null,
    gasFee: facts.gasFee?.value ?? null,
    netAmount: facts.netAmount?.value ?? null,
    refundedAmount: facts.refundedAmount?.value ?? null,
    refundedAt: facts.refundedAt,
    completedAt: facts.completedAt,
    difference: facts.completedAt === null ? null : (differenceOf(facts)?.code ?? null),
  }
}

export async function findDeposit(query: Query, businessId: string, id: string): Promise<DepositRow | undefined> {
  const rows = await query<DepositRow[]>`${joined(query)} where d.business_id = ${businessId} and d.id = ${id}`
  return rows[0]
}

export type DepositFilter = {
  virtualAccountId?: string
  externalUserId?: string
  providerDepositId?: string
  status?: string
  sourceCurrency?: string
  /** An id, a reference or a transaction hash, whole. */
  q?: string
} & TimeRange

export async function listDeposits(
  query: Query,
  businessId: string,
  filter: DepositFilter,
  page: PageRequest,
): Promise<Page<DepositRow>> {
  const { virtualAccountId, externalUserId, providerDepositId, status, sourceCurrency, q } = filter
  // The provider's id is among the names.
  const name = q ?? providerDepositId
  const named =
    name === undefined
      ? query``
      : query`join lookup_terms l on l.business_id = ${businessId}
          and l.term = lookup_term('deposits', '', ${name.toLowerCase()}) and l.id = d.id`
  const isByHolder = [name, virtualAccountId, externalUserId].some((given) => given !== undefined)
  const inState = isByHolder ? null : stateOf({ status, sourceCurrency })
  const scan = query`
    select d.* from deposits d ${named} where d.business_id = ${businessId}
      and ${virtualAccountId === undefined ? query`true` : query`d.virtual_account_id = ${virtualAccountId}`}
      and ${externalUserId === undefined ? query`true` : query`d.end_user_id = (select id from end_users where business_id = ${businessId} and external_user_id = ${externalUserId})`}
      ${placesOf(query, name === undefined ? 'd' : 'l', page, filter, inState)}`
  const fits = allOf(query, [
    providerDepositId === undefined ? null : query`provider_deposit_id = ${providerDepositId}`,
    status === undefined || inState?.[0] === 'status' ? null : query`status = ${status}`,
    sourceCurrency === undefined || inState?.[0] === 'source_currency'
      ? null
      : query`source_currency = ${sourceCurrency}`,
  ])
  const shown = (rows: ReturnType<Query>) =>
    query`${joined(query, query`(${rows})`)} order by d.created_at desc, d.id desc`
  return await readPage<DepositRow>(query, { scan, fits, shown }, page)
}
