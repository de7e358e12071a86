// KYC state of an end-user with its open links, and the provider's hosted page, created on request.

import type { Business } from '../../platform/http/caller.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import { beginOperation, type Operation, performOperation, readProvider } from '../../provider/operations/operations.ts'
import { providerRejection } from '../../provider/operations/rejection.ts'
import { type HostedPage, type NewHostedPage, type Person, ProviderError } from '../../provider/port.ts'
import { endUserOf, lockedEndUser, nextActionFor, openTosUrl } from '../service.ts'
import * as store from '../store.ts'
import { checkedRedirect } from '../tos-links.ts'
import { relianceNotEnabled } from './agreements.ts'
import { answerOfNewPage, applyAnswer, refreshEndUser } from './apply-verdict.ts'
import { explainTakenEmail } from './customers.ts'
import { defaultEndorsementsOf } from './form/submission.rules.ts'
import type { Kyc } from './ports.ts'
import { maySubmit } from './status.rules.ts'

type LinkOptions = {
  /** The currency that the end-user wants, in addition to the open ones. */
  currency?: FiatCurrency | undefined
  /** Redirect URL at the end of the hosted page. */
  redirectUri?: string | undefined
  /** The business states that the end-user has accepted the terms. */
  developer_accepted_tos?: true | undefined
}

/**
 * Returns the KYC state of an end-user and its open requirements. The errors `kyc_not_approved` and `rail_not_enabled`
 * send callers here.
 * @throws ApiError `holder_not_found`, `invalid_redirect_uri`, `terms_reliance_not_enabled`, `provider_rejected`,
 * `provider_unavailable`, `provider_timeout`
 */
export async function getKycLinks(deps: Kyc, business: Business, externalUserId: string, options: LinkOptions) {
  const { currency, developer_accepted_tos } = options
  const redirectUri = options.redirectUri === undefined ? undefined : checkedRedirect(deps, options.redirectUri)
  const read = () => deps.db.read((query) => endUserOf(query, business, externalUserId))
  const found = await read()
  if (developer_accepted_tos && deps.config.termsReliance === 'off')
    throw relianceNotEnabled('developer_accepted_tos', externalUserId)
  if (!isDone(found, currency)) await refreshEndUser(deps, found)
  const user = await read()
  const page = await hostedLink(deps, user, { currency, redirectUri, developer_accepted_tos })
  const associatedPersons = await peopleOfUnapproved(deps, user)
  return await deps.db.read(async (query) => {
    // The response that returned the page may also have changed the stored end-user.
    const current = await endUserOf(query, business, externalUserId)
    const kycLink = needsPage(current, currency) ? page : null
    const openUrl = (await openTosUrl(deps, query, current)) ?? current.providerKycLink?.tosUrl ?? null
    const tosLink = current.tosStatus === 'approved' ? null : openUrl
    return {
      externalUserId,
      kycStatus: current.kycStatus,
      tosStatus: current.tosStatus,
      kycLink,
      tosLink,
      rejectionReasons: current.rejectionReasons,
      requirements: current.requirements,
      associatedPersons,
      nextAction: nextActionFor(deps, current, tosLink, { kycLink, currency }),
    }
  })
}

/** Reads the people named by the requirements of a company; each time, because they are not stored. */
async function peopleOfUnapproved(deps: Kyc, user: store.EndUserRow): Promise<Person[]> {
  const customerId = user.providerCustomerId
  if (user.type !== 'business' || user.kycStatus === 'approved' || customerId === null) return []
  return await readProvider(() => deps.provider.customers.people.list(customerId))
}

/** An approved end-user needs nothing, unless a currency is requested that is not open. */
function isDone(user: store.EndUserRow, currency: FiatCurrency | undefined): boolean {
  return user.kycStatus === 'approved' && (currency === undefined || user.rails[currency] === 'active')
}

const needsPage = (user: store.EndUserRow, currency: FiatCurrency | undefined): boolean =>
  !isDone(user, currency) && maySubmit(user)

