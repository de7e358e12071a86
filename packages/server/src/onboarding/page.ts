// What the page of a link reads and does: the state of its one end-user, the terms, the submission, the provider's own page.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../app/context.ts'
import { getKycLinks } from '../end-users/kyc/links.ts'
import { submitKyc } from '../end-users/kyc/submit.ts'
import type { NextAction, Requirements } from '../end-users/schema.rules.ts'
import { endUserOf, nextActionFor, openTosUrl } from '../end-users/service.ts'
import { createTosLink } from '../end-users/tos-links.ts'
import { isoTime } from '../platform/values/time.ts'
import { getBranding } from './branding.ts'
import { linkView, openRail } from './links.ts'
import type { Branding, OnboardingLinkView } from './schema.rules.ts'
import type { OnboardingPage } from './sessions.ts'

/** Holds nothing that the end-user typed, and nothing that the business keeps for itself. */
export type PageState = {
  link: Pick<OnboardingLinkView, 'status' | 'rails' | 'locale' | 'redirectUri' | 'expiresAt'>
  branding: Omit<Branding, 'embedOrigins'>
  embedOrigins: string[]
  type: 'individual' | 'business'
  kycStatus: string
  isSubmitted: boolean
  nextAction: NextAction
  requirements: Pick<Requirements, 'currentlyDue' | 'errors' | 'associatedPersons'>
  rejectionReasons: string[]
  isSandbox: boolean
  now: string
  /** Changes with the rest, but not with `now`. */
  version: string
}

/** Reads where the end-user of a page stands. */
export async function readState(deps: Deps, { link, business }: OnboardingPage): Promise<PageState> {
  const { user, tosUrl } = await deps.db.read(async (query) => {
    const user = await endUserOf(query, business, link.externalUserId)
    return { user, tosUrl: await openTosUrl(deps, query, user) }
  })
  const { embedOrigins, ...branding } = await getBranding(deps, business)
  const { status, rails, locale, redirectUri, expiresAt } = linkView(link, link.externalUserId)
  const { currentlyDue, errors, associatedPersons } = user.requirements
  const state = {
    link: { status, rails, locale, redirectUri, expiresAt },
    branding,
    embedOrigins,
    type: user.type,
    kycStatus: user.kycStatus,
    isSubmitted: user.providerCustomerId !== null,
    nextAction: nextActionFor(user, deps.now(), tosUrl, { currency: openRail(user, link.rails) }),
    requirements: { currentlyDue, errors, associatedPersons },
    rejectionReasons: user.rejectionReasons,
    isSandbox: deps.sandbox !== null,
  }
  const version = createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 16)
  return { ...state, now: isoTime(deps.now()), version }
}

/** How long a page that found no place among those that wait is kept, so that it does not ask at once again. */
const busyMs = 2_000

/**
 * Waits until the state is another one than the page has.
 * @param known the version that the page has
 * @param gone when the browser has gone away
 */
export async function nextState(
  deps: Deps,
  page: OnboardingPage,
  { known, waitMs, gone }: { known: string; waitMs: number; gone: AbortSignal },
): Promise<PageState> {
  const endsAt = performance.now() + waitMs
  const reader = deps.pageReaders.openIfFree(page.business.id)
  try {
    let state = await readState(deps, page)
    while (state.version === known && performance.now() < endsAt && !gone.aborted) {
      const leftMs = endsAt - performance.now()
      if (!reader) await delay(Math.min(busyMs, leftMs), undefined, { signal: gone }).catch(() => {})
      else if (!(await reader.news(leftMs, gone))) break
      state = await readState(deps, page)
    }
    return state
  } finally {
    reader?.close()
  }
}

/** Makes or finds the link to the provider's terms. */
export async function openTerms(
  deps: Deps,
  { link, business }: OnboardingPage,
): Promise<{ url: string; origin: string }> {
  const { tosLink } = await createTosLink(deps, business, link.externalUserId, {})
  return { url: tosLink, origin: new URL(tosLink).origin }
}

/** Sends what the end-user has typed. @throws ApiError as `submitKyc` */
export async function submit(
  deps: Deps,
  { link, business }: OnboardingPage,
  body: unknown,
  dryRun: boolean,
): Promise<{ currentlyDue: string[] }> {
  const { requirements } = await submitKyc(deps, business, link.externalUserId, body, { dryRun })
  return { currentlyDue: requirements.currentlyDue }
}

/** Finds the provider's own page for what cannot be sent, and names the people of a company whose data are asked for. */
export async function readHosted(deps: Deps, { link, business }: OnboardingPage) {
  const user = await deps.db.read((query) => endUserOf(query, business, link.externalUserId))
  const currency = openRail(user, link.rails)
  const { kycLink, associatedPersons } = await getKycLinks(deps, business, link.externalUserId, { currency })
  return { url: kycLink, people: associatedPersons }
}
