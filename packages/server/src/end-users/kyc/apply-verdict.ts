// The provider's verdict on an end-user: read, applied, emitted. It replaces the stored verdict; nothing is merged.
// Above the usual length: a response is read, applied and announced in one place.

import { isDeepStrictEqual } from 'node:util'
import { emit, makeWaitingEventsDue } from '../../events/emit.ts'
import type { EventHandler } from '../../events/handler.ts'
import { providerCustomersUnknown } from '../../platform/observe/metrics.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { findOpenRequest, isUnreadable, readIfPresent, readProvider } from '../../provider/operations/operations.ts'
import { type HostedPage, ProviderError, type Standing } from '../../provider/port.ts'
import type { EndUserView } from '../schema.rules.ts'
import { endUserView, lockedEndUser, ownerOf } from '../service.ts'
import * as store from '../store.ts'
import { type EeaPresence, presenceIn } from './form/eea.rules.ts'
import type { Verdicts } from './ports.ts'
import { customerGone, deriveKyc, deriveKycOfPage, kycWithoutCustomer } from './status.rules.ts'

/**
 * Replaces the stored view of the end-user with the provider's response, and emits the changes, in one transaction.
 * @param submitted data that the provider accepted with this response: the signed agreement, and the presence in the
 * EEA
 */
export async function applyCustomer(
  deps: Verdicts,
  tx: Tx,
  held: store.EndUserRow,
  customer: Standing,
  { agreement = null, presence }: { agreement?: string | null; presence?: Partial<EeaPresence> } = {},
): Promise<EndUserView> {
  if (held.providerCustomerId === null) await makeWaitingEventsDue(tx, [customer.id])
  if (agreement !== null && held.signedAgreementId !== agreement) await store.acceptTosLinks(tx, held)
  const next = {
    ...held,
    ...(presence ?? (await presenceOfCreation(tx, held))),
    providerCustomerId: held.providerCustomerId ?? customer.id,
    signedAgreementId: agreement ?? held.signedAgreementId,
    tosStatus: agreement === null ? held.tosStatus : 'approved',
  } as const
  if (isOutdated(held, customer)) return await applyView(deps, tx, held, next)
  const providerUpdatedAt = customer.asOfMs === null ? held.providerUpdatedAt : new Date(customer.asOfMs)
  return await applyView(deps, tx, held, { ...next, ...deriveKyc(next, customer), providerUpdatedAt })
}

/**
 * Reads the EEA presence from a creation with an open outcome. If an event has already named the customer, a later
 * submission may have been accepted, so the creation no longer counts.
 */
export async function presenceOfCreation(tx: Tx, held: store.EndUserRow): Promise<Partial<EeaPresence>> {
  const { businessId, id: subjectId, providerCustomerId } = held
  if (providerCustomerId !== null) return {}
  return presenceIn(await findOpenRequest(tx, { businessId, kind: 'customer.create', subjectId }))
}

/** Columns that the API does not show: a change of only these is not a change of the end-user. */
const unshown = { providerUpdatedAt: null, residesInEea: null, operatesInEea: null }

async function applyView(deps: Verdicts, tx: Tx, held: store.EndUserRow, next: store.EndUserRow): Promise<EndUserView> {
  const hasChanged = !isDeepStrictEqual({ ...held, ...unshown }, { ...next, ...unshown })
  const isVerdictNew = !isDeepStrictEqual(verdictOf(held), verdictOf(next))
  const isSame = !hasChanged && isDeepStrictEqual(held, next)
  const after = isSame ? held : await store.saveProviderView(tx, next, { hasChanged, isVerdictNew })
  const view = endUserView(deps, after)
  if (held.tosStatus !== 'approved' && after.tosStatus === 'approved') {
    await emit(deps, tx, 'end_user.tos.accepted', ownerOf(after), view)
  }
  if (isVerdictNew) {
    await emit(deps, tx, 'end_user.kyc.updated', ownerOf(after), view)
    await deps.settleLinks(tx, after)
  }
  return view
}

