// The provider's verdict on an end-user: read, taken in, and told. It replaces what we held; nothing is merged.

import type { Deps } from '../../app/context.ts'
import { appendOwnEvent } from '../../events/emit.ts'
import { hurryWaiting } from '../../events/ingest/work.store.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { canonicalJson, type JsonObject } from '../../platform/values/json.ts'
import { found, readUpstream } from '../../provider/operations/operations.ts'
import { ProviderError, type ProviderKycLink } from '../../provider/port.ts'
import { startWaitingAccounts } from '../../virtual-accounts/open.ts'
import { lockWaitingAccounts, type VirtualAccountRow } from '../../virtual-accounts/store.ts'
import { type EndUserView, endUserView, lockedEndUser, ownerOf } from '../service.ts'
import * as store from '../store.ts'
import { deriveKyc, deriveKycOfLink, kycWithoutCustomer, type ProviderCustomer } from './status.rules.ts'
import { requireKeyOfOurs } from './unknown-customers.ts'

/** An end-user with the accounts that an approval would start, all of them locked. */
export type Applicant = { user: store.EndUserRow; waiting: readonly VirtualAccountRow[] }

/** Comes before the operation in whose outcome a verdict is told. @throws ApiError `holder_not_found` when it has been erased */
export async function lockApplicant(tx: Tx, seen: Pick<store.EndUserRow, 'businessId' | 'id'>): Promise<Applicant> {
  const user = await lockedEndUser(tx, seen)
  return { user, waiting: await lockWaitingAccounts(tx, user.businessId, user.id) }
}

/** Replaces our view of the end-user by the provider's answer, and tells about what changed, in one transaction. */
export async function takeInCustomer(
  deps: Deps,
  tx: Tx,
  applicant: Applicant,
  customer: ProviderCustomer,
  agreement: string | null = null,
): Promise<EndUserView> {
  const before = applicant.user
  if (before.providerCustomerId === null) {
    await store.saveProviderCustomer(tx, before.businessId, before.id, customer.id)
    await hurryWaiting(tx, [customer.id])
  }
  if (agreement !== null && before.signedAgreementId !== agreement) {
    await store.saveAgreement(tx, before.businessId, before.id, agreement)
  }
  const tosStatus = agreement === null ? before.tosStatus : 'approved'
  const view = isOutdated(before, customer)
    ? { ...before, tosStatus }
    : deriveKyc({ kycStatus: before.kycStatus, tosStatus }, customer, deps.config.rails)
  await rememberClock(tx, before, customer)
  return await takeInVerdict(deps, tx, applicant, view)
}

async function takeInVerdict(
  deps: Deps,
  tx: Tx,
  { user: before, waiting }: Applicant,
  view: store.Verdict,
): Promise<EndUserView> {
  const verdictChanged = kycText(before) !== kycText(view)
  const after =
    verdictChanged || before.tosStatus !== view.tosStatus
      ? await store.saveKyc(tx, before.businessId, before.id, view)
      : await store.getEndUser(tx, before.businessId, before.id)
  const shown = endUserView(after, deps.now())
  if (verdictChanged && after.kycStatus === 'approved') await startWaitingAccounts(deps, tx, after, waiting)
  if (before.tosStatus !== 'approved' && after.tosStatus === 'approved') {
    await appendOwnEvent(deps, tx, 'end_user.tos.accepted', ownerOf(after), shown)
  }
  if (verdictChanged) await appendOwnEvent(deps, tx, 'end_user.kyc.updated', ownerOf(after), shown)
  return shown
}

/** Answers are read side by side and taken in in any order: one that the provider gave before the one we hold says nothing. */
function isOutdated(held: store.EndUserRow, customer: ProviderCustomer): boolean {
  const isOfSame = held.providerCustomerId === customer.id
  return isOfSame && (customer.updatedAtMs ?? Number.POSITIVE_INFINITY) < (held.providerUpdatedAt?.getTime() ?? 0)
}

async function rememberClock(tx: Tx, held: store.EndUserRow, customer: ProviderCustomer): Promise<void> {
  const { updatedAtMs } = customer
  if (updatedAtMs === null || updatedAtMs === held.providerUpdatedAt?.getTime() || isOutdated(held, customer)) return
  await store.saveProviderClock(tx, held.businessId, held.id, new Date(updatedAtMs))
}

/** What `end_user.kyc.updated` is about, as text to compare: a repeated answer of the provider changes and tells nothing. */
function kycText(view: Omit<store.Verdict, 'tosStatus'>): string {
  const { kycStatus, providerStatus, rails, requirements, rejectionReasons } = view
  return canonicalJson({
    kycStatus,
    providerStatus,
    rails: { ...rails } as JsonObject,
    requirements: { ...requirements },
    rejectionReasons,
  })
}

type Answer = { customer: ProviderCustomer } | { link: ProviderKycLink } | 'gone' | null

/**
 * Reads the customer at the provider, or the hosted page while there is none, and takes the answer in.
 * @param hintedCustomerId whom an event names; believed only when that customer carries our end-user's id
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshEndUser(
  deps: Deps,
  user: store.EndUserRow,
  hintedCustomerId: string | null = null,
): Promise<EndUserView> {
  const answer = await readUpstream(async () => {
    const read = await currentAnswer(deps, user, hintedCustomerId)
    if (read === 'gone' && user.providerStatus !== 'deleted') await requireKeyOfOurs(deps, user)
    return read
  })
  if (answer === null) return endUserView(user, deps.now())
  return await deps.db.transaction(async (tx) => {
    const applicant = await lockApplicant(tx, user)
    if (answer !== 'gone' && 'customer' in answer) return await takeInCustomer(deps, tx, applicant, answer.customer)
    const held = applicant.user
    // Who has another customer by now is not described by this answer any more.
    if (held.providerCustomerId !== user.providerCustomerId) return endUserView(held, deps.now())
    const view = answer === 'gone' ? kycWithoutCustomer(held) : deriveKycOfLink(held, answer.link)
    return await takeInVerdict(deps, tx, applicant, view)
  })
}

async function currentAnswer(deps: Deps, user: store.EndUserRow, hintedId: string | null): Promise<Answer> {
  if (user.providerCustomerId !== null) return await answerOfCustomer(deps, user.providerCustomerId)
  const answer = await answerOfLink(deps, user)
  if (answer !== null && 'customer' in answer) return answer
  const hinted = hintedId === null ? null : await found(() => deps.provider.getCustomer(hintedId))
  return hinted?.clientReferenceId === user.id ? { customer: hinted } : answer
}

/** Only the provider's own word counts: any server in between, or a wrong address, may answer 404 as well. */
async function answerOfCustomer(deps: Deps, id: string): Promise<Answer> {
  try {
    return { customer: await deps.provider.getCustomer(id) }
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'not_found' && error.code !== null) return 'gone'
    throw error
  }
}

/** A hosted page's customer exists only once terms and identity are done, and may be somebody else's by then. */
async function answerOfLink(deps: Deps, user: store.EndUserRow): Promise<Exclude<Answer, 'gone'>> {
  const linkId = user.providerKycLink?.id
  const link = linkId === undefined ? null : await found(() => deps.provider.getKycLink(linkId))
  if (link === null) return null
  const { customerId } = link
  if (customerId === null) return { link }
  if (await deps.db.read((query) => store.isHeldByAnother(query, user.id, [customerId]))) return null
  const customer = await found(() => deps.provider.getCustomer(customerId))
  return customer === null ? null : { customer }
}
