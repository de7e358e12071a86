// End-users: their records and their API representation. KYC is in kyc/, Terms-of-Service links in tos-links.ts.

import { emit } from '../events/emit.ts'
import { providerOf } from '../platform/config.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { type Page, type PageKey, type PageRequest, toPage } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { foldCase } from '../platform/values/fold-case.ts'
import { makeId } from '../platform/values/ids.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import { isoTime } from '../platform/values/time.ts'
import { nextActionOf, railsBy } from './kyc/status.rules.ts'
import { actionOfBusiness } from './next-action.rules.ts'
import type { Terms } from './ports.ts'
import type { EndUserView, NextAction } from './schema.rules.ts'
import { searchEndUsers } from './search.store.ts'
import * as store from './store.ts'

export type EndUserRow = store.EndUserRow
export type EndUserKey = store.EndUserKey
/** The known facts about the addresses of an end-user. */
export type EeaPresence = Pick<EndUserRow, 'residesInEea' | 'operatesInEea'>

// Statements for use by other subjects.
export const { claimAccountsDue, claimProviderQuestion, findEndUserById, findEndUserOfCustomer } = store
export const { listEndUsersUpstream, lockEndUser, nextAccountsDueMs, saveAccountsDue } = store

type Shows = Pick<Core, 'config' | 'now' | 'hasKycPages'>

