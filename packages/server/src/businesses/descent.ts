// Which credentials led to which: for the revocation of a credential with everything that was created with it.

import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { notifyPages } from '../platform/postgres/notify.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { lockDescent, type Revoked, revokeDescendants } from './descent.store.ts'

/**
 * Lists what led to a credential or link that a business creates now: its API key, its console link, and what led to these.
 * Holds both against revocation until the transaction ends, so that nothing is created behind a revocation.
 * @throws ApiError `api_key_invalid` when one of them has been revoked in the meantime
 */
export async function ancestorsOf(tx: Tx, { id, credentialId, consoleLinkId }: Business): Promise<string[]> {
  const ancestors = await lockDescent(tx, { businessId: id, credentialId, consoleLinkId })
  if (ancestors === null) throw fail('api_key_invalid')
  return ancestors
}

/**
 * Revokes everything that was created with an API key or console link, directly or indirectly. The credential itself is revoked
 * by this transaction already.
 */
export async function revokeCreated(tx: Tx, businessId: string, ancestor: string): Promise<Revoked> {
  const all: Revoked = { apiKeys: [], consoleLinks: [], onboardingLinks: [] }
  // A key that is revoked in one round may have created another while the round waited for it. A round without a new credential
  // is the last: what is revoked creates nothing more.
  for (;;) {
    const found = await revokeDescendants(tx, businessId, ancestor)
    all.apiKeys.push(...found.apiKeys)
    all.consoleLinks.push(...found.consoleLinks)
    all.onboardingLinks.push(...found.onboardingLinks)
    if (found.apiKeys.length + found.consoleLinks.length === 0) break
  }
  await notifyPages(tx, businessId)
  return all
}

/** How many of each were revoked, for the audit log. */
export function countsOf({ apiKeys, consoleLinks, onboardingLinks }: Revoked) {
  return {
    apiKeys: apiKeys.length,
    consoleLinks: consoleLinks.length,
    onboardingLinks: onboardingLinks.length,
  }
}
