// The ancestors and descendants of API keys, console links and onboarding links. Crosses subjects: a credential that leaked
// ends with everything that was created with it. Touches api_keys, console_links, console_sessions and onboarding_links.

import { willLock } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'

/** @property credentialId of an API key, or of a staff member, who is in no chain of credentials */
type Creator = { businessId: string; credentialId: string; consoleLinkId: string | null }

/**
 * Locks the credentials of a caller against their revocation.
 * @returns them with all that led to them; null where one of them is revoked
 */
export async function lockDescent(
  tx: Tx,
  { businessId, credentialId, consoleLinkId }: Creator,
): Promise<string[] | null> {
  willLock(tx, 'apiKey')
  const found = await tx<{ ancestors: string[]; isRevoked: boolean }[]>`
    select ancestors || id as ancestors, revoked_at is not null as is_revoked from api_keys
    where business_id = ${businessId} and id = ${credentialId} for share`
  if (consoleLinkId !== null)
    found.push(
      ...(await tx<{ ancestors: string[]; isRevoked: boolean }[]>`
        select ancestors || id as ancestors, revoked_at is not null as is_revoked from console_links
        where business_id = ${businessId} and id = ${consoleLinkId} for share`),
    )
  return found.some(({ isRevoked }) => isRevoked) ? null : [...new Set(found.flatMap(({ ancestors }) => ancestors))]
}

export type Revoked = { apiKeys: string[]; consoleLinks: string[]; onboardingLinks: string[] }

/** Revokes what has this ancestor and was not revoked before. @returns the ids */
export async function revokeDescendants(tx: Tx, businessId: string, ancestor: string): Promise<Revoked> {
  const made = tx`business_id = ${businessId} and ancestors @> ${[ancestor]}::text[]`
  willLock(tx, 'apiKey')
  const keys = await tx<{ id: string }[]>`
    update api_keys set revoked_at = now() where ${made} and revoked_at is null returning id`
  const links = await tx<{ id: string }[]>`
    update console_links set revoked_at = now() where ${made} and revoked_at is null returning id`
  await tx`
    delete from console_sessions where business_id = ${businessId} and link_id in (select id from console_links where ${made})`
  const onboarding = await tx<{ id: string }[]>`
    update onboarding_links set revoked_at = now(), session_digest = null
    where ${made} and completed_at is null and abandoned_at is null and revoked_at is null returning id`
  const [apiKeys = [], consoleLinks = [], onboardingLinks = []] = [keys, links, onboarding].map((rows) =>
    rows.map(({ id }) => id),
  )
  return { apiKeys, consoleLinks, onboardingLinks }
}