/** Converts an end-user to its API representation. @param tosUrl the URL of the open ToS link, if any */
export function endUserView(deps: Shows, row: store.EndUserRow, tosUrl: string | null = null): EndUserView {
  return {
    id: row.id,
    externalUserId: row.externalUserId,
    email: row.email,
    type: row.type,
    metadata: row.metadata,
    kycStatus: row.kycStatus,
    providerStatus: row.providerStatus,
    tosStatus: row.tosStatus,
    rails: railsBy((currency) => row.rails[currency] ?? 'inactive'),
    requirements: row.requirements,
    nextAction: nextActionFor(deps, row, tosUrl),
    informationRequests: row.informationRequests,
    providerCustomerId: row.providerCustomerId,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

type ActionAbout = { kycLink?: string | null; currency?: FiatCurrency | undefined }

/**
 * Decides the next action of the business for an end-user.
 * @param about the hosted page just created, and the requested currency, if not any
 */
export function nextActionFor(
  deps: Shows,
  row: store.EndUserRow,
  openTosUrl: string | null,
  about: ActionAbout = {},
): NextAction {
  return actionOfBusiness(nextActionOfEndUser(deps, row, openTosUrl, about), row)
}

/** Decides the next action that the end-user may see: an information request concerns only business and provider. */
export function nextActionOfEndUser(
  deps: Shows,
  row: store.EndUserRow,
  openTosUrl: string | null,
  about: ActionAbout = {},
): NextAction {
  return nextActionOf(row, {
    nowMs: deps.now(),
    tosUrl: row.tosStatus === 'approved' ? null : openTosUrl,
    hasKycPages: deps.hasKycPages,
    kycUrl: about.kycLink ?? row.providerKycLink?.url,
    currency: about.currency,
    endorsements: about.currency && deps.config.rails.fiat[about.currency].endorsements,
    // The provider's clock at its last response is the best known start of its review.
    reviewSinceMs: (row.providerUpdatedAt ?? row.updatedAt).getTime(),
  })
}

/** Owner of an event about an end-user. */
export function ownerOf(row: store.EndUserRow) {
  return { businessId: row.businessId, endUserId: row.id, virtualAccountId: null, externalUserId: row.externalUserId }
}

/**
 * Finds an end-user of a business. An end-user of another business is not found.
 * @throws ApiError `holder_not_found`
 */
export async function endUserOf(query: Query, business: Business, externalUserId: string): Promise<store.EndUserRow> {
  const row = await store.findEndUser(query, business.id, externalUserId)
  if (!row) throw fail('holder_not_found', { param: 'externalUserId' })
  return row
}

/**
 * Reads an end-user by the ID in another row.
 * @throws ApiError `holder_not_found` if the end-user has been erased in the meantime
 */
export async function presentEndUser(query: Query, { businessId, id }: store.EndUserKey): Promise<store.EndUserRow> {
  const row = await store.findEndUserById(query, businessId, id)
  if (row) return row
  throw fail('holder_not_found', { param: 'externalUserId' })
}

/**
 * Locks an end-user for the transaction.
 * @throws ApiError `holder_not_found` if the end-user has been erased in the meantime
 */
export async function lockedEndUser(tx: Tx, key: store.EndUserKey): Promise<store.EndUserRow> {
  const row = await store.lockEndUser(tx, key)
  if (row) return row
  throw fail('holder_not_found', { param: 'externalUserId' })
}

type NewEndUser = Pick<store.EndUserRow, 'externalUserId'> & store.EndUserChange

/** Creates an end-user. @throws ApiError `end_user_already_exists`, with the existing id in `details` */
export async function createEndUser(
  deps: Terms,
  { business, held }: Pick<RequestScope, 'business' | 'held'>,
  input: NewEndUser,
): Promise<EndUserView> {
  const { externalUserId, email = null, type = 'individual', metadata = {} } = input
  return await answeringTransaction(deps, held, async (tx) => {
    const key = { businessId: business.id, id: makeId('endUser', deps.randomBytes(16)) }
    const row = await store.insertEndUser(tx, {
      ...key,
      externalUserId,
      provider: providerOf(deps.config),
      // A provider without terms requires no acceptance.
      tosStatus: deps.provider.terms === null ? 'approved' : 'pending',
      email,
      type,
      metadata,
    })
    if (!row) {
      const existing = await endUserOf(tx, business, externalUserId)
      const message = `The existing end-user is ${existing.id}.`
      throw fail('end_user_already_exists', {
        facts: { externalUserId },
        details: [{ param: 'externalUserId', code: 'end_user_already_exists', message }],
      })
    }
    const view = endUserView(deps, row)
    await emit(deps, tx, 'end_user.created', ownerOf(row), view)
    return view
  })
}

/**
 * Changes the stored record. The next KYC submission changes the provider's record.
 * @throws ApiError `holder_not_found`, `end_user_type_fixed` once the end-user exists at the provider
 */
export async function updateEndUser(
  deps: Terms,
  { business, held }: RequestScope,
  externalUserId: string,
  change: store.EndUserChange,
): Promise<EndUserView> {
  return await answeringTransaction(deps, held, async (tx) => {
    const user = await lockedEndUser(tx, await endUserOf(tx, business, externalUserId))
    const isKnown = user.providerCustomerId !== null || user.providerKycLink !== null
    if (change.type !== undefined && change.type !== user.type && isKnown)
      throw fail('end_user_type_fixed', { param: 'type', facts: { externalUserId } })
    const row = await store.changeEndUser(tx, user, change)
    return endUserView(deps, row, await openTosUrl(deps, tx, row))
  })
}

/** Reads an end-user. @throws ApiError `holder_not_found` */
export async function getEndUser(
  deps: Terms,
  business: Business,
  externalUserId: string,
): Promise<EndUserView & { tosOrigin: string | null }> {
  return await deps.db.read(async (query) => {
    const row = await endUserOf(query, business, externalUserId)
    const url = await openTosUrl(deps, query, row)
    // The provider has several hosts for its terms, so trust the origin of this link only.
    return { ...endUserView(deps, row, url), tosOrigin: url === null ? null : new URL(url).origin }
  })
}

/**
 * Lists the end-users of a business, newest first. With `q`: matches in alphabetical order, or the end-user with this
 * ID. @throws ApiError `invalid_cursor`
 */
export async function listEndUsers(
  deps: Core,
  business: Business,
  { q, ...filter }: store.EndUserFilter & { q?: string },
  page: PageRequest,
): Promise<Page<store.EndUserRow>> {
  return await deps.db.read(async (query) => {
    if (q === undefined) return await store.listEndUsers(query, business.id, filter, page)
    const { limit, after } = page
    const place = after && placeOf(deps, business, after)
    const found = await searchEndUsers(query, business.id, { ...filter, q: foldCase(q) }, { limit, after: place })
    if (found.length === 0 && place === null && Object.keys(filter).length === 0) {
      const named = await store.findEndUserById(query, business.id, q)
      return { items: named ? [named] : [], next: null }
    }
    const { items, next } = toPage(found, limit)
    const last = items.at(-1)
    if (!next || !last) return { items, next: null }
    return {
      items,
      next: { ...next, place: deps.secrets.seal(last.term, placeContext(business)).toString('base64url') },
    }
  })
}

const placeContext = ({ id }: Business) => `${id} end-user search`

/**
 * Reads where a page of a search begins. The cursor contains the text, so that paging continues after the last end-user
 * of a page was erased. It is sealed, because the text is part of an email address and cursors appear in logs.
 * @throws ApiError `invalid_cursor`
 */
function placeOf({ secrets }: Core, business: Business, { id, place }: PageKey) {
  try {
    return { id, term: secrets.open(Buffer.from(place ?? '', 'base64url'), placeContext(business)) }
  } catch {
    throw fail('invalid_cursor', { param: 'cursor' })
  }
}

/** Reads the URL of an end-user's open ToS link. */
export async function openTosUrl(deps: Terms, query: Query, user: store.EndUserRow): Promise<string | null> {
  const link = await store.findOpenTosLink(query, user)
  return link ? store.tosUrlOf(deps, link) : null
}
