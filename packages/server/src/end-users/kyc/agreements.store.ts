// Which end-user a signed agreement counts for: one across all businesses. An agreement is known by its digest alone.

import type { Tx } from '../../platform/postgres/query.ts'
import type { EndUserKey } from '../store.ts'

type Claim = { user: EndUserKey; digest: Buffer }

/**
 * Binds an agreement to an end-user. Of two transactions that bind one agreement, the second waits for the first.
 * @returns `of_another` when the agreement is bound to another end-user, of this business or of another one
 */
export async function bindAgreement(tx: Tx, { user, digest }: Claim): Promise<'bound' | 'bound_before' | 'of_another'> {
  const bound = await tx`
    insert into signed_agreements (business_id, digest, end_user_id) values (${user.businessId}, ${digest}, ${user.id})
    on conflict do nothing returning 1`
  if (bound.length > 0) return 'bound'
  const own = await tx`
    select 1 from signed_agreements
    where business_id = ${user.businessId} and digest = ${digest} and end_user_id = ${user.id}`
  return own.length > 0 ? 'bound_before' : 'of_another'
}

/**
 * Frees an agreement that the provider has not taken. The agreement stays bound if the end-user holds it, or if it was bound
 * before and the provider has a customer for the end-user: it may have taken it then.
 */
export async function freeAgreement(
  tx: Tx,
  { user, digest }: Claim,
  agreementId: string,
  isNew: boolean,
): Promise<void> {
  const { businessId, id } = user
  await tx`
    delete from signed_agreements
    where business_id = ${businessId} and digest = ${digest} and end_user_id = ${id} and exists (
      select from end_users where business_id = ${businessId} and id = ${id}
        and signed_agreement_id is distinct from ${agreementId} and (${isNew} or provider_customer_id is null))`
}
