// Requests of the provider for information: what a business and the operator read of them, and how they follow the provider.

import { createHash } from 'node:crypto'
import type { InformationRequestState } from '../end-users/schema.rules.ts'
import { type EndUserRow, findEndUserOfCustomer, lockEndUser, ownerOf } from '../end-users/service.ts'
import { emit } from '../events/emit.ts'
import type { EventHandler } from '../events/handler.ts'
import { providerOf } from '../platform/config.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { Business } from '../platform/http/caller.ts'
import type { Page, PageRequest, TimeRange } from '../platform/postgres/paging.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import { isoTime } from '../platform/values/time.ts'
import { ProviderError, type ProviderInformationRequest } from '../provider/port.ts'
import type { InformationRequests } from './ports.ts'
import {
  closedWithoutWord,
  type Held,
  type InformationRequestFacts,
  isOutdated,
  nextFacts,
  showsTheSame,
} from './state.rules.ts'
import * as store from './store.ts'

// Statements that other subjects may run.
export const { findRequest, listUnreadOpen } = store

function sharedView(row: store.InformationRequestRow) {
  const { id, state, actionTaken, actionAtDeadline, depositId } = row
  return {
    id,
    state,
    deadline: timeOf(row.deadline),
    actionTaken,
    actionAtDeadline,
    depositId,
    openedAt: timeOf(row.openedAt),
    closedAt: timeOf(row.closedAt),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

const timeOf = (time: Date | null) => time && isoTime(time)

/** Shows a request as the API of a business and its events do. */
export function informationRequestView(row: store.InformationRequestRow) {
  return { ...sharedView(row), externalUserId: row.externalUserId ?? '' }
}

export function operatorInformationRequestView(row: store.InformationRequestRow) {
  const { businessId, externalUserId, providerId, referentType, providerDepositId, dashboardUrl } = row
  return {
    ...sharedView(row),
    customerId: businessId === store.ofNobody ? null : businessId,
    externalUserId,
    providerRequestId: providerId,
    referentType,
    providerDepositId,
    dashboardUrl,
  }
}

/** Lists the requests about the end-users of a business, newest first. */
export async function listInformationRequests(
  deps: Pick<Core, 'db'>,
  business: Business,
  filter: store.InformationRequestFilter,
  page: PageRequest,
): Promise<Page<store.InformationRequestRow>> {
  return await deps.db.read((query) => store.listRequests(query, business.id, filter, page))
}

/** Reads a request. @throws ApiError `information_request_not_found` */
export async function getInformationRequest(deps: Pick<Core, 'db'>, business: Business, id: string) {
  const row = await deps.db.read((query) => store.findRequest(query, business.id, id))
  if (!row) throw fail('information_request_not_found')
  return informationRequestView(row)
}

/** Operator: crosses businesses. */
export async function listAllInformationRequests(
  deps: Pick<Core, 'db'>,
  filter: { state?: InformationRequestState } & TimeRange,
  page: PageRequest,
): Promise<Page<store.InformationRequestRow>> {
  return await deps.db.read((query) => store.listAllRequests(query, filter, page))
}

/** Applies the provider's facts about a request, in any order and any number of times. Crosses businesses. */
export async function applyInformationRequest(
  deps: InformationRequests,
  tx: Tx,
  told: ProviderInformationRequest,
): Promise<void> {
  await applyFacts(deps, tx, told, (held) => (isOutdated(held, told) ? null : nextFacts(held, told)))
}

/** Closes a request that the provider no longer has. Crosses businesses. */
export async function closeMissingRequest(deps: InformationRequests, tx: Tx, providerId: string): Promise<void> {
  const now = await store.readNow(tx)
  const nothingTold = { id: providerId, customerId: null, depositId: null }
  await applyFacts(deps, tx, nothingTold, (held) => held && closedWithoutWord(held, now))
}

/** Derives the ID of a request from the provider's ID, so that the sandbox can return it before its first event. */
export function informationRequestIdOf(providerId: string): string {
  return makeId('informationRequest', createHash('sha256').update(providerId).digest().subarray(0, 16))
}

type Decide = (held: Held | null) => InformationRequestFacts | null
type Subject = Pick<ProviderInformationRequest, 'id' | 'customerId' | 'depositId'>

async function applyFacts(deps: InformationRequests, tx: Tx, subject: Subject, decide: Decide): Promise<void> {
  const { id: providerId } = subject
  const user = await lockedHolder(deps, tx, subject)
  const before = await store.lockRequest(tx, providerId)
  const facts = decide(before ?? null)
  if (facts === null) return
  const isNew = !before || (user !== null && before.endUserId === null)
  const isShown = isNew || !showsTheSame(before, facts)
  if (before) await store.saveRequest(tx, user, facts, isShown)
  else if (!(await store.insertRequest(tx, informationRequestIdOf(providerId), user, facts)))
    // Another transaction inserted the request between the select and the insert: the next select finds it.
    return await applyFacts(deps, tx, subject, decide)
  if (user && isShown) await showToBusiness(deps, tx, user, providerId)
}

/** Locks the end-user of a request, which comes before the request. @returns null where none is known */
async function lockedHolder(deps: Core, tx: Tx, subject: Subject): Promise<EndUserRow | null> {
  const key = (await store.findHolder(tx, subject.id)) ?? (await findSubject(deps, tx, subject))
  return (key && (await lockEndUser(tx, key))) ?? null
}

/** The provider may name a deposit without its customer. */
async function findSubject(
  { config }: Core,
  tx: Tx,
  { customerId, depositId }: Subject,
): Promise<store.Holder | undefined> {
  if (customerId !== null) return await findEndUserOfCustomer(tx, providerOf(config), customerId)
  return depositId === null ? undefined : await store.findDepositor(tx, depositId)
}

async function showToBusiness(deps: InformationRequests, tx: Tx, user: EndUserRow, providerId: string): Promise<void> {
  await store.showOpenRequests(tx, user)
  const row = await store.lockRequest(tx, providerId)
  if (row) await emit(deps, tx, 'information_request.updated', ownerOf(user), informationRequestView(row))
}

/** @returns whether the provider does not let us read requests: the account may lack the feature, or our key the scope. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false
  return error.kind === 'rejected' || error.kind === 'not_found' || error.kind === 'unauthorized'
}

/**
 * Reads the request again: an event says that something changed, and the provider's record has the current state. If the
 * provider does not let us read the request, a signed event counts.
 */
export const informationRequestEvents: EventHandler<InformationRequests> = {
  async read(deps, { trust }, { informationRequest: told }) {
    if (told === null) return 'applied'
    const current = await readUnlessRefused(deps, told.id)
    const believed = current ?? (trust === 'verified' ? told : null)
    if (believed) await deps.db.transaction((tx) => applyInformationRequest(deps, tx, believed))
    return 'applied'
  },
}

async function readUnlessRefused(deps: InformationRequests, id: string): Promise<ProviderInformationRequest | null> {
  try {
    return (await deps.provider.informationRequests?.read(id)) ?? null
  } catch (error) {
    if (isRefused(error)) return null
    throw error
  }
}
