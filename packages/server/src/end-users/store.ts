// End-users and their links to the provider's Terms-of-Service page. Link URLs are encrypted: for an existing customer
// the URL contains the email address.
// Above the usual length: a link and the status of its end-user are written by the same statements.

import { only } from '../platform/postgres/database.ts'
import { withLabel } from '../platform/postgres/labels.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import { allOf, type Page, type PageRequest, placesOf, readPage, type TimeRange } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { SecretBox } from '../platform/secrets/secret-box.ts'
import { foldCase } from '../platform/values/fold-case.ts'
import type { Provider } from '../provider/port.ts'
import type { EeaPresence } from './kyc/form/eea.rules.ts'
import type { StoredKyc } from './kyc/status.rules.ts'
import type { OpenInformationRequest, TosStatus } from './schema.rules.ts'

export type KycLinkRow = { id: string; url: string | null; tosUrl: string | null }

export type EndUserKey = { businessId: string; id: string }

export type EndUserRow = EndUserKey &
  StoredKyc &
  EeaPresence & {
    externalUserId: string
    /** The provider that issued the stored provider IDs. */
    provider: string
    email: string | null
    type: 'individual' | 'business'
    metadata: Record<string, string>
    signedAgreementId: string | null
    providerCustomerId: string | null
    /** The provider's clock at the response from which the stored KYC view comes. */
    providerUpdatedAt: Date | null
    providerKycLink: KycLinkRow | null
    /** Null once all accounts have followed the verdict. */
    accountsDueAt: Date | null
    /** Every event of the end-user comes after this position of the business's stream. */
    streamFrom: number
    informationRequests: OpenInformationRequest[]
    createdAt: Date
    updatedAt: Date
  }

/** @returns undefined if the business already has an end-user with this externalUserId */
export async function insertEndUser(
  tx: Tx,
  user: Pick<
    EndUserRow,
    'businessId' | 'id' | 'externalUserId' | 'provider' | 'tosStatus' | 'email' | 'type' | 'metadata'
  >,
): Promise<EndUserRow | undefined> {
  const rows = await tx<EndUserRow[]>`
    insert into end_users (business_id, id, external_user_id, provider, tos_status, email, search_name, search_email, type, metadata, stream_from)
    values (${user.businessId}, ${user.id}, ${user.externalUserId}, ${user.provider}, ${user.tosStatus}, ${user.email},
      ${foldCase(user.externalUserId)}, ${user.email && foldCase(user.email)}, ${user.type}, ${tx.json(user.metadata)},
      (select coalesce(max(position), 0) from event_streams where business_id = ${user.businessId}))
    on conflict (business_id, external_user_id) do nothing returning *`
  return rows[0]
}

export async function findEndUser(
  query: Query,
  businessId: string,
  externalUserId: string,
): Promise<EndUserRow | undefined> {
  const rows = await query<EndUserRow[]>`
    select * from end_users where business_id = ${businessId} and external_user_id = ${externalUserId}`
  return rows[0]
}

export async function getEndUser(query: Query, { businessId, id }: EndUserKey): Promise<EndUserRow> {
  return only(await query<EndUserRow[]>`select * from end_users where business_id = ${businessId} and id = ${id}`)
}

export async function findEndUserById(query: Query, businessId: string, id: string): Promise<EndUserRow | undefined> {
  const rows = await query<EndUserRow[]>`select * from end_users where business_id = ${businessId} and id = ${id}`
  return rows[0]
}

/** Finds the end-user with this customer at the provider. Crosses businesses. */
export async function findEndUserOfCustomer(
  query: Query,
  provider: string,
  customerId: string,
): Promise<EndUserKey | undefined> {
  const rows = await query<EndUserKey[]>`
    select business_id, id from end_users where provider = ${provider} and provider_customer_id = ${customerId}`
  return rows[0]
}