/** Responses are read in parallel and applied in any order: a response older than the stored one changes nothing. */
function isOutdated(held: store.EndUserRow, customer: Standing): boolean {
  const isOfSame = held.providerCustomerId === customer.id
  return isOfSame && (customer.asOfMs ?? Number.POSITIVE_INFINITY) < (held.providerUpdatedAt?.getTime() ?? 0)
}

/** The part of the view that `end_user.kyc.updated` reports. */
function verdictOf({
  kycStatus,
  providerStatus,
  pauseReason,
  rails,
  requirements,
  rejectionReasons,
}: store.EndUserRow) {
  return { kycStatus, providerStatus, pauseReason, rails, requirements, rejectionReasons }
}

/**
 * Reads the customer again: an event only shows that something changed, the response shows the current state, in any
 * order.
 */
export const endUserEvents: EventHandler<Verdicts> = {
  async read(deps, { businessId, endUserId }, { customerId }) {
    const user = endUserId && (await deps.db.read((query) => store.findEndUserById(query, businessId, endUserId)))
    if (user) await refreshEndUser(deps, user, customerId)
    return 'applied'
  },
}

type Answer = { customer: Standing } | { page: HostedPage } | 'gone' | null

/**
 * Reads the customer at the provider, or the hosted page if there is no customer, and applies the response.
 * @param hintedCustomerId the customer in an event; used only if that customer has our end-user's ID
 * @returns the end-user as the API shows it
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshEndUser(
  deps: Verdicts,
  user: store.EndUserRow,
  hintedCustomerId: string | null = null,
): Promise<EndUserView> {
  let seen = user
  for (let tries = 1; ; tries++) {
    const answer = await readProvider(() => currentAnswer(deps, seen, hintedCustomerId))
    if (answer === null) return endUserView(deps, seen)
    const outcome = await deps.db.transaction(async (tx) => {
      const held = await lockedEndUser(tx, seen)
      const isHeldNewer = held.updatedAt.getTime() !== seen.updatedAt.getTime()
      // A hosted page has no time of the provider: a response to a read that began before the last change may be older.
      if (isHeldNewer && answer !== 'gone' && 'page' in answer) return { changed: held }
      return { view: await applyAnswer(deps, tx, held, answer, seen.providerCustomerId) }
    })
    if ('view' in outcome) {
      await deps.followVerdict(seen)
      return outcome.view
    }
    if (tries === pageReadsMax) return endUserView(deps, outcome.changed)
    seen = outcome.changed
  }
}

const pageReadsMax = 3

/**
 * Applies a provider response to an end-user.
 * @param readFor the stored customer when the provider was asked
 */
export async function applyAnswer(
  deps: Verdicts,
  tx: Tx,
  held: store.EndUserRow,
  answer: Exclude<Answer, null>,
  readFor: string | null,
): Promise<EndUserView> {
  if (answer !== 'gone' && 'customer' in answer) return await applyCustomer(deps, tx, held, answer.customer)
  // The response is about the customer that was read; another request may have given the end-user another customer
  // since.
  if (held.providerCustomerId !== readFor) return endUserView(deps, held)
  const view = answer === 'gone' ? kycWithoutCustomer(held) : deriveKycOfPage(held, answer.page)
  return await applyView(deps, tx, held, { ...held, ...view })
}

async function currentAnswer(deps: Verdicts, user: store.EndUserRow, hintedId: string | null): Promise<Answer> {
  if (user.providerCustomerId !== null) return await answerOfCustomer(deps, user, user.providerCustomerId)
  const answer = await answerOfPage(deps, user)
  if (answer !== null && 'customer' in answer) return answer
  const hinted = hintedId === null ? null : await readIfPresent(() => deps.provider.customers.read(hintedId))
  return hinted?.reference === user.id ? { customer: hinted } : answer
}

