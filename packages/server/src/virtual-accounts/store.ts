// Virtual accounts. A pending destination change is stored with its account: `pending-destination.store.ts`.
// Above the usual length: the statements together decide which account a request or a response belongs to.

import { only } from '../platform/postgres/database.ts'
import { withLabel } from '../platform/postgres/labels.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
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
import type { JsonObject } from '../platform/values/json.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import type { DepositInstructions } from './bank-details.rules.ts'
import type { ProviderAccountStatus, SuspendedReason } from './standing/standing.rules.ts'
import type { Destination } from './terms/destination.rules.ts'

export type VirtualAccountRow = Destination & {
  businessId: string
  id: string
  endUserId: string
  /** The provider that has the account. */
  provider: string
  /** Joined from the end-user. */
  externalUserId: string
  providerCustomerId: string | null
  residesInEea: boolean | null
  operatesInEea: boolean | null
  providerVirtualAccountId: string | null
  status: 'pending' | 'active' | 'suspended' | 'deactivated' | 'failed'
  /** Null until the account is open at the provider. */
  providerStatus: ProviderAccountStatus | null
  /** Why the end-user cannot receive deposits here; kept while the account is deactivated. */
  suspendedReason: SuspendedReason | null
  sourceCurrency: FiatCurrency
  developerFeePercent: string
  /** Kept until the account is open at the provider. */
  travelRuleData: JsonObject | null
  /** The last requested configuration; null after a change to a percentage. */
  feeConfigAsked: JsonObject | null
  /** The configuration at the provider. */
  feeConfig: JsonObject | null
  metadata: Record<string, string>
  instructions: DepositInstructions | null
  instructionsSince: Date | null
  waitingForKyc: boolean
  /** The provider's code or a Causeway code: the schema of an account lists them. */
  failureCode: string | null
  /** A pending destination, with its start time and requester. */
  pendingDestination: Destination | null
  pendingDestinationActor: string | null
  pendingDestinationAt: Date | null
  createdAt: Date
  updatedAt: Date
}

type Piece = ReturnType<Query>

const withHolder = (query: Query, accounts: Piece) => query`
  select v.*, u.external_user_id, u.provider_customer_id, u.resides_in_eea, u.operates_in_eea
  from ${accounts} v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id`

const read = async (query: Query, which: Piece) =>
  await query<VirtualAccountRow[]>`${withHolder(query, query`virtual_accounts`)} ${which}`

/** Locks accounts against changes and erasure until the transaction ends. */
async function lock(tx: Tx, which: Piece) {
  willLock(tx, 'account')
  return await read(tx, tx`${which} for no key update of v`)
}

export type NewVirtualAccount = Destination &
  Pick<
    VirtualAccountRow,
    | 'businessId'
    | 'id'
    | 'endUserId'
    | 'provider'
    | 'sourceCurrency'
    | 'developerFeePercent'
    | 'travelRuleData'
    | 'feeConfigAsked'
    | 'metadata'
    | 'waitingForKyc'
  >

export async function insertVirtualAccount(tx: Tx, account: NewVirtualAccount): Promise<void> {
  await tx`
    insert into virtual_accounts (business_id, id, end_user_id, provider, source_currency, destination_payment_rail,
      destination_currency, destination_address, destination_wallet_id, destination_prefunded_account_id,
      destination_memo, travel_rule_data, developer_fee_percent, fee_config_asked, metadata, waiting_for_kyc)
    values (${account.businessId}, ${account.id}, ${account.endUserId}, ${account.provider}, ${account.sourceCurrency},
      ${account.destinationPaymentRail}, ${account.destinationCurrency}, ${account.destinationAddress},
      ${account.destinationWalletId},
      ${account.destinationPrefundedAccountId}, ${account.destinationMemo},
      ${account.travelRuleData && tx.json(account.travelRuleData)}, ${account.developerFeePercent},
      ${account.feeConfigAsked && tx.json(account.feeConfigAsked)},
      ${tx.json(account.metadata)}, ${account.waitingForKyc})`
}