/** Locks an end-user against changes and erasure. @returns undefined if the end-user has been erased */
export async function lockEndUser(tx: Tx, { businessId, id }: EndUserKey): Promise<EndUserRow | undefined> {
  willLock(tx, 'endUser')
  const rows = await tx<EndUserRow[]>`
    select * from end_users where business_id = ${businessId} and id = ${id} for no key update`
  return rows[0]
}

export type EndUserChange = Partial<Pick<EndUserRow, 'email' | 'type' | 'metadata'>>

/** Changes the given properties; metadata is replaced as a whole. */
export async function changeEndUser(
  tx: Tx,
  { businessId, id }: EndUserKey,
  change: EndUserChange,
): Promise<EndUserRow> {
  const { email, type, metadata } = change
  return only(
    await tx<EndUserRow[]>`
      update end_users set updated_at = now(),
        email = ${email === undefined ? tx`email` : tx`${email}`},
        search_email = ${email === undefined ? tx`search_email` : tx`${email && foldCase(email)}`},
        type = ${type === undefined ? tx`type` : tx`${type}`},
        metadata = ${metadata === undefined ? tx`metadata` : tx`${tx.json(metadata)}`}
      where business_id = ${businessId} and id = ${id} returning *`,
  )
}

/** `metadata`: one entry. */
export type EndUserFilter = Partial<Pick<EndUserRow, 'externalUserId' | 'kycStatus' | 'type' | 'metadata'>> & TimeRange

export async function listEndUsers(
  query: Query,
  businessId: string,
  filter: EndUserFilter,
  page: PageRequest,
): Promise<Page<EndUserRow>> {
  const { externalUserId, kycStatus, type, metadata } = filter
  const { selected, pagedBy, order, scannedMax } = withLabel(query, 'end_users', 'u', businessId, metadata)
  const isByState = kycStatus !== undefined && externalUserId === undefined && metadata === undefined
  const scan = query`
    select ${selected} where u.business_id = ${businessId}
      and ${externalUserId === undefined ? query`true` : query`u.external_user_id = ${externalUserId}`}
      ${placesOf(query, pagedBy, page, filter, isByState ? ['kyc_status', kycStatus] : null)}`
  const fits = allOf(query, [
    kycStatus === undefined || isByState ? null : query`kyc_status = ${kycStatus}`,
    type === undefined ? null : query`type = ${type}`,
  ])
  return await readPage<EndUserRow>(
    query,
    { scan, scannedMax, fits, order: isByState ? query`kyc_status desc, ${order}` : order },
    page,
  )
}

/** Lists the end-users that exist, or may exist, at the provider, in key order. Crosses businesses. */
export async function listEndUsersUpstream(query: Query, after: EndUserKey, limit: number): Promise<EndUserRow[]> {
  return await query<EndUserRow[]>`
    select * from end_users
    where (business_id, id) > (${after.businessId}, ${after.id})
      and (provider_customer_id is not null or provider_kyc_link is not null)
    order by business_id, id limit ${limit}`
}

/** Time for storing or taking over a verdict before the resume loop takes it over. */
const followUpTime = '10 seconds'

/** Takes over verdicts that accounts have not followed yet. Crosses businesses, for the resume loop. */
export async function claimAccountsDue(tx: Tx, limit: number): Promise<EndUserKey[]> {
  willLock(tx, 'endUser')
  return await tx<EndUserKey[]>`
    update end_users u set accounts_due_at = now() + ${followUpTime}::interval
    from (
      select business_id, id from end_users where accounts_due_at <= now()
      order by accounts_due_at limit ${limit} for no key update skip locked
    ) due
    where u.business_id = due.business_id and u.id = due.id returning u.business_id, u.id`
}

/** @returns milliseconds until the next verdict may be taken over; null if the accounts have followed all */
export async function nextAccountsDueMs(query: Query): Promise<number | null> {
  const rows = await query<{ ms: number | null }[]>`
    select (extract(epoch from min(accounts_due_at) - now()) * 1000)::float8 as ms
    from end_users where accounts_due_at is not null`
  return rows[0]?.ms ?? null
}

