// Functions of the onboarding page: the state of its one end-user, the terms, the submission, the provider's own page.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { defaultEndorsementsOf, residenceOf, statementProblems } from '../end-users/kyc/form/submission.rules.ts'
import { endUserOf, nextActionOfEndUser, openTosUrl } from '../end-users/service.ts'
import { ApiError, type ErrorDetail, fail } from '../platform/errors.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { isJsonObject, type JsonObject } from '../platform/values/json.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import { isoTime } from '../platform/values/time.ts'
import { darkColorsOf, shownColorsOf } from './branding.rules.ts'
import { getBranding } from './branding.ts'
import { openRail } from './links.ts'
import type { HostedPage, PageOpening, PageState } from './page.schema.ts'
import type { OnboardingPages, OpensPages } from './ports.ts'
import type { OnboardingPage } from './sessions.ts'

/** Reads the appearance and settings of a page, once when it is opened. */
export async function readOpening(deps: OpensPages, { link, business }: OnboardingPage): Promise<PageOpening> {
  const { embedOrigins, colors, ...branding } = await getBranding(deps, business)
  const dark = darkColorsOf(colors)
  const { locale, redirectUri, endUserType: type } = link
  return {
    branding: { ...branding, colors: shownColorsOf(colors), dark: dark && shownColorsOf(dark) },
    embedOrigins,
    type,
    locale,
    redirectUri,
    isSandbox: deps.isSandbox,
  }
}

/** Reads the state of a page's end-user. */
export async function readState(deps: OnboardingPages, { link, business }: OnboardingPage): Promise<PageState> {
  const { user, tosUrl } = await deps.db.read(async (query) => {
    const user = await endUserOf(query, business, link.externalUserId)
    return { user, tosUrl: await openTosUrl(deps, query, user) }
  })
  const { currentlyDue, errors, associatedPersons } = user.requirements
  const state = {
    kycStatus: user.kycStatus,
    isSubmitted: user.providerCustomerId !== null,
    nextAction: nextActionOfEndUser(deps, user, tosUrl, { currency: openRail(user, link.rails) }),
    requirements: { currentlyDue, errors, associatedPersons },
    rejectionReasons: user.rejectionReasons,
  }
  const version = createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 16)
  return { ...state, now: isoTime(deps.now()), version }
}

/** Delay of a response when too many pages wait, so that the page does not ask again at once. */
const busyMs = 2_000
/**
 * Pause after an event that does not concern the page, doubled each time: every event of the business wakes the page.
 * The first event usually does concern it; a busy business has hundreds a second.
 */
const restMs = { first: 25, most: 500 }

type Wait = { known: string; waitMs: number; gone: AbortSignal }

/**
 * Waits until the state differs from the page's.
 * @param wait.known the version that the page has
 * @param wait.gone fires when the browser disconnects
 */
export async function nextState(deps: OnboardingPages, page: OnboardingPage, wait: Wait): Promise<PageState> {
  const { known, waitMs, gone } = wait
  const endsAt = performance.now() + waitMs
  const rest = (ms: number) =>
    delay(Math.max(0, Math.min(ms, endsAt - performance.now())), undefined, { signal: gone }).catch(() => {})
  const reader = deps.pageReaders.openIfFree(page.business.id)
  try {
    let state = await readState(deps, page)
    let pauseMs = restMs.first
    while (state.version === known && performance.now() < endsAt && !gone.aborted) {
      if (!reader) await rest(busyMs)
      else if (!(await reader.news(endsAt - performance.now(), gone))) break
      // Its link may have ended in the meantime.
      state = await readState(deps, await page.again())
      if (!reader || state.version !== known) continue
      await rest(pauseMs)
      pauseMs = Math.min(pauseMs * 2, restMs.most)
    }
    return state
  } finally {
    reader?.close()
  }
}

/**
 * Creates or finds the link to the provider's terms, which redirects to the page: a window may fail to send a message.
 * @param origin of this service; empty if unknown
 */
export async function openTerms(
  deps: OnboardingPages,
  scope: RequestScope,
  { link }: OnboardingPage,
  origin: string,
): Promise<{ url: string; origin: string }> {
  const back = origin === '' ? {} : { redirectUri: `${origin}/onboard/${link.id}` }
  const { tosLink } = await deps.createTosLink(scope, link.externalUserId, back)
  return { url: tosLink, origin: new URL(tosLink).origin }
}

/** Checks the end-user's input so far. Problems in it are not an error. @throws ApiError as `submitKyc` */
export async function check(
  deps: OnboardingPages,
  scope: RequestScope,
  { link }: OnboardingPage,
  body: unknown,
): Promise<{ problems: ErrorDetail[] }> {
  try {
    refuseStatements(body)
    await deps.submitKyc(scope, link.externalUserId, body, { dryRun: true })
    return { problems: [] }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_kyc_data') throw error
    return { problems: [...(error.extra.details ?? [])] }
  }
}

/**
 * Submits the end-user's input. A new customer is requested with the currencies of the link. @throws ApiError as
 * `submitKyc`
 */
export async function submit(
  deps: OnboardingPages,
  scope: RequestScope,
  { link, business }: OnboardingPage,
  body: JsonObject,
): Promise<object> {
  refuseStatements(body)
  const user = await deps.db.read((query) => endUserOf(query, business, link.externalUserId))
  const asked = user.providerCustomerId === null ? { endorsements: endorsementsFor(deps, link.rails, body) } : {}
  await deps.submitKyc(scope, link.externalUserId, { ...body, ...asked }, { dryRun: false })
  return {}
}

function refuseStatements(body: unknown): void {
  const details = isJsonObject(body) ? statementProblems(body) : []
  if (details.length > 0) throw fail('invalid_kyc_data', { details })
}

/** Endorsements for the currencies of a link, in addition to the defaults for the country. */
function endorsementsFor({ config }: OnboardingPages, rails: readonly FiatCurrency[], body: JsonObject): string[] {
  const ofRails = rails.flatMap((currency) => config.rails.fiat[currency].endorsements[0] ?? [])
  return [...new Set([...defaultEndorsementsOf(config.kycEndorsements, residenceOf(body)), ...ofRails])]
}

/**
 * Finds the provider's own page for data that cannot be submitted, and the people of a company with open requirements.
 */
export async function readHosted(deps: OnboardingPages, { link, business }: OnboardingPage): Promise<HostedPage> {
  const user = await deps.db.read((query) => endUserOf(query, business, link.externalUserId))
  const currency = openRail(user, link.rails)
  const { kycLink, associatedPersons } = await deps.readHostedPage(business, link.externalUserId, currency)
  return { url: kycLink, people: associatedPersons }
}
