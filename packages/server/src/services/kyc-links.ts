// Where an end-user's KYC stands, with the links that are open; and the provider's hosted page, made when it is asked for.

import type { Business } from '../domain/business.ts'
import { type ApiError, fail } from '../errors.ts'
import { ProviderError, type ProviderKycLink } from '../provider/port.ts'
import * as store from '../store/end-users.ts'
import type { OperationRow } from '../store/operations.ts'
import type { Deps } from './deps.ts'
import { maySubmit } from './kyc.ts'
import { refreshEndUser } from './kyc-verdict.ts'
import { endUserOf, nextActionFor, openTosUrl } from './onboarding.ts'
import { beginUpstream, performUpstream, providerRejection, readUpstream } from './upstream.ts'

/**
 * Where an end-user stands and what is open: the place callers are sent to by `kyc_not_approved`.
 * @throws ApiError `holder_not_found`, `provider_unavailable`, `provider_timeout`
 */
export async function getKycLinks(deps: Deps, business: Business, externalUserId: string) {
  const found = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  if (found.kycStatus !== 'approved') await refreshEndUser(deps, found)
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const kycLink = await hostedLink(deps, user)
  return await deps.db.read(async (query) => {
    const current = await endUserOf(query, business, externalUserId)
    const tosLink =
      (await openTosUrl(query, current)) ??
      (current.tosStatus === 'approved' ? null : (current.providerKycLink?.tosUrl ?? null))
    return {
      externalUserId,
      kycStatus: current.kycStatus,
      tosStatus: current.tosStatus,
      kycLink,
      tosLink,
      rejectionReasons: current.rejectionReasons,
      requirements: current.requirements,
      nextAction: nextActionFor(current, deps.now(), tosLink),
    }
  })
}

/** The provider's hosted page: none for those who are done, or whom a page can not help. */
async function hostedLink(deps: Deps, user: store.EndUserRow): Promise<string | null> {
  if (user.kycStatus === 'approved' || !maySubmit(user)) return null
  const customerId = user.providerCustomerId
  if (customerId !== null) return (await readUpstream(() => deps.provider.getCustomerKycLink(customerId))).url
  if (user.providerKycLink) return user.providerKycLink.url
  return user.email === null ? null : await requestKycLink(deps, user, user.email)
}

async function requestKycLink(deps: Deps, user: store.EndUserRow, email: string): Promise<string | null> {
  const intent = { businessId: user.businessId, kind: 'kyc_link.create', subjectId: user.id } as const
  const begun = await deps.db.transaction((tx) => beginUpstream(deps, tx, intent))
  if (typeof begun === 'string') return null // another request is making it; the next read shows it
  return await completeKycLink(deps, begun.operation, user, email)
}

async function completeKycLink(
  deps: Deps,
  operation: OperationRow,
  user: store.EndUserRow,
  email: string,
): Promise<string | null> {
  const input = { email, type: user.type, endorsements: [...deps.config.kycEndorsements] }
  return await performUpstream(deps, operation, {
    call: (write) => createOrAdoptKycLink(deps, user, input, write),
    settle: async (tx, link) => {
      await store.saveKycLink(tx, user.businessId, user.id, { id: link.id, url: link.kycLink, tosUrl: link.tosLink })
      return link.kycLink
    },
    rejection: (error) => linkRejection(error, email),
  })
}

/** Completes a link whose outcome was unknown; whoever asked for it finds it at the next read. */
export async function resumeKycLink(deps: Deps, operation: OperationRow): Promise<void> {
  const user = await deps.db.read((query) => store.getEndUser(query, operation.businessId, operation.subjectId))
  if (user.email === null) throw new Error(`end-user ${user.id} has no e-mail address for a KYC link`)
  await completeKycLink(deps, operation, user, user.email)
}

function linkRejection(error: ProviderError, email: string): ApiError {
  if (error.code !== 'duplicate_record') return providerRejection(error, { email })
  const message = 'The provider knows this e-mail address already, for somebody else.'
  return fail('provider_rejected', { cause: error, details: [{ param: 'email', code: 'duplicate_record', message }] })
}

/**
 * The provider answers a second request for one e-mail address with the link it has: that is a success, unless the link
 * is of another end-user of ours, whose papers and verdict it would hand over.
 */
async function createOrAdoptKycLink(
  deps: Deps,
  user: store.EndUserRow,
  input: { email: string; type: 'individual' | 'business'; endorsements: string[] },
  write: { idempotencyKey: string },
): Promise<ProviderKycLink> {
  try {
    return await deps.provider.createKycLink(input, write)
  } catch (error) {
    const existing = error instanceof ProviderError ? error.existingKycLink : null
    if (existing === null) throw error
    const ids = [existing.id, existing.customerId].filter((id) => id !== null)
    if (await deps.db.read((query) => store.isHeldByAnother(query, user.id, ids))) throw error
    return existing
  }
}