/** Records for a locked end-user whether accounts must still follow the verdict. */
export async function saveAccountsDue(tx: Tx, { businessId, id }: EndUserKey, areDue: boolean): Promise<void> {
  await tx`
    update end_users set accounts_due_at = case when ${areDue} then now() end
    where business_id = ${businessId} and id = ${id}`
}

/**
 * Replaces the provider's view of an end-user.
 * @param hasChanged whether the API shows a change; the provider's clock and the presence in the EEA do not count
 * @param isVerdictNew whether the accounts must follow
 */
export async function saveProviderView(
  tx: Tx,
  user: EndUserRow,
  { hasChanged, isVerdictNew }: { hasChanged: boolean; isVerdictNew: boolean },
): Promise<EndUserRow> {
  return only(
    await tx<EndUserRow[]>`
      update end_users set kyc_status = ${user.kycStatus}, provider_status = ${user.providerStatus},
        pause_reason = ${user.pauseReason}, tos_status = ${user.tosStatus}, signed_agreement_id = ${user.signedAgreementId}, rails = ${tx.json(user.rails)},
        requirements = ${tx.json(user.requirements)}, rejection_reasons = ${tx.json(user.rejectionReasons)},
        provider_customer_id = ${user.providerCustomerId}, provider_updated_at = ${user.providerUpdatedAt},
        resides_in_eea = ${user.residesInEea}, operates_in_eea = ${user.operatesInEea},
        accounts_due_at = case
          when ${isVerdictNew} and exists (
            select 1 from virtual_accounts v where v.business_id = ${user.businessId} and v.end_user_id = ${user.id})
          then now() + ${followUpTime}::interval else accounts_due_at end,
        updated_at = case when ${hasChanged} then now() else updated_at end
      where business_id = ${user.businessId} and id = ${user.id} returning *`,
  )
}

export async function saveKycLink(tx: Tx, { businessId, id }: EndUserKey, link: KycLinkRow): Promise<void> {
  await tx`
    update end_users set provider_kyc_link = ${tx.json(link)}, updated_at = now() where business_id = ${businessId} and id = ${id}`
}

/**
 * Returns whether one of these IDs, of a customer, a KYC link or an end-user, belongs to an end-user of this business.
 */
export async function isHeldWithin(
  query: Query,
  provider: string,
  businessId: string,
  ids: readonly string[],
): Promise<boolean> {
  const rows = await query`
    select 1 from end_users
    where business_id = ${businessId}
      and (id = any(${[...ids]}::text[]) or provider = ${provider}
        and (provider_customer_id = any(${[...ids]}::text[]) or provider_kyc_link->>'id' = any(${[...ids]}::text[]))) limit 1`
  return rows.length > 0
}

/** Returns whether one of these IDs, of a customer or a KYC link, belongs to another end-user. Crosses businesses. */
export async function isHeldByAnother(
  query: Query,
  { id, provider }: Pick<EndUserRow, 'id' | 'provider'>,
  providerIds: string[],
): Promise<boolean> {
  const [row] = await query<{ isHeld: boolean }[]>`
    select is_held_by_another(${id}, ${provider}, ${providerIds}::text[]) as is_held`
  return row?.isHeld === true
}

/**
 * Claims a read at the provider. @returns false if the provider was asked about this end-user less than `secondsMin`
 * ago
 */
export async function claimProviderQuestion(
  tx: Tx,
  { businessId, id }: EndUserKey,
  secondsMin: number,
): Promise<boolean> {
  const rows = await tx`
    update end_users set provider_asked_at = now()
    where business_id = ${businessId} and id = ${id}
      and (provider_asked_at is null or provider_asked_at <= now() - make_interval(secs => ${secondsMin})) returning id`
  return rows.length === 1
}

/**
 * Returns whether a creation with one of these email fingerprints may have arrived for another end-user. Crosses
 * businesses.
 */
export async function isCreationOpenElsewhere(query: Query, endUserId: string, emailMarks: string[]): Promise<boolean> {
  const [row] = await query<{ isOpen: boolean }[]>`
    select is_creation_open_elsewhere(${endUserId}, ${emailMarks}::text[]) as is_open`
  return row?.isOpen === true
}

