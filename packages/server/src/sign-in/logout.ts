// The end of sessions: from the issuer, by back-channel logout, and at the issuer, by its page.

import { deploymentChain } from '../audit/audit.rules.ts'
import { endStaffSessions } from '../console/staff-sessions.ts'
import { causeway } from '../platform/http/caller.ts'
import type { SignsIn } from './ports.ts'
import { reasonOf } from './protocol/failures.ts'
import { endSessionUrl, readLogoutToken } from './protocol/logout.ts'
import { addressesOf, findSettings } from './settings.ts'

/**
 * Ends the sessions that a logout token of the issuer names.
 * @returns how many
 * @throws Error if the token does not verify
 */
export async function endByIssuer(
  deps: SignsIn,
  businessId: string,
  token: string,
  requestId: string,
): Promise<number> {
  const settings = await findSettings(deps, businessId)
  if (settings === null) throw new Error('no issuer is set')
  const issuer = await deps.issuers.of(settings)
  const ending = { businessId, issuer: issuer.name, ...(await readLogoutToken(issuer, token)) }
  return await endStaffSessions(deps, ending, { ...causeway, requestId })
}

/**
 * Finds the page that ends the session at the issuer as well.
 * @param businessId null for the operator
 * @returns null if the issuer has none, or cannot be asked: the sign-out here does not depend on it
 */
export async function findEndSessionUrl(
  deps: SignsIn,
  businessId: string | null,
  origin: string,
): Promise<string | null> {
  const owner = businessId ?? deploymentChain
  try {
    const settings = await findSettings(deps, owner)
    return settings && endSessionUrl(await deps.issuers.of(settings), addressesOf(origin, owner).postLogoutRedirectUri)
  } catch (error) {
    deps.log.warn({ businessId: owner, reason: reasonOf(error) }, 'no sign-out at the issuer')
    return null
  }
}
