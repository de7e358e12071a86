// The page of a link: how it is opened, and how its requests prove themselves. The page that was opened last is the one that
// goes on. Read anew with each request, so that the end of a link holds at once on every replica.

import type { ServerCore } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { notifyPages } from '../platform/postgres/notify.ts'
import { formatToken, isToken, newestDigest, tokenBytes } from '../platform/secrets/opaque-tokens.ts'
import { linkDigests } from './links.ts'
import * as store from './store.ts'

/** An hour without a request: the page asks every half a minute while it is open. */
const limits = { idleMinutes: 60, openingsMax: 50 }

/** The page of one link, which can do nothing but onboard the end-user of the link. */
export type OnboardingPage = {
  link: store.OpenedLink
  business: Business
  /** Finds the page anew, for who waits with it. @throws ApiError as `readPage` */
  again: () => Promise<OnboardingPage>
}

/**
 * Opens the page of a link. A page that was opened before by the same link ends.
 * @returns the token of the page
 * @throws ApiError `onboarding_link_invalid`, `onboarding_link_expired`, `onboarding_link_revoked`, `onboarding_link_used_up`,
 *   `onboarding_unavailable`
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

/** @returns why a link that exists did not open */
function reasonOf(link: NonNullable<Awaited<ReturnType<typeof store.findLink>>>) {
  if (link.revokedAt) return 'onboarding_link_revoked'
  if (link.isExpired || link.abandonedAt) return 'onboarding_link_expired'
  return link.status === 'suspended' ? 'onboarding_unavailable' : 'onboarding_link_used_up'
}

/**
 * Finds the page of a token.
 * @throws ApiError `onboarding_session_ended`: the link was opened elsewhere, has ended, or the page was idle for too long
 */
export async function readPage(deps: ServerCore, token: string, requestId: string): Promise<OnboardingPage> {
  if (!isToken('onboardingSession', token)) throw fail('onboarding_session_ended')
  const link = await deps.db.read((query) => store.findSession(query, digestsOf(deps, token), limits.idleMinutes))
  if (!link) throw fail('onboarding_session_ended')
  if (link.isStale)
    await deps.db
      .transaction((tx) => store.touchSession(tx, link, limits.idleMinutes))
      .catch((err: unknown) => deps.log.warn({ err, link: link.id }, 'use of an onboarding page was not noted'))
  const { businessId: id, name, status, keyId } = link
  const scopes = ['end_users:read', 'end_users:write'] as const
  const business = { id, name, status, keyId, scopes, sessionId: link.id, consoleLinkId: null, requestId }
  return { link, business, again: () => readPage(deps, token, requestId) }
}

function digestsOf({ secrets }: ServerCore, token: string): readonly Buffer[] {
  return secrets.fingerprints('onboarding session', token)
}
