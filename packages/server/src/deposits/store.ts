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
import { type DepositState, referencesAndHashes, shownDeposit } from './state.rules.ts'

export type DepositRow = {
  businessId: string
  id: string
  virtualAccountId: string
  endUserId: string
  externalUserId: string
  providerDepositId: string
  status: DepositState['status']
  state: DepositState
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

export async function insertDeposit(
  tx: Tx,
  deposit: Pick<DepositRow, 'businessId' | 'id' | 'virtualAccountId' | 'endUserId' | 'providerDepositId' | 'state'>,
): Promise<DepositRow> {
  const { state } = deposit
  const shown = columnsOf(state)
  await tx`
    insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, state, search_terms,
      source_currency, gross_amount, developer_fee, exchange_fee, subtotal_amount, destination_currency,
      destination_exchange_fee, gas_fee, net_amount, completed_at, difference, refunded_amount, refunded_at)
    values (${deposit.businessId}, ${deposit.id}, ${deposit.virtualAccountId}, ${deposit.endUserId}, ${deposit.providerDepositId},
      ${state.status}, ${tx.json(state)}, ${searchTermsOf(deposit)}, ${shown.sourceCurrency}, ${shown.grossAmount},
      ${shown.developerFee}, ${shown.exchangeFee}, ${shown.subtotalAmount}, ${shown.destinationCurrency},
      ${shown.destinationExchangeFee}, ${shown.gasFee}, ${shown.netAmount}, ${shown.completedAt}, ${shown.difference},
      ${shown.refundedAmount}, ${shown.refundedAt})`
  return await stored(tx, deposit)
}

/** Stores a changed deposit. @param isShown whether the API shows the change; if not, `updated_at` stays */
export async function saveDeposit(
  tx: Tx,
  { businessId, id, providerDepositId }: DepositRow,
  state: DepositState,
  isShown: boolean,
): Promise<DepositRow> {
  const shown = columnsOf(state)
  await tx`
    update deposits set status = ${state.status}, state = ${tx.json(state)},
      search_terms = ${searchTermsOf({ id, providerDepositId, state })}, source_currency = ${shown.sourceCurrency}, gross_amount = ${shown.grossAmount}, developer_fee = ${shown.developerFee},
      exchange_fee = ${shown.exchangeFee}, subtotal_amount = ${shown.subtotalAmount},
      destination_currency = ${shown.destinationCurrency}, destination_exchange_fee = ${shown.destinationExchangeFee},
      gas_fee = ${shown.gasFee}, net_amount = ${shown.netAmount}, completed_at = ${shown.completedAt},
      difference = ${shown.difference}, refunded_amount = ${shown.refundedAmount}, refunded_at = ${shown.refundedAt},
      read_at = now(), updated_at = ${isShown ? tx`now()` : tx`updated_at`}
    where business_id = ${businessId} and id = ${id}`
  return await stored(tx, { businessId, id })
}

async function stored(tx: Tx, { businessId, id }: Pick<DepositRow, 'businessId' | 'id'>): Promise<DepositRow> {
  const deposit = await findDeposit(tx, businessId, id)
  if (!deposit) throw new Error(`deposit ${id} is not stored`)
  return deposit
}

/** Lists the search terms of a deposit, in lower case. A trigger of the table writes each term to `lookup_terms`. */
function searchTermsOf({
  id,
  providerDepositId,
  state,
}: Pick<DepositRow, 'id' | 'providerDepositId' | 'state'>): string[] {
  return [...new Set([id, providerDepositId, ...referencesAndHashes(state)].map((term) => term.toLowerCase()))]
}

/**
 * Computes the columns that lists and sums read. They are recomputed only when the state changes: a new version with
 * another computation needs a migration of the stored deposits.
 */
function columnsOf(state: DepositState) {
  const shown = shownDeposit(state)
  return {
    sourceCurrency: shown.sourceCurrency,
    grossAmount: shown.grossAmount?.value ?? null,
    developerFee: shown.developerFee?.value ?? null,
    exchangeFee: shown.exchangeFee?.value ?? null,
    subtotalAmount: shown.subtotalAmount?.value ?? null,
    destinationCurrency: shown.destinationCurrency,
    destinationExchangeFee: shown.destinationExchangeFee?.value ?? null,
    gasFee: shown.gasFee?.value ?? null,
    netAmount: shown.netAmount?.value ?? null,
    refundedAmount: shown.refundedAmount?.value ?? null,
    refundedAt: shown.refundedAt,
    completedAt: shown.completedAt,
    difference: shown.completedAt === null ? null : (differenceOf(shown)?.code ?? null),
  }
}

export async function findDeposit(query: Query, businessId: string, id: string): Promise<DepositRow | undefined> {
  const rows = await query<DepositRow[]>`${joined(query)} where d.business_id = ${businessId} and d.id = ${id}`
  return rows[0]
}

/** Open: a further step may come, after a failed refund for a week. The statuses are listed as in the indexes. */
const openSql = (query: Query) => query`
  status in ('scheduled', 'received', 'in_review', 'payout_submitted', 'refund_pending', 'failed')
    and read_at is not null and (status <> 'failed' or updated_at > now() - interval '7 days')`

type AccountToRead = { businessId: string; id: string; readAt: Date }

const depositsLookedAt = 1_000

/** Lists the accounts of open deposits that were not read for the period, longest unread first. Crosses businesses. */
export async function listAccountsToRead(query: Query, periodSeconds: number, limit: number): Promise<AccountToRead[]> {
  return await query<AccountToRead[]>`
    select business_id, virtual_account_id as id, min(read_at) as read_at
    from (
      select business_id, virtual_account_id, read_at from deposits
      where ${openSql(query)} and read_at <= now() - make_interval(secs => ${periodSeconds})
      order by read_at limit ${depositsLookedAt}
    ) unread
    group by business_id, virtual_account_id order by min(read_at) limit ${limit}`
}

/**
 * Records that the open deposits of an account were read, or are due again sooner. A failed deposit that is too old at
 * the next read is no longer read.
 */
export async function noteDepositsRead(
  tx: Tx,
  account: { businessId: string; id: string },
  { periodSeconds, dueInSeconds = periodSeconds }: { periodSeconds: number; dueInSeconds?: number },
) {
  await tx`
    update deposits set read_at = case
      when status = 'failed' and updated_at <= now() - interval '7 days' + make_interval(secs => ${periodSeconds}) then null
      else now() + make_interval(secs => ${dueInSeconds - periodSeconds}) end
    where business_id = ${account.businessId} and virtual_account_id = ${account.id} and ${openSql(tx)}`
}

/** Removes failed deposits that are too old from the index of open ones. Crosses businesses. */
export async function forgetOldFailures(tx: Tx): Promise<void> {
  await tx`
    update deposits set read_at = null
    where status = 'failed' and read_at is not null and updated_at <= now() - interval '7 days'`
}

/** @returns milliseconds until an open deposit is due for a read; null if none is open. Crosses businesses. */
export async function nextDepositReadDueMs(query: Query, periodSeconds: number): Promise<number | null> {
  const rows = await query<{ ms: number }[]>`
    select (extract(epoch from read_at + make_interval(secs => ${periodSeconds}) - now()) * 1000)::float8 as ms
    from deposits where ${openSql(query)} order by read_at limit 1`
  return rows[0]?.ms ?? null
}

export type DepositFilter = {
  virtualAccountId?: string
  externalUserId?: string
  providerDepositId?: string
  status?: string
  sourceCurrency?: string
  /** A complete ID, reference or transaction hash. */
  q?: string
} & TimeRange

export async function listDeposits(
  query: Query,
  businessId: string,
  filter: DepositFilter,
  page: PageRequest,
): Promise<Page<DepositRow>> {
  const { virtualAccountId, externalUserId, providerDepositId, status, sourceCurrency, q } = filter
  // The search terms include the provider's ID.
  const term = q ?? providerDepositId
  const withTerm =
    term === undefined
      ? query``
      : query`join lookup_terms l on l.business_id = ${businessId}
          and l.term = lookup_term('deposits', '', ${term.toLowerCase()}) and l.id = d.id`
  // Few deposits have the term, or belong to the account or the end-user, so no index of a status or a currency is
  // needed.
  const isSelective = [term, virtualAccountId, externalUserId].some((given) => given !== undefined)
  const inState = isSelective ? null : stateOf({ status, sourceCurrency })
  const indexedColumn = inState?.[0]
  const scan = query`
    select d.* from deposits d ${withTerm} where d.business_id = ${businessId}
      and ${virtualAccountId === undefined ? query`true` : query`d.virtual_account_id = ${virtualAccountId}`}
      and ${externalUserId === undefined ? query`true` : query`d.end_user_id = (select id from end_users where business_id = ${businessId} and external_user_id = ${externalUserId})`}
      ${placesOf(query, term === undefined ? 'd' : 'l', page, filter, inState)}`
  const fits = allOf(query, [
    providerDepositId === undefined ? null : query`provider_deposit_id = ${providerDepositId}`,
    status === undefined || indexedColumn === 'status' ? null : query`status = ${status}`,
    sourceCurrency === undefined || indexedColumn === 'source_currency'
      ? null
      : query`source_currency = ${sourceCurrency}`,
  ])
  const shown = (rows: ReturnType<Query>) =>
    query`${joined(query, query`(${rows})`)} order by d.created_at desc, d.id desc`
  return await readPage<DepositRow>(query, { scan, fits, shown }, page)
}