/**
 * @returns whether an account at the provider with these terms may belong to another open request: an older request, or
 * one whose key is still valid. Of two requests with expired keys only the younger waits
 */
export async function hasRivalCreation(
  query: Query,
  operation: { id: string },
  account: VirtualAccountRow,
  keyLifeMs: number | null,
): Promise<boolean> {
  const rows = await query`
    select 1 from virtual_accounts v
    join operations o on o.business_id = v.business_id and o.subject_id = v.id and o.kind = 'virtual_account.create'
    join operations own on own.business_id = v.business_id and own.id = ${operation.id}
    where v.business_id = ${account.businessId} and v.end_user_id = ${account.endUserId} and v.id <> ${account.id}
      and o.state in ('running', 'unknown') and o.provider_object_id is null
      and (not o.must_be_read
          and o.created_at > coalesce(now() - make_interval(secs => ${keyLifeMs}::float8 / 1000), '-infinity')
        or (o.created_at, o.id) < (own.created_at, own.id))
      and v.source_currency = ${account.sourceCurrency} and v.destination_payment_rail = ${account.destinationPaymentRail}
      and v.destination_currency = ${account.destinationCurrency} and v.destination_address = ${account.destinationAddress}
      and v.destination_wallet_id is not distinct from ${account.destinationWalletId}
      and v.destination_prefunded_account_id is not distinct from ${account.destinationPrefundedAccountId}
    limit 1`
  return rows.length > 0
}

export async function findVirtualAccount(query: Query, businessId: string, id: string) {
  return (await read(query, byId(query, businessId, id)))[0]
}

const byId = (query: Query, businessId: string, id: string) =>
  query`where v.business_id = ${businessId} and v.id = ${id}`

/** Locks an account. @returns undefined if it has been erased */
export async function lockVirtualAccount(tx: Tx, businessId: string, id: string) {
  return (await lock(tx, byId(tx, businessId, id)))[0]
}

/** `destinationChange`: only accounts with a pending destination change. `metadata`: one entry. */
export type VirtualAccountFilter = {
  externalUserId?: string
  status?: string
  sourceCurrency?: string
  destinationChange?: 'waiting'
  metadata?: Record<string, string>
} & TimeRange

export async function listVirtualAccounts(
  query: Query,
  businessId: string,
  filter: VirtualAccountFilter,
  page: PageRequest,
): Promise<Page<VirtualAccountRow>> {
  const { externalUserId, status, sourceCurrency, destinationChange, metadata } = filter
  const { selected, pagedBy, order, scannedMax } = withLabel(query, 'virtual_accounts', 'v', businessId, metadata)
  const isByHolder = externalUserId !== undefined || metadata !== undefined
  const isByChange = destinationChange !== undefined && !isByHolder
  const inState = isByHolder || isByChange ? null : stateOf({ status, sourceCurrency })
  const scan = query`
    select ${selected} where v.business_id = ${businessId}
      and ${externalUserId === undefined ? query`true` : query`v.end_user_id = (select id from end_users where business_id = ${businessId} and external_user_id = ${externalUserId})`}
      and ${isByChange ? query`v.pending_destination is not null` : query`true`}
      ${placesOf(query, pagedBy, page, filter, inState)}`
  const fits = allOf(query, [
    status === undefined || inState?.[0] === 'status' ? null : query`status = ${status}`,
    sourceCurrency === undefined || inState?.[0] === 'source_currency'
      ? null
      : query`source_currency = ${sourceCurrency}`,
    destinationChange === undefined || isByChange ? null : query`pending_destination is not null`,
  ])
  const shown = (rows: Piece) => query`${withHolder(query, query`(${rows})`)} order by v.created_at desc, v.id desc`
  return await readPage<VirtualAccountRow>(query, { scan, scannedMax, fits, shown, order }, page)
}