export type TosLinkRow = {
  businessId: string
  id: string
  endUserId: string
  providerUrl: string
  redirectUri: string | null
  status: TosStatus
}

type Secrets = { secrets: SecretBox }
type AtProvider = { provider: Pick<Provider, 'terms'> }

/**
 * Decrypts the URL of a link: the provider's page, which redirects to the caller's `redirectUri` if the provider
 * supports that.
 * @returns null if no deployment secret opens the URL: then a new link is needed
 */
export function tosUrlOf({ secrets, provider }: Secrets & AtProvider, link: TosLinkRow): string | null {
  try {
    const url = secrets.open(Buffer.from(link.providerUrl, 'base64'), link.id)
    const withReturn = provider.terms?.withReturn
    return link.redirectUri === null || !withReturn ? url : withReturn(url, link.redirectUri)
  } catch {
    return null
  }
}

/** Finds the latest pending link of an end-user. */
export async function findOpenTosLink(query: Query, user: EndUserKey): Promise<TosLinkRow | undefined> {
  const rows = await query<TosLinkRow[]>`
    select * from tos_links
    where business_id = ${user.businessId} and end_user_id = ${user.id} and status = 'pending' and expires_at > now()
    order by created_at desc limit 1`
  return rows[0]
}

/** How long a link is reused; the provider documents no expiry for its links. */
const tosLinkLifeHours = 24

type NewTosLink = Pick<TosLinkRow, 'businessId' | 'id' | 'endUserId' | 'redirectUri'>

export async function insertTosLink({ secrets }: Secrets, tx: Tx, link: NewTosLink, url: string): Promise<TosLinkRow> {
  const { businessId, id, endUserId, redirectUri } = link
  const providerUrl = secrets.seal(url, id).toString('base64')
  return only(
    await tx<TosLinkRow[]>`
      with open_again as (
        update end_users set tos_status = 'pending', updated_at = now()
        where business_id = ${businessId} and id = ${endUserId} and tos_status = 'expired'
      )
      insert into tos_links (business_id, id, end_user_id, provider_url, redirect_uri, expires_at)
      values (${businessId}, ${id}, ${endUserId}, ${providerUrl}, ${redirectUri},
        now() + make_interval(hours => ${tosLinkLifeHours}))
      returning *`,
  )
}

/** Stores the redirect address of an open link. */
export async function saveRedirectUri(tx: Tx, { businessId, id, redirectUri }: TosLinkRow): Promise<void> {
  await tx`update tos_links set redirect_uri = ${redirectUri} where business_id = ${businessId} and id = ${id}`
}

/** Marks the open links of an end-user as accepted. */
export async function acceptTosLinks(tx: Tx, user: EndUserKey): Promise<void> {
  await tx`
    update tos_links set status = 'approved'
    where business_id = ${user.businessId} and end_user_id = ${user.id} and status = 'pending'`
}

/**
 * Expires links across businesses, for the sweep loop. An end-user whose last link expired before acceptance gets the
 * status `expired`. The end-users are locked before their links, as everywhere; those locked by another transaction are
 * left to the next sweep.
 */
export async function expireTosLinks(tx: Tx, limit: number): Promise<number> {
  willLock(tx, 'endUser')
  const rows = await tx`
    with due as (
      select distinct business_id, end_user_id from (
        select business_id, end_user_id from tos_links where status = 'pending' and expires_at <= now() limit ${limit}) l
    ), held as materialized (
      select u.business_id, u.id from end_users u join due d on d.business_id = u.business_id and d.end_user_id = u.id
      order by u.business_id, u.id for no key update of u skip locked
    ), gone as (
      update tos_links l set status = 'expired' from held
      where l.business_id = held.business_id and l.end_user_id = held.id and l.status = 'pending' and l.expires_at <= now()
    )
    update end_users u set tos_status = 'expired', updated_at = now() from held
    where u.business_id = held.business_id and u.id = held.id and u.tos_status = 'pending'
    returning u.id`
  return rows.length
}
