// Businesses and their API keys.

import type { Scope } from '../platform/http/caller.ts'
import { only } from '../platform/postgres/database.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import { type Page, type PageRequest, pageOf, placesOf, readPage, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { foldCase } from '../platform/values/fold-case.ts'

export type BusinessRow = {
  id: string
  name: string
  status: 'active' | 'suspended'
  emailConflicts: number
  emailConflictLastAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export type ApiKeyRow = {
  businessId: string
  id: string
  name: string
  lastFour: string
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
  /** The ID of an API key, or `operator`. */
  createdBy: string
}

export async function insertBusiness(tx: Tx, business: { id: string; name: string }): Promise<BusinessRow> {
  await tx`insert into event_streams (business_id) values (${business.id})`
  return only(
    await tx<BusinessRow[]>`
      insert into businesses (id, name, search_name)
      values (${business.id}, ${business.name}, ${foldCase(business.name)}) returning *`,
  )
}

export async function findBusiness(query: Query, id: string): Promise<BusinessRow | undefined> {
  const rows = await query<BusinessRow[]>`select * from businesses where id = ${id}`
  return rows[0]
}

/** Crosses businesses: for the operator only. */
export async function listAllBusinesses(
  query: Query,
  { status, q }: BusinessFilter,
  page: PageRequest,
): Promise<Page<BusinessRow>> {
  const scan = query`
    select * from businesses
    where true ${placesOf(query, 'businesses', page, {}, status === undefined ? null : ['status', status])}`
  const fits = q === undefined ? null : query`strpos(search_name, ${foldCase(q)}) > 0 or id = ${q}`
  return await readPage<BusinessRow>(query, { scan, fits }, page)
}

/** `q`: a part of the name, or the ID. */
export type BusinessFilter = { status?: BusinessRow['status']; q?: string }

/** Counts a refusal of an email address that belongs to a customer of another business. @returns the new count */
export async function countEmailConflict(tx: Tx, id: string): Promise<number> {
  willLock(tx, 'business')
  const [row] = await tx<{ emailConflicts: number }[]>`
    update businesses set email_conflicts = email_conflicts + 1, email_conflict_last_at = now()
    where id = ${id} returning email_conflicts`
  return row?.emailConflicts ?? 0
}

/** Locks a business against changes until the transaction ends. */
export async function lockBusiness(tx: Tx, id: string): Promise<BusinessRow | undefined> {
  willLock(tx, 'business')
  const rows = await tx<BusinessRow[]>`select * from businesses where id = ${id} for no key update`
  return rows[0]
}

export async function updateBusiness(
  tx: Tx,
  id: string,
  change: { name?: string; status?: 'active' | 'suspended' },
): Promise<BusinessRow | undefined> {
  const rows = await tx<BusinessRow[]>`
    update businesses set name = coalesce(${change.name ?? null}, name),
      search_name = coalesce(${change.name === undefined ? null : foldCase(change.name)}, search_name),
      status = coalesce(${change.status ?? null}, status), updated_at = now()
    where id = ${id} returning *`
  return rows[0]
}

/** All columns except the digest, which nobody needs to see again. */
const keyColumnsSql = (query: Query) =>
  query`business_id, id, name, last_four, scopes, created_at, expires_at, last_used_at, revoked_at, created_by`

export async function insertApiKey(
  tx: Tx,
  key: Pick<ApiKeyRow, 'businessId' | 'id' | 'name' | 'lastFour' | 'expiresAt' | 'createdBy'> & {
    scopes: readonly Scope[]
    digest: Buffer
    secretKeyId: string
    ancestors: readonly string[]
  },
): Promise<ApiKeyRow> {
  return only(
    await tx<ApiKeyRow[]>`
      insert into api_keys (business_id, id, name, digest, secret_key_id, last_four, scopes, expires_at, created_by,
        ancestors)
      values (${key.businessId}, ${key.id}, ${key.name}, ${key.digest}, ${key.secretKeyId}, ${key.lastFour}, ${key.scopes as Scope[]}, ${key.expiresAt},
        ${key.createdBy}, ${key.ancestors as string[]})
      returning ${keyColumnsSql(tx)}`,
  )
}

export type KeyHolder = {
  keyId: string
  businessId: string
  name: string
  status: 'active' | 'suspended'
  scopes: Scope[]
  expiresAt: Date | null
  /** ID of the deployment secret that created the digest. */
  secretKeyId: string | null
}

/** Finds the business of a request by its key. Crosses businesses. Finds live keys only. */
export async function findKeyHolder(query: Query, digests: readonly Buffer[]): Promise<KeyHolder | undefined> {
  const rows = await query<KeyHolder[]>`
    select k.id as key_id, b.id as business_id, b.name, b.status, k.scopes, k.expires_at, k.secret_key_id
    from api_keys k join businesses b on b.id = k.business_id
    where k.digest = any(${digests}::bytea[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    limit 1`
  return rows[0]
}

export async function listApiKeys(query: Query, businessId: string, page: PageRequest): Promise<Page<ApiKeyRow>> {
  const rows = await query<ApiKeyRow[]>`
    select ${keyColumnsSql(query)} from api_keys
    where business_id = ${businessId} ${pageOf(query, 'api_keys', page)}`
  return toPage(rows, page.limit)
}

export async function lockApiKey(tx: Tx, businessId: string, id: string): Promise<ApiKeyRow | undefined> {
  willLock(tx, 'apiKey')
  const rows = await tx<ApiKeyRow[]>`
    select ${keyColumnsSql(tx)} from api_keys where business_id = ${businessId} and id = ${id} for no key update`
  return rows[0]
}

export async function countLiveApiKeys(tx: Tx, businessId: string): Promise<number> {
  const rows = await tx<{ count: number }[]>`
    select count(*)::int as count from api_keys
    where business_id = ${businessId} and revoked_at is null and (expires_at is null or expires_at > now())`
  return only(rows).count
}

/** Ends a key at `at`, unless it expires sooner; now if `at` is null. */
export async function endApiKey(tx: Tx, businessId: string, id: string, at: Date | null): Promise<void> {
  if (at)
    await tx`update api_keys set expires_at = least(coalesce(expires_at, ${at}), ${at}) where business_id = ${businessId} and id = ${id}`
  else
    await tx`update api_keys set revoked_at = coalesce(revoked_at, now()) where business_id = ${businessId} and id = ${id}`
}

export type ApiKeyId = Pick<ApiKeyRow, 'businessId' | 'id'>

export async function touchApiKeys(tx: Tx, used: readonly ApiKeyId[]): Promise<void> {
  willLock(tx, 'apiKey')
  await tx`
    with used as materialized (
      select business_id, id from api_keys
      where (business_id, id) in (
        select * from unnest(${used.map((key) => key.businessId)}::text[], ${used.map((key) => key.id)}::text[]))
      order by business_id, id for no key update
    )
    update api_keys k set last_used_at = now() from used u where k.business_id = u.business_id and k.id = u.id`
}

/**
 * Stores the digest of a key under another deployment secret. A server with an older newest secret than another server
 * changes nothing: otherwise the two would undo each other's move again and again.
 */
export async function moveDigest(
  tx: Tx,
  { businessId, keyId }: Pick<KeyHolder, 'businessId' | 'keyId'>,
  digest: Buffer,
  secretKeyId: string,
): Promise<void> {
  willLock(tx, 'apiKey')
  await tx`
    update api_keys set digest = ${digest}, secret_key_id = ${secretKeyId}
    where business_id = ${businessId} and id = ${keyId} and revoked_at is null and not exists (
      select 1 from deployment_secret_writers w join deployment_secrets s on s.key_id = w.key_id
      where w.until >= now()
        and s.first_seen > (select first_seen from deployment_secrets where key_id = ${secretKeyId}))`
}
