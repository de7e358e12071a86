// The acceptance of the terms in a KYC submission: an agreement from the provider's page, valid for one end-user, or a
// statement of the business (Terms reliance), which the operator must allow.

import { createHash } from 'node:crypto'
import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import type { JsonObject } from '../../platform/values/json.ts'
import type { EndUserRow } from '../store.ts'
import { bindAgreement, freeAgreement } from './agreements.store.ts'

/**
 * `page`: issued by the provider's page. `business`: the business states the acceptance, under its own identifier.
 * `held`: the provider says that the terms are accepted, and no agreement is sent.
 */
export type Agreement = { by: 'page' | 'business'; id: string } | { by: 'held' }

/**
 * Finds the acceptance of a submission: from the body, else the stored agreement.
 * @returns undefined without one
 * @throws ApiError `terms_reliance_not_enabled`
 */
export function agreementOf({ config }: Core, user: EndUserRow, submission: JsonObject): Agreement | undefined {
  const given = submission['signed_agreement_id']
  if (submission['has_accepted_terms_of_service'] === true && typeof given === 'string') {
    if (config.termsReliance === 'off') throw relianceNotEnabled('has_accepted_terms_of_service', user.externalUserId)
    return { by: 'business', id: given }
  }
  if (typeof given === 'string') return { by: 'page', id: given }
  if (user.signedAgreementId !== null) return { by: 'page', id: user.signedAgreementId }
  return user.tosStatus === 'approved' ? { by: 'held' } : undefined
}

/** Creates the error for a business that states an acceptance without the operator's permission. */
export const relianceNotEnabled = (param: string, externalUserId: string) =>
  fail('terms_reliance_not_enabled', { param, facts: { externalUserId } })

/**
 * Binds the agreement of a submission to its end-user, before the submission is sent.
 * @returns whether the agreement was not bound before
 * @throws ApiError `signed_agreement_invalid` if the agreement is bound to another end-user
 */
export async function bindTo(tx: Tx, user: EndUserRow, agreement: Agreement): Promise<boolean> {
  if (agreement.by !== 'page') return false
  const outcome = await bindAgreement(tx, { user, digest: digestOf(agreement.id) })
  if (outcome !== 'of_another') return outcome === 'bound'
  const message = 'signed_agreement_id counts for another end-user: each end-user accepts the terms once more.'
  throw fail('signed_agreement_invalid', {
    param: 'signed_agreement_id',
    facts: { externalUserId: user.externalUserId },
    details: [{ param: 'signed_agreement_id', code: 'agreement_of_another_end_user', message }],
  })
}

/** Frees the agreement of a submission if the provider did not accept it. @param isNew as `bindTo` returned */
export async function freeFrom(tx: Tx, user: EndUserRow, agreement: Agreement, isNew: boolean): Promise<void> {
  if (agreement.by !== 'page') return
  await freeAgreement(tx, { user, digest: digestOf(agreement.id) }, agreement.id, isNew)
}

// The page's IDs are random (122 bits), so a digest without a key reveals none. A keyless digest survives the rotation
// of deployment secrets, so a used agreement stays used.
const digestOf = (id: string): Buffer => createHash('sha256').update('signed agreement\0').update(id).digest()
