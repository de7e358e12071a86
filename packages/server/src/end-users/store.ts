// End-users. Their links to the terms stand in tos-links.store.ts.

import { only } from '../platform/postgres/db.ts'
import { willLock } from '../platform/postgres/lock-order.ts'
import { type Page, type PageRequest, pageOf, type TimeRange, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { Standing } from './kyc/status.rules.ts'

export type KycLinkRow = { id: string; url: string | null; tosUrl: string | null }

export type EndUserKey = { businessId: string; id: string }

export type EndUserRow = EndUserKey &
  Standing & {
    externalUserId: string
    email: string | null
    type: 'individual' | 'business'
    metadata: Record<string, string>
    signedAgreementId: string | null
    providerCustomerId: string | null
    /** The provider's clock at the answer that our view of KYC stands on. */
    providerUpdatedAt: Date | null
    providerKycLink: KycLinkRow | null
    createdAt: Date
    updatedAt: Date
  }

/** @returns undefined when the business already has an end-user with this externalUserId */
export async function insertEndUser(
  tx: Tx,
  user: Pick<EndUserRow, 'businessId' | 'id' | 'externalUserId' | 'email' | 'type' | 'metadata'>,
): Promise<EndUserRow | undefined> {
  const rows = await tx<EndUserRow[]>`
    insert into end_users (business_id, id, external_user_id, email, type, metadata)
    values (${user.businessId}, ${user.id}, ${user.externalUserId}, ${user.email}, ${user.type}, ${tx.json(user.metadata)})
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

/** Locks an end-user against changes and erasure. @returns undefined when the end-user has been erased */
export async function lockEndUser(tx: Tx, { businessId, id }: EndUserKey): Promise<EndUserRow | undefined> {
  willLock(tx, 'endUser')
  const rows = await tx<EndUserRow[]>`
    select * from end_users where business_id = ${businessId} and id = ${id} for no key update`
  return rows[0]
}

export type EndUserChange = Partial<Pick<EndUserRow, 'email' | 'type' | 'metadata'>>

/** Changes the properties that are given; metadata is replaced as a whole. */
export async function changeEndUser(
  tx: Tx,
  businessId: string,
  id: string,
  { email, type, metadata }: EndUserChange,
): Promise<EndUserRow> {
  return only(
    await tx<EndUserRow[]>`
      update end_users set updated_at = now(),
        email = ${email === undefined ? tx`email` : tx`${email}`},
        type = ${type === undefined ? tx`type` : tx`${type}`},
        metadata = ${metadata === undefined ? tx`metadata` : tx`${tx.json(metadata)}`}
      where business_id = ${businessId} and id = ${id} returning *`,
  )
}

export type EndUserFilter = Partial<Pick<EndUserRow, 'externalUserId' | 'kycStatus' | 'type'>> & TimeRange

export async function listEndUsers(
  query: Query,
  businessId: string,
  filter: EndUserFilter,
  page: PageRequest,
): Promise<Page<EndUserRow>> {
  const rows = await query<EndUserRow[]>`
    select * from end_users
    where business_id = ${businessId}
      and ${filter.externalUserId === undefined ? query`true` : query`external_user_id = ${filter.externalUserId}`}
      and ${filter.kycStatus === undefined ? query`true` : query`kyc_status = ${filter.kycStatus}`}
      and ${filter.type === undefined ? query`true` : query`type = ${filter.type}`}
      ${pageOf(query, 'end_users', page, filter)}`
  return toPage(rows, page.limit)
}

/** Lists, across businesses, the end-users whom the provider knows or may know by now, in the order of their keys. */
export async function listEndUsersUpstream(query: Query, after: EndUserKey, limit: number): Promise<EndUserRow[]> {
  return await query<EndUserRow[]>`
    select * from end_users
    where (business_id, id) > (${after.businessId}, ${after.id})
      and (provider_customer_id is not null or provider_kyc_link is not null)
    order by business_id, id limit ${limit}`
}

/**
 * Replaces the provider's view of an end-user.
 * @param hasChanged whether the API shows a change; the provider's clock alone is none
 */
export async function saveProviderView(tx: Tx, user: EndUserRow, hasChanged: boolean): Promise<EndUserRow> {
  return only(
    await tx<EndUserRow[]>`
      update end_users set kyc_status = ${user.kycStatus}, provider_status = ${user.providerStatus},
        tos_status = ${user.tosStatus}, signed_agreement_id = ${user.signedAgreementId}, rails = ${tx.json(user.rails)},
        requirements = ${tx.json(user.requirements)}, rejection_reasons = ${tx.json(user.rejectionReasons)},
        provider_customer_id = ${user.providerCustomerId}, provider_updated_at = ${user.providerUpdatedAt},
        updated_at = case when ${hasChanged} then now() else updated_at end
      where business_id = ${user.businessId} and id = ${user.id} returning *`,
  )
}

export async function saveKycLink(tx: Tx, { businessId, id }: EndUserKey, link: KycLinkRow): Promise<void> {
  await tx`
    update end_users set provider_kyc_link = ${tx.json(link)}, updated_at = now() where business_id = ${businessId} and id = ${id}`
}

/** Tells whether one of these ids, of a customer, a KYC link or an end-user, belongs to an end-user of this business. */
export async function isHeldWithin(query: Query, businessId: string, ids: readonly string[]): Promise<boolean> {
  const rows = await query`
    select 1 from end_users
    where business_id = ${businessId}
      and (id = any(${[...ids]}::text[]) or provider_customer_id = any(${[...ids]}::text[])
        or provider_kyc_link->>'id' = any(${[...ids]}::text[])) limit 1`
  return rows.length > 0
}

/** Tells, across businesses, whether one of these ids, of a customer or a KYC link, belongs to another end-user. */
export async function isHeldByAnother(query: Query, endUserId: string, providerIds: string[]): Promise<boolean> {
  const [row] = await query<{ isHeld: boolean }[]>`
    select is_held_by_another(${endUserId}, ${providerIds}::text[]) as is_held`
  return row?.isHeld === true
}

/** Claims a read at the provider. @returns false when the provider was asked about this end-user less than `secondsMin` ago */
export async function claimProviderQuestion(
  tx: Tx,
  businessId: string,
  id: string,
  secondsMin: number,
): Promise<boolean> {
  const rows = await tx`
    update end_users set provider_asked_at = now()
    where business_id = ${businessId} and id = ${id}
      and (provider_asked_at is null or provider_asked_at <= now() - make_interval(secs => ${secondsMin})) returning id`
  return rows.length === 1
}

/** Tells, across businesses, whether a creation under one of these e-mail marks may have arrived for another end-user. */
export async function isCreationOpenElsewhere(query: Query, endUserId: string, emailMarks: string[]): Promise<boolean> {
  const [row] = await query<{ isOpen: boolean }[]>`
    select is_creation_open_elsewhere(${endUserId}, ${emailMarks}::text[]) as is_open`
  return row?.isOpen === true
}
