// Where an end-user's KYC stands, with the links that are open; and the provider's hosted page, made when it is asked for.

import type { Deps } from '../../app/context.ts'
import type { Business } from '../../platform/http/caller.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import type { Operation } from '../../provider/operations/operation.rules.ts'
import { beginOperation, performOperation, readProvider } from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { ProviderError } from '../../provider/port.ts'
import type { ProviderKycLink, ProviderPerson } from '../../provider/types.ts'
import { endUserOf, lockedEndUser, nextActionFor, openTosUrl } from '../service.ts'
import * as store from '../store.ts'
import { checkedRedirect } from '../tos-links.ts'
import { refreshEndUser } from './apply-verdict.ts'
import { explainTakenEmail } from './customers.ts'
import { defaultEndorsementsOf } from './form/submission.rules.ts'
import { maySubmit } from './submit.ts'

export type LinkOptions = {
  /** What the end-user wants to be approved for, beyond what it is. */
  currency?: FiatCurrency
  /** Where the hosted page sends the browser at its end. */
  redirectUri?: string
}

/**
 * Where an end-user stands and what is open: the place callers are sent to by `kyc_not_approved` and `rail_not_enabled`.
 * @throws ApiError `holder_not_found`, `invalid_redirect_uri`, `provider_unavailable`, `provider_timeout`
 */
export async function getKycLinks(deps: Deps, business: Business, externalUserId: string, options: LinkOptions) {
  const redirectUri = options.redirectUri === undefined ? undefined : checkedRedirect(deps, options.redirectUri)
  const found = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  if (!isDone(found, options)) await refreshEndUser(deps, found)
  const user = await deps.db.read((query) => endUserOf(query, business, externalUserId))
  const kycLink = await hostedLink(deps, user, options, redirectUri)
  const associatedPersons = await peopleToTell(deps, user)
  return await deps.db.read(async (query) => {
    const current = await endUserOf(query, business, externalUserId)
    const tosLink =
      (await openTosUrl(deps, query, current)) ??
      (current.tosStatus === 'approved' ? null : (current.providerKycLink?.tosUrl ?? null))
    return {
      externalUserId,
      kycStatus: current.kycStatus,
      tosStatus: current.tosStatus,
      kycLink,
      tosLink,
      rejectionReasons: current.rejectionReasons,
      requirements: current.requirements,
      associatedPersons,
      nextAction: nextActionFor(current, deps.now(), tosLink, { kycLink, currency: options.currency }),
    }
  })
}

/** Whom the ids in the requirements of a company mean; read each time, for nothing of the people is stored. */
async function peopleToTell(deps: Deps, user: store.EndUserRow): Promise<ProviderPerson[]> {
  const customerId = user.providerCustomerId
  if (user.type !== 'business' || user.kycStatus === 'approved' || customerId === null) return []
  const people = await readProvider(() => deps.provider.listAssociatedPersons(customerId))
  return people.map(({ id, email }) => ({ id, email }))
}

/** An approved end-user has nothing to do, unless it wants a currency that is not open to it. */
function isDone(user: store.EndUserRow, { currency }: LinkOptions): boolean {
  return user.kycStatus === 'approved' && (currency === undefined || user.rails[currency] === 'active')
}

/** The provider's hosted page: none for those who are done, or whom a page cannot help. */
async function hostedLink(
  deps: Deps,
  user: store.EndUserRow,
  options: LinkOptions,
  redirectUri: string | undefined,
): Promise<string | null> {
  if (isDone(user, options) || !maySubmit(user)) return null
  const customerId = user.providerCustomerId
  const endorsement =
    options.currency === undefined ? undefined : deps.config.rails.fiat[options.currency].endorsements[0]
  if (customerId !== null) {
    const about = { ...(endorsement && { endorsement }), ...(redirectUri && { redirectUri }) }
    return (await readProvider(() => deps.provider.getCustomerKycLink(customerId, about))).url
  }
  if (user.providerKycLink) return user.providerKycLink.url
  if (user.email === null) return null
  const endorsements = [...new Set([...unconditional(deps), ...(endorsement ? [endorsement] : [])])]
  return await requestKycLink(deps, user, { email: user.email, endorsements, ...(redirectUri && { redirectUri }) })
}

/** The hosted page is made before anybody has said where the person lives. */
const unconditional = (deps: Deps): string[] => defaultEndorsementsOf(deps.config.kycEndorsements, undefined)

type LinkRequest = { email: string; endorsements: string[]; redirectUri?: string }

async function requestKycLink(deps: Deps, user: store.EndUserRow, request: LinkRequest): Promise<string | null> {
  const intent = { businessId: user.businessId, kind: 'kyc_link.create', subjectId: user.id } as const
  const begun = await deps.db.transaction(async (tx) => {
    await lockedEndUser(tx, user)
    return await beginOperation(deps, tx, intent)
  })
  if (typeof begun === 'string') return null // another request is making it; the next read shows it
  return await completeKycLink(deps, begun.operation, user, request)
}

async function completeKycLink(
  deps: Deps,
  operation: Operation,
  user: store.EndUserRow,
  request: LinkRequest,
): Promise<string | null> {
  const input = { ...request, type: user.type }
  return await performOperation(deps, operation, {
    call: (write) => createOrAdoptKycLink(deps, user, input, write),
    lock: (tx) => lockedEndUser(tx, user),
    settle: async (tx, link) => {
      await store.saveKycLink(tx, user.businessId, user.id, { id: link.id, url: link.kycLink, tosUrl: link.tosLink })
      return link.kycLink
    },
    rejection: (error) => providerRejection(error, { email: request.email }),
  })
}

/** Completes a link whose outcome was unknown; whoever asked for it finds it at the next read. */
export async function resumeKycLink(deps: Deps, operation: Operation): Promise<void> {
  const user = await deps.db.read((query) => store.getEndUser(query, operation.businessId, operation.subjectId))
  if (user.email === null) throw new Error(`end-user ${user.id} has no e-mail address for a KYC link`)
  const endorsements = unconditional(deps)
  await completeKycLink(deps, operation, user, { email: user.email, endorsements })
}

/**
 * The provider answers a second request for one e-mail address with the link it has: that is a success, unless the link
 * is of another end-user of ours, whose papers and verdict it would hand over.
 */
async function createOrAdoptKycLink(
  deps: Deps,
  user: store.EndUserRow,
  input: LinkRequest & { type: 'individual' | 'business' },
  write: { idempotencyKey: string },
): Promise<ProviderKycLink> {
  try {
    return await deps.provider.createKycLink(input, write)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const existing = error.existingKycLink
    const ids = existing === null ? [] : [existing.id, existing.customerId].filter((id) => id !== null)
    if (existing === null || (await deps.db.read((query) => store.isHeldByAnother(query, user.id, ids))))
      throw await explainTakenEmail(deps, user.businessId, error, input.email)
    return existing
  }
}
