// End-users: their records, and what may be read of them. KYC stands in kyc/, links to the terms in tos-links.ts.

import type { Deps } from '../app/context.ts'
import { emit } from '../events/emit.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import { idempotentTransaction } from '../platform/http/idempotency/service.ts'
import type { Page, PageRequest } from '../platform/postgres/paging.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import type { FiatCurrency } from '../platform/values/rails.ts'
import { isoTime } from '../platform/values/time.ts'
import { nextActionOf } from './kyc/status.rules.ts'
import type { EndUserView, NextAction } from './schema.rules.ts'
import * as store from './store.ts'
import { findOpenTosLink } from './tos-links.store.ts'
import { tosUrlOf } from './tos-urls.ts'

export type EndUserRow = store.EndUserRow

// Statements that other subjects may run.
export const { claimProviderQuestion, findEndUser, findEndUserById, listEndUsersUpstream } = store

/** An end-user as the API shows it. `tosUrl` is the open ToS link, when there is one. */
export function endUserView(row: store.EndUserRow, nowMs: number, tosUrl: string | null = null): EndUserView {
  return {
    id: row.id,
    externalUserId: row.externalUserId,
    email: row.email,
    type: row.type,
    metadata: row.metadata,
    kycStatus: row.kycStatus,
    providerStatus: row.providerStatus,
    tosStatus: row.tosStatus,
    rails: {
      usd: row.rails['usd'] ?? 'inactive',
      eur: row.rails['eur'] ?? 'inactive',
      mxn: row.rails['mxn'] ?? 'inactive',
      brl: row.rails['brl'] ?? 'inactive',
      gbp: row.rails['gbp'] ?? 'inactive',
      cop: row.rails['cop'] ?? 'inactive',
    } satisfies Record<FiatCurrency, unknown>,
    requirements: row.requirements,
    nextAction: nextActionFor(row, nowMs, tosUrl),
    providerCustomerId: row.providerCustomerId,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** @param about the hosted page just made, and the currency that is asked about rather than any */
export function nextActionFor(
  row: store.EndUserRow,
  nowMs: number,
  tosUrl: string | null,
  about: { kycLink?: string | null; currency?: FiatCurrency | undefined } = {},
): NextAction {
  const kycUrl = about.kycLink ?? row.providerKycLink?.url ?? undefined
  // The provider's clock at its last answer: when it began to look, as far as anybody tells.
  const reviewSinceMs = (row.providerUpdatedAt ?? row.updatedAt).getTime()
  return nextActionOf(row, { nowMs, tosUrl: tosUrl ?? undefined, kycUrl, currency: about.currency, reviewSinceMs })
}

export function ownerOf(row: store.EndUserRow) {
  return { businessId: row.businessId, endUserId: row.id, virtualAccountId: null, externalUserId: row.externalUserId }
}

/** Without the business there is no query: another business's end-user reads as absent. @throws ApiError `holder_not_found` */
export async function endUserOf(query: Query, business: Business, externalUserId: string): Promise<store.EndUserRow> {
  const row = await store.findEndUser(query, business.id, externalUserId)
  if (!row) throw fail('holder_not_found', { param: 'externalUserId' })
  return row
}

/** Locks it for the transaction. @throws ApiError `holder_not_found` when it has been erased meanwhile */
export async function lockedEndUser(
  tx: Tx,
  { businessId, id }: Pick<store.EndUserRow, 'businessId' | 'id'>,
): Promise<store.EndUserRow> {
  const row = await store.lockEndUser(tx, businessId, id)
  if (row) return row
  throw fail('holder_not_found', { param: 'externalUserId' })
}

export type NewEndUser = {
  externalUserId: string
  email?: string
  type?: 'individual' | 'business'
  metadata?: Record<string, string>
}

/** @throws ApiError `end_user_already_exists`, with the existing id in `details` */
export async function createEndUser(deps: Deps, business: Business, input: NewEndUser): Promise<EndUserView> {
  return await idempotentTransaction(deps, async (tx) => {
    const row = await store.insertEndUser(tx, {
      businessId: business.id,
      id: makeId('endUser', deps.randomBytes(16)),
      externalUserId: input.externalUserId,
      email: input.email ?? null,
      type: input.type ?? 'individual',
      metadata: input.metadata ?? {},
    })
    if (!row) {
      const existing = await endUserOf(tx, business, input.externalUserId)
      throw fail('end_user_already_exists', {
        facts: { externalUserId: input.externalUserId },
        details: [
          {
            param: 'externalUserId',
            code: 'end_user_already_exists',
            message: `The existing end-user is ${existing.id}.`,
          },
        ],
      })
    }
    const view = endUserView(row, deps.now())
    await emit(deps, tx, 'end_user.created', ownerOf(row), view)
    return view
  })
}

export type EndUserChange = {
  email?: string | null
  type?: 'individual' | 'business'
  metadata?: Record<string, string>
}

/**
 * Changes our record. What the provider holds is changed by the next KYC submission.
 * @throws ApiError `holder_not_found`, `end_user_type_fixed` once the provider knows the end-user
 */
export async function updateEndUser(
  deps: Deps,
  business: Business,
  externalUserId: string,
  change: EndUserChange,
): Promise<EndUserView> {
  return await idempotentTransaction(deps, async (tx) => {
    const user = await lockedEndUser(tx, await endUserOf(tx, business, externalUserId))
    const isKnown = user.providerCustomerId !== null || user.providerKycLink !== null
    if (change.type !== undefined && change.type !== user.type && isKnown)
      throw fail('end_user_type_fixed', { param: 'type', facts: { externalUserId } })
    const row = await store.changeEndUser(tx, business.id, user.id, change)
    return endUserView(row, deps.now(), await openTosUrl(deps, tx, row))
  })
}

/** @throws ApiError `holder_not_found` */
export async function getEndUser(
  deps: Deps,
  business: Business,
  externalUserId: string,
): Promise<EndUserView & { tosOrigin: string | null }> {
  return await deps.db.read(async (query) => {
    const row = await endUserOf(query, business, externalUserId)
    const link = await findOpenTosLink(query, row.businessId, row.id)
    const url = link ? tosUrlOf(deps, link) : null
    // The provider has more than one host for its terms, so the origin to believe is the one of this very link.
    const tosOrigin = url === null ? null : new URL(url).origin
    return { ...endUserView(row, deps.now(), row.tosStatus === 'approved' ? null : url), tosOrigin }
  })
}

export async function listEndUsers(
  deps: Deps,
  business: Business,
  filter: store.EndUserFilter,
  page: PageRequest,
): Promise<Page<store.EndUserRow>> {
  return await deps.db.read((query) => store.listEndUsers(query, business.id, filter, page))
}

export async function openTosUrl(deps: Deps, query: Query, user: store.EndUserRow): Promise<string | null> {
  if (user.tosStatus === 'approved') return null
  const link = await findOpenTosLink(query, user.businessId, user.id)
  return link ? tosUrlOf(deps, link) : null
}