/** Finds or creates the provider's hosted page: none if the end-user is done, or if a page cannot help. */
async function hostedLink(
  deps: Kyc,
  user: store.EndUserRow,
  { currency, redirectUri, developer_accepted_tos }: LinkOptions,
): Promise<string | null> {
  const { hostedKyc } = deps.provider
  if (hostedKyc === null || !needsPage(user, currency)) return null
  const customerId = user.providerCustomerId
  const endorsement = currency && deps.config.rails.fiat[currency].endorsements[0]
  if (customerId !== null) {
    const about = { endorsement, returnTo: redirectUri }
    return (await readProvider(() => hostedKyc.linkOfCustomer(customerId, about))).url
  }
  if (user.providerKycLink) return user.providerKycLink.url
  if (user.email === null || hostedKyc.createForNew === null) return null
  // The country of the person is not known yet, so only the defaults for all countries are requested.
  const defaults = defaultEndorsementsOf(deps.config.kycEndorsements, undefined)
  const request: LinkRequest = {
    endorsements: [...new Set([...defaults, ...(endorsement ? [endorsement] : [])])],
    ...(redirectUri && { redirectUri }),
    ...(developer_accepted_tos && { developerAcceptedTos: true }),
  }
  const begun = await deps.db.transaction(async (tx) => {
    const { businessId, id } = await lockedEndUser(tx, user)
    return await beginOperation(deps, tx, { businessId, kind: 'kyc_link.create', subjectId: id, request })
  })
  if (typeof begun === 'string') return null // another request is creating the page; the next read shows it
  return await completeKycLink(deps, begun.operation, user)
}

/** The options of the page that an operation creates: stored, so that a retry under the same key sends the same. */
type LinkRequest = { endorsements: string[]; redirectUri?: string; developerAcceptedTos?: true }

async function completeKycLink(deps: Kyc, operation: Operation, user: store.EndUserRow): Promise<string | null> {
  const { email, type } = user
  const { createForNew, readPage } = deps.provider.hostedKyc ?? {}
  if (email === null || !createForNew) throw new Error(`no KYC link can be made for end-user ${user.id}`)
  const { endorsements, redirectUri, developerAcceptedTos } = operation.request as LinkRequest
  const about: NewHostedPage = {
    ...{ email, type, endorsements },
    ...(redirectUri && { returnTo: redirectUri }),
    ...(developerAcceptedTos && { termsAccepted: developerAcceptedTos }),
  }
  // The page is an intermediate step, never the response.
  const url = await performOperation(deps, null, operation, {
    call: async (write) => {
      const { page, refusal } = await createPage(() => createForNew(about, write))
      return await takePage(deps, user, page, refusal)
    },
    read: async (pageId) => {
      if (pageId === null || !readPage) return undefined
      const page = await readPage(pageId)
      return await takePage(deps, user, page, duplicateOf(page))
    },
    // Without its ID, only the refusal of a new page for this email address names the page.
    endsUnread: (pageId) => pageId === null || !readPage,
    lock: (tx) => lockedEndUser(tx, user),
    settle: async (tx, { page, answer }, held) => {
      // A page that cannot be read is not stored: its state is that of the customer.
      const kycLink = readPage ? { id: page.id, url: page.url, tosUrl: page.termsUrl } : null
      if (kycLink) await store.saveKycLink(tx, user, kycLink)
      if (kycLink || 'customer' in answer)
        await applyAnswer(deps, tx, { ...held, providerKycLink: kycLink }, answer, user.providerCustomerId)
      return page.url
    },
    rejection: (error) => providerRejection(error, { email }),
  })
  await deps.followVerdict(user)
  return url
}

/** Completes a link with an unknown outcome; the next read of the end-user shows the link. */
export async function resumeKycLink(deps: Kyc, operation: Operation): Promise<void> {
  const key = { businessId: operation.businessId, id: operation.subjectId }
  await completeKycLink(deps, operation, await deps.db.read((query) => store.getEndUser(query, key)))
}

/**
 * Takes a page that the provider has created, or that it names when it refuses a second one for an email address.
 * Refuses a page of another end-user: its identity documents and verdict would be shared.
 */
async function takePage(deps: Kyc, user: store.EndUserRow, page: HostedPage | null, refusal: ProviderError) {
  const ids = [page?.id, page?.customerId].filter((id) => typeof id === 'string')
  if (page === null || (await deps.db.read((query) => store.isHeldByAnother(query, user, ids))))
    throw await explainTakenEmail(deps, user.businessId, refusal, user.email)
  return { page, answer: await answerOfNewPage(deps, user, page) }
}

async function createPage(create: () => Promise<HostedPage>) {
  try {
    const page = await create()
    return { page, refusal: duplicateOf(page) }
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    return { page: error.existingPage, refusal: error }
  }
}

const duplicateOf = (page: HostedPage) =>
  new ProviderError('rejected', { refusal: 'already_there', existingPage: page })
