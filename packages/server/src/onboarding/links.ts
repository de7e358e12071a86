// Onboarding links, each for one end-user: created, listed and revoked by the business; ended by a verdict or by their
// expiration.

import { appendAudit } from '../audit/log.ts'
import { ancestorsOf } from '../businesses/descent.ts'
import {
  type EndUserRow,
  endUserOf,
  lockedEndUser,
  nextActionOfEndUser,
  ownerOf,
  presentEndUser,
} from '../end-users/service.ts'
import { checkedRedirect } from '../end-users/tos-links.ts'
import { emit } from '../events/emit.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { ApiError, fail } from '../platform/errors.ts'
import { actorOf, type Business } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import { shown } from '../platform/http/schema/paging.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { notifyPages } from '../platform/postgres/notify.ts'
import type { PageRequest } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { formatToken, newestDigest, tokenBytes } from '../platform/secrets/opaque-tokens.ts'
import { makeId } from '../platform/values/ids.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import { isoTime } from '../platform/values/time.ts'
import type { Locale, OnboardingLinkView } from './schema.rules.ts'
import * as store from './store.ts'

export type NewLink = {
  redirectUri?: string | undefined
  rails?: readonly FiatCurrency[] | undefined
  locale?: Locale | undefined
  expiresInHours?: number | undefined
}

const expiresInHoursDefault = 24

/**
 * Creates a link with which only this end-user can onboard. An older link of the end-user ends. The code comes after
 * the `#`: browsers do not send that part to a server, so it is in no log and no `Referer`.
 * @param origin of this service; empty if unknown
 * @throws ApiError `holder_not_found`, `invalid_redirect_uri`, `onboarding_not_needed`
 */
export async function createOnboardingLink(
  deps: Core,
  { business, held }: RequestScope,
  externalUserId: string,
  { rails = ['usd'], locale, redirectUri, expiresInHours = expiresInHoursDefault }: NewLink,
  origin: string,
) {
  const checked = redirectUri === undefined ? null : checkedRedirect(deps, redirectUri)
  const code = formatToken('onboardingLink', deps.randomBytes(tokenBytes))
  return await answeringTransaction(deps, held, async (tx) => {
    const ancestors = await ancestorsOf(tx, business)
    const user = await lockedEndUser(tx, await endUserOf(tx, business, externalUserId))
    const kind = nextActionOfEndUser(deps, user, null, { currency: openRail(user, rails) ?? rails[0] }).kind
    if (kind === 'none' || kind === 'contact_support')
      throw fail('onboarding_not_needed', { facts: { externalUserId } })
    await notifyPages(tx, business.id)
    const row = await store.replaceLink(tx, {
      businessId: business.id,
      id: makeId('onboardingLink', deps.randomBytes(16)),
      endUserId: user.id,
      createdBy: business.credentialId,
      digest: newestDigest(linkDigests(deps, code)),
      rails: [...rails],
      locale: locale ?? null,
      redirectUri: checked,
      expiresInHours,
      ancestors,
    })
    const view = linkView(row, externalUserId)
    const details = { endUserId: user.id, rails: view.rails, expiresAt: view.expiresAt }
    const act = { businessId: business.id, action: 'onboarding_link.created', subjectId: row.id, details } as const
    await appendAudit(deps, tx, actorOf(business), act)
    return { ...view, url: `${origin}/onboard/${row.id}#${code}` }
  })
}

/** Lists the links of an end-user, newest first, without their codes. @throws ApiError `holder_not_found` */
export async function listOnboardingLinks(deps: Core, business: Business, externalUserId: string, page: PageRequest) {
  const links = await deps.db.read(async (query) => {
    const user = await endUserOf(query, business, externalUserId)
    return await store.listLinks(query, business.id, user.id, page)
  })
  return shown(links, (row) => linkView(row, externalUserId))
}

/** Lists the links of all end-users of a business, newest first, without their codes. */
export async function listAllOnboardingLinks(
  deps: Core,
  business: Business,
  filter: store.LinkFilter,
  page: PageRequest,
) {
  const links = await deps.db.read((query) => store.listAllLinks(query, business.id, filter, page))
  return shown(links, (row) => ({ ...linkView(row, row.externalUserId), createdBy: row.createdBy }))
}

/** Revokes a link, and ends its open page. @throws ApiError `onboarding_link_not_found` */
export async function revokeOnboardingLink(deps: Core, { business, held }: RequestScope, id: string) {
  return await answeringTransaction(deps, held, async (tx) => {
    const row = await store.revokeLink(tx, business.id, id)
    if (!row) throw fail('onboarding_link_not_found')
    await notifyPages(tx, business.id)
    const { externalUserId } = await presentEndUser(tx, { businessId: business.id, id: row.endUserId })
    const details = { endUserId: row.endUserId }
    const act = { businessId: business.id, action: 'onboarding_link.revoked', subjectId: id, details } as const
    await appendAudit(deps, tx, actorOf(business), act)
    return linkView(row, externalUserId)
  })
}

/** The first requested currency that is not open. */
export function openRail(user: EndUserRow, rails: readonly FiatCurrency[]): FiatCurrency | undefined {
  return rails.find((rail) => user.rails[rail] !== 'active')
}

/**
 * Ends the open link of an end-user if a verdict or its expiration has ended it. Completed: the end-user is approved
 * for everything that the link requests. Abandoned: the link has expired and the end-user still has something to do.
 * While the provider reviews the data, the link waits for the verdict.
 * @param user locked by this transaction
 */
export async function settleLink(deps: Core, tx: Tx, user: EndUserRow): Promise<void> {
  const open = await store.findOpenLink(tx, user.businessId, user.id)
  if (!open) return
  const currency = openRail(user, open.rails)
  const isApproved = user.kycStatus === 'approved' && currency === undefined
  const isLeft = open.isExpired && nextActionOfEndUser(deps, user, null, { currency }).kind !== 'wait'
  if (!isApproved && !isLeft) return await store.noteExpiry(tx, open)
  const end = isApproved ? 'completed' : 'abandoned'
  const row = await store.endLink(tx, open, end)
  if (row) await emit(deps, tx, `end_user.onboarding.${end}`, ownerOf(user), linkView(row, user.externalUserId))
}

/** Settles expired links of all businesses. @returns their number */
export async function settleExpired(deps: ServerCore, limit: number): Promise<number> {
  const expired = await deps.db.read((query) => store.listExpired(query, limit))
  for (const { businessId, endUserId: id } of expired)
    await deps.db
      .transaction(async (tx) => await settleLink(deps, tx, await lockedEndUser(tx, { businessId, id })))
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error // the end-user was erased in the meantime, and the link as well
      })
  return expired.length
}

/** Digests of a link's code under each deployment secret, newest first. */
export function linkDigests({ secrets }: Pick<Core, 'secrets'>, code: string): readonly Buffer[] {
  return secrets.fingerprints('onboarding link', code)
}

export function linkView(row: store.LinkRow, externalUserId: string): OnboardingLinkView {
  return {
    id: row.id,
    externalUserId,
    status: statusOf(row),
    rails: row.rails,
    locale: row.locale,
    redirectUri: row.redirectUri,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    openedAt: row.openedAt && isoTime(row.openedAt),
    completedAt: row.completedAt && isoTime(row.completedAt),
  }
}

function statusOf({ completedAt, abandonedAt, revokedAt, isExpired }: store.LinkRow): OnboardingLinkView['status'] {
  if (completedAt) return 'completed'
  if (revokedAt) return 'revoked'
  if (abandonedAt) return 'abandoned'
  return isExpired ? 'expired' : 'open'
}