/** A 404 counts only with the provider's own error code: a proxy, or a wrong URL, may also return 404. */
async function answerOfCustomer(deps: Verdicts, user: store.EndUserRow, id: string): Promise<Answer> {
  try {
    return { customer: await deps.provider.customers.read(id) }
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found' || error.code === null) throw error
    if (user.providerStatus !== customerGone) await requireKeyOfOurs(deps, user)
    return 'gone'
  }
}

/**
 * A hosted page has a customer only once terms and identity are done, and by then that customer may belong to another
 * end-user.
 */
async function answerOfPage(deps: Verdicts, user: store.EndUserRow): Promise<Exclude<Answer, 'gone'>> {
  const id = user.providerKycLink?.id
  const readPage = deps.provider.hostedKyc?.readPage
  const page = id === undefined || !readPage ? null : await readIfPresent(() => readPage(id))
  if (page === null) return null
  const { customerId } = page
  if (customerId === null) return { page }
  if (await deps.db.read((query) => store.isHeldByAnother(query, user, [customerId]))) return null
  const customer = await customerOfPage(deps, page, customerId)
  return customer && { customer }
}

/**
 * Reads the state of a page that was just created or adopted, including its customer. If that read fails, the state of
 * the page itself counts.
 */
export async function answerOfNewPage(
  deps: Verdicts,
  user: store.EndUserRow,
  page: HostedPage,
): Promise<Exclude<Answer, null | 'gone'>> {
  const { customerId } = page
  if (customerId === null) return { page }
  try {
    const customer = await customerOfPage(deps, page, customerId)
    return customer ? { customer } : { page }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    deps.log.warn({ endUser: user.id, failure: error.kind }, 'customer of new KYC link not read')
    return { page }
  }
}

/** The terms may be accepted on the page before the customer shows it. */
async function customerOfPage(deps: Verdicts, { standing }: HostedPage, id: string): Promise<Standing | null> {
  const customer = await readIfPresent(() => deps.provider.customers.read(id))
  return customer && { ...customer, hasAcceptedTerms: customer.hasAcceptedTerms || standing.hasAcceptedTerms }
}

const neighbours = 2
const neighboursReadMax = 20
const foreignKeyCode = 'customers_unknown'

/**
 * An unknown customer was deleted at the provider, or our key belongs to another account, which knows none of our
 * customers. Reading the next two customers in list order decides; with fewer than two others the response is believed.
 * @throws ProviderError `unauthorized`, `customers_unknown` if the provider knows neither: then nobody may be
 * offboarded
 */
async function requireKeyOfOurs(deps: Verdicts, { businessId, id }: store.EndUserRow): Promise<void> {
  const [after, first] = await deps.db.read(async (query) => [
    await store.listEndUsersUpstream(query, { businessId, id }, neighboursReadMax),
    await store.listEndUsersUpstream(query, { businessId: '', id: '' }, neighboursReadMax),
  ])
  const others = [...(after ?? []), ...(first ?? [])]
    .filter((user) => user.id !== id && user.providerStatus !== customerGone)
    .flatMap(({ providerCustomerId }) => providerCustomerId ?? [])
  const asked = [...new Set(others)].slice(0, neighbours)
  if (asked.length < neighbours) return
  for (const customerId of asked) if (await isKnown(deps, customerId)) return
  providerCustomersUnknown.inc()
  deps.log.error(
    'three consecutive customers not found at the provider, no end-user offboarded: check PROVIDER_API_KEY',
  )
  throw new ProviderError('unauthorized', { code: foreignKeyCode })
}

/** A customer in an unreadable response also exists. */
async function isKnown(deps: Verdicts, customerId: string): Promise<boolean> {
  try {
    return (await readIfPresent(() => deps.provider.customers.read(customerId))) !== null
  } catch (error) {
    if (isUnreadable(error)) return true
    throw error
  }
}

/** Returns whether a read failed because our key belongs to another account at the provider. */
export function isForeignKey(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof ProviderError ? error.cause : error
  return cause instanceof ProviderError && cause.code === foreignKeyCode
}
