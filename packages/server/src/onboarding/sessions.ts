// Sessions of onboarding pages: opening, and authentication of their requests. Only the page opened last stays valid.
// The session is read with each request, so the end of a link takes effect at once on every replica.

import type { ServerCore } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { notifyPages } from '../platform/postgres/notify.ts'
import { formatToken, isToken, newestDigest, tokenBytes } from '../platform/secrets/opaque-tokens.ts'
import { linkDigests } from './links.ts'
import * as store from './store.ts'

/** An hour without a request: an open page sends a request every half minute. */
const limits = { idleMinutes: 60, openingsMax: 50 }

/** The page of one link. It can only onboard the end-user of the link. */
export type OnboardingPage = {
  link: store.OpenedLink
  business: Business
  /** Reads the page again, for a request that has waited. @throws ApiError as `readPage` */
  again: () => Promise<OnboardingPage>
}

/**
 * Opens the page of a link. A page opened before with the same link ends.
 * @returns the token of the page
 * @throws ApiError `onboarding_link_invalid`, `onboarding_link_expired`, `onboarding_link_revoked`,
 * `onboarding_link_used_up`, `onboarding_unavailable`
 */
export async function openPage(deps: ServerCore, code: string): Promise<string> {
  if (!isToken('onboardingLink', code)) throw fail('onboarding_link_invalid')
  const token = formatToken('onboardingSession', deps.randomBytes(tokenBytes))
  const digests = linkDigests(deps, code)
  const sessionDigest = newestDigest(digestsOf(deps, token))
  const businessId = await deps.db.transaction(async (tx) => {
    const opened = await store.openLink(tx, { ...limits, digests, sessionDigest })
    if (opened !== null) await notifyPages(tx, opened)
    return opened
  })
  if (businessId !== null) return token
  const link = await deps.db.read((query) => store.findLink(query, digests))
  if (!link) throw fail('onboarding_link_invalid')
  throw fail(reasonOf(link))
}

/** @returns why an existing link did not open */
function reasonOf(link: NonNullable<Awaited<ReturnType<typeof store.findLink>>>) {
  if (link.revokedAt) return 'onboarding_link_revoked'
  if (link.isExpired || link.abandonedAt) return 'onboarding_link_expired'
  return link.status === 'suspended' ? 'onboarding_unavailable' : 'onboarding_link_used_up'
}

/**
 * Finds the page of a token.
 * @throws ApiError `onboarding_session_ended`: the link was opened elsewhere, has ended, or the page was idle for too
 * long
 */
export async function readPage(deps: ServerCore, token: string, requestId: string): Promise<OnboardingPage> {
  if (!isToken('onboardingSession', token)) throw fail('onboarding_session_ended')
  const link = await deps.db.read((query) => store.findSession(query, digestsOf(deps, token), limits.idleMinutes))
  if (!link) throw fail('onboarding_session_ended')
  if (link.isStale)
    await deps.db
      .transaction((tx) => store.touchSession(tx, link, limits.idleMinutes))
      .catch((err: unknown) => deps.log.warn({ err, link: link.id }, 'onboarding page use not recorded'))
  const { businessId: id, name, status, createdBy: credentialId } = link
  const scopes = ['end_users:read', 'end_users:write'] as const
  const caller = { credentialId, person: null, sessionId: link.id, consoleLinkId: null, requestId }
  return { link, business: { id, name, status, scopes, ...caller }, again: () => readPage(deps, token, requestId) }
}

function digestsOf({ secrets }: ServerCore, token: string): readonly Buffer[] {
  return secrets.fingerprints('onboarding session', token)
}