/**
 * Locks accounts of a locked end-user that have not followed the verdict yet.
 * @param verdict the currencies in which accounts waiting for approval can be opened; by currency, why open accounts
 * are suspended
 */
export async function lockAccountsBehind(
  tx: Tx,
  { businessId, id }: { businessId: string; id: string },
  { openable, reasons }: { openable: FiatCurrency[]; reasons: Partial<Record<FiatCurrency, SuspendedReason>> },
  limit: number,
) {
  const which = tx`
    where v.business_id = ${businessId} and v.end_user_id = ${id}
      and (v.status = 'pending' and v.waiting_for_kyc and v.source_currency = any(${openable}::text[])
        or v.provider_status is not null and v.suspended_reason is distinct from ${tx.json(reasons)}::jsonb ->> v.source_currency)
    order by v.id limit ${limit}`
  return await lock(tx, which)
}

/** @returns the changed account */
export async function updateVirtualAccount(
  tx: Tx,
  businessId: string,
  id: string,
  {
    instructions,
    metadata,
    feeConfig,
    feeConfigAsked,
    ...plain
  }: Partial<Omit<VirtualAccountRow, 'travelRuleData'>> & { travelRuleData?: null },
) {
  const columns: Record<string, unknown> = {
    ...plain,
    ...(instructions && { instructions: tx.json(instructions) }),
    ...(metadata && { metadata: tx.json(metadata) }),
    ...(feeConfig !== undefined && { feeConfig: feeConfig && tx.json(feeConfig) }),
    ...(feeConfigAsked !== undefined && { feeConfigAsked: feeConfigAsked && tx.json(feeConfigAsked) }),
  }
  let changes = instructions ? tx`updated_at = now(), instructions_since = now()` : tx`updated_at = now()`
  for (const [name, value] of Object.entries(columns)) {
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    changes = tx`${changes}, ${tx.names(column)} = ${value}`
  }
  await tx`update virtual_accounts set ${changes} where business_id = ${businessId} and id = ${id}`
  return only(await read(tx, byId(tx, businessId, id)))
}

/** Deletes an account that the provider refused to open before any caller or event named the account. */
export async function deletePendingAccount(tx: Tx, businessId: string, id: string): Promise<void> {
  await tx`delete from virtual_accounts where business_id = ${businessId} and id = ${id} and status = 'pending'`
}

/** Lists accounts that are open at the provider, in key order. Crosses businesses. */
export async function listAccountsUpstream(query: Query, after: { businessId: string; id: string }, limit: number) {
  const which = query`
    where (v.business_id, v.id) > (${after.businessId}, ${after.id})
      and v.provider_status is not null and v.provider_virtual_account_id is not null
    order by v.business_id, v.id limit ${limit}`
  return await read(query, which)
}

/** Finds the account with one of these IDs at the provider. Crosses businesses. */
export async function findAccountOfProvider(query: Query, provider: string, refs: string[]) {
  return (await read(query, byProviderIds(query, provider, refs)))[0]
}

const byProviderIds = (query: Query, provider: string, refs: string[]) =>
  query`where v.provider = ${provider} and v.provider_virtual_account_id = any(${refs}::text[]) limit 1`

/** Locks the account with one of these IDs at the provider, before its deposits are written. Crosses businesses. */
export async function lockAccountOfProvider(tx: Tx, provider: string, refs: string[]) {
  return (await lock(tx, byProviderIds(tx, provider, refs)))[0]
}

/** Lists which of these provider accounts belong to a stored account or to an open creation. Crosses businesses. */
export async function listTakenProviderIds(query: Query, provider: string, providerIds: string[]): Promise<string[]> {
  const rows = await query<{ id: string }[]>`
    select provider_virtual_account_id as id from virtual_accounts
    where provider = ${provider} and provider_virtual_account_id = any(${providerIds}::text[])
    union
    select provider_object_id from operations
    where state in ('running', 'unknown') and provider = ${provider} and provider_object_id = any(${providerIds}::text[])
    limit ${providerIds.length}`
  return rows.map(({ id }) => id)
}
