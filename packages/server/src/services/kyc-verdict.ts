// The provider's verdict on an end-user: read, taken in, and told. It replaces what we held; nothing is merged.

import { canonicalJson, type JsonObject } from '../domain/json.ts'
import { deriveKyc, type ProviderCustomer } from '../domain/kyc.ts'
import { ProviderError } from '../provider/port.ts'
import * as store from '../store/end-users.ts'
import { hurryWaiting } from '../store/event-work.ts'
import type { Tx } from '../store/query.ts'
import type { Deps } from './deps.ts'
import { type EndUserView, endUserView, ownerOf } from './onboarding.ts'
import { appendOwnEvent } from './own-events.ts'
import { readUpstream } from './upstream.ts'
import { startWaitingAccounts } from './virtual-accounts.ts'

/** Replaces our view of the end-user by the provider's answer, and tells about what changed, in one transaction. */
export async function takeInCustomer(
  deps: Deps,
  tx: Tx,
  seen: Pick<store.EndUserRow, 'businessId' | 'id'>,
  customer: ProviderCustomer,
  agreement: string | null = null,
): Promise<EndUserView> {
  const before = await store.lockEndUser(tx, seen.businessId, seen.id)
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
    : deriveKyc({ kycStatus: before.kycStatus, tosStatus }, customer)
  await rememberClock(tx, before, customer)
  const verdictChanged = kycText(before) !== kycText(view)
  const after =
    verdictChanged || before.tosStatus !== view.tosStatus
      ? await store.saveKyc(tx, before.businessId, before.id, view)
      : await store.getEndUser(tx, before.businessId, before.id)
  const shown = endUserView(after, deps.now())
  if (before.tosStatus !== 'approved' && after.tosStatus === 'approved') {
    await appendOwnEvent(deps, tx, 'end_user.tos.accepted', ownerOf(after), shown)
  }
  if (verdictChanged) {
    await appendOwnEvent(deps, tx, 'end_user.kyc.updated', ownerOf(after), shown)
    if (after.kycStatus === 'approved') await startWaitingAccounts(deps, tx, after)
  }
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

/**
 * Reads the customer at the provider and takes the answer in.
 * @param hintedCustomerId whom an event names; believed only when that customer carries our end-user's id
 * @throws ApiError `provider_unavailable`, `provider_timeout`
 */
export async function refreshEndUser(
  deps: Deps,
  user: store.EndUserRow,
  hintedCustomerId: string | null = null,
): Promise<EndUserView> {
  const customer = await readUpstream(() => currentCustomer(deps, user, hintedCustomerId))
  if (customer === null) return endUserView(user, deps.now())
  return await deps.db.transaction((tx) => takeInCustomer(deps, tx, user, customer))
}

async function currentCustomer(
  deps: Deps,
  user: store.EndUserRow,
  hintedCustomerId: string | null,
): Promise<ProviderCustomer | null> {
  const known = user.providerCustomerId ?? (await customerOfKycLink(deps, user))
  if (known !== null) return await deps.provider.getCustomer(known)
  return hintedCustomerId === null ? null : await hintedCustomer(deps, user, hintedCustomerId)
}

/** A hosted link's customer exists only once terms and identity are done, and may be somebody else's by then. */
async function customerOfKycLink(deps: Deps, user: store.EndUserRow): Promise<string | null> {
  const linkId = user.providerKycLink?.id
  if (linkId === undefined) return null
  const { customerId } = await deps.provider.getKycLink(linkId)
  if (customerId === null) return null
  return (await deps.db.read((query) => store.isHeldByAnother(query, user.id, [customerId]))) ? null : customerId
}

async function hintedCustomer(deps: Deps, user: store.EndUserRow, id: string): Promise<ProviderCustomer | null> {
  try {
    const customer = await deps.provider.getCustomer(id)
    return customer.clientReferenceId === user.id ? customer : null
  } catch (error) {
    // An event may name anything, also what the provider does not know.
    if (error instanceof ProviderError && (error.kind === 'not_found' || error.kind === 'rejected')) return null
    throw error
  }
}
