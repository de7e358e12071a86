// An account follows the provider's facts: the one place that stores what they make of it, and emits what changed. Each path
// by which a fact arrives ends here, with the end-user and the account locked.

import { isDeepStrictEqual } from 'node:util'
import { appendAudit } from '../../audit/log.ts'
import { type EndUserRow, lockEndUser } from '../../end-users/service.ts'
import type { BusinessEventType } from '../../events/catalogue.rules.ts'
import type { Core } from '../../platform/core.ts'
import { fail } from '../../platform/errors.ts'
import { type Actor, theProvider } from '../../platform/http/caller.ts'
import { wakeOnCommit } from '../../platform/postgres/notify.ts'
import type { Tx } from '../../platform/postgres/query.ts'
import { type Account, bankNumbers } from '../../provider/port.ts'
import type { DepositInstructions } from '../bank-details.rules.ts'
import { auditDestination, isSameDestination } from '../destination-audit.ts'
import { emitAccount, emitUpdated, reportMismatch, type VirtualAccount } from '../service.ts'
import * as store from '../store.ts'
import { mismatchOf } from '../terms/terms.rules.ts'
import { keepDetails } from './former-details.store.ts'
import { changedParts, firstDetails, nextDetails, type ProviderAccountStatus, standingOf } from './standing.rules.ts'

export type LockedAccount = { account: VirtualAccount; user: EndUserRow }

type Key = Pick<VirtualAccount, 'businessId' | 'id' | 'endUserId'>

/** Locks the end-user of an account, because the state depends on its verdict, and then the account. @returns null when it has been erased */
export async function lockAccountAndUserIfPresent(
  tx: Tx,
  { businessId, id, endUserId }: Key,
): Promise<LockedAccount | null> {
  const user = await lockEndUser(tx, { businessId, id: endUserId })
  const account = await store.lockVirtualAccount(tx, businessId, id)
  return user && account ? { user, account } : null
}

/** As `lockAccountAndUserIfPresent`. @throws ApiError `virtual_account_not_found` when it has been erased in the meantime */
export async function lockAccountAndUser(tx: Tx, key: Key): Promise<LockedAccount> {
  const locked = await lockAccountAndUserIfPresent(tx, key)
  if (locked) return locked
  throw fail('virtual_account_not_found', { param: 'id' })
}

/** New values of an account's columns. Columns that are left out stay. */
type Changes = Parameters<typeof store.updateVirtualAccount>[3]

/**
 * Stores changes of an account together with the state that all facts make of it, and emits and audits what differs.
 * @returns the account as it is afterwards
 */
export async function followFacts(
  deps: Core,
  tx: Tx,
  { account: before, user }: LockedAccount,
  changes: Changes,
  by: Actor,
) {
  const { businessId, id } = before
  const providerStatus = changes.providerStatus ?? before.providerStatus
  if (providerStatus === null) throw new Error(`account ${id} is not open at the provider`)
  const next = { ...changes, providerStatus, ...standingOf(providerStatus, user, before.sourceCurrency) }
  const isNew = (name: string) => !isDeepStrictEqual(before[name as keyof VirtualAccount], next[name as keyof Changes])
  if (!Object.keys(next).some(isNew)) return before
  if (changes.instructions && before.instructions) await keepDetails(tx, businessId, id)
  const account = await store.updateVirtualAccount(tx, businessId, id, next)
  await announce(deps, tx, before, account)
  await audit(deps, tx, before, account, by)
  // A destination that waits is not changed while the account is suspended.
  if (before.suspendedReason !== null && account.suspendedReason === null) await wakeOnCommit(tx, 'resume')
  return account
}

async function announce(deps: Core, tx: Tx, before: VirtualAccount, after: VirtualAccount): Promise<void> {
  if (before.status === 'pending') await emitAccount(deps, tx, 'virtual_account.created', after)
  else {
    const changed = changedParts(before, after)
    if (changed.length > 0) await emitUpdated(deps, tx, after, changed)
  }
  const switched = before.status === after.status ? null : switchOf(before.status, after.status)
  if (switched !== null) await emitAccount(deps, tx, switched, after)
}

type Status = VirtualAccount['status']

function switchOf(before: Status, after: Status): Exclude<BusinessEventType, 'virtual_account.updated'> | null {
  if (after === 'deactivated') return 'virtual_account.deactivated'
  if (after === 'suspended') return 'virtual_account.suspended'
  if (before === 'suspended') return 'virtual_account.resumed'
  return before === 'deactivated' ? 'virtual_account.reactivated' : null
}

async function audit(deps: Core, tx: Tx, before: VirtualAccount, after: VirtualAccount, by: Actor): Promise<void> {
  if (before.status === 'pending') return
  const { businessId, id: subjectId } = after
  const changed = changedParts(before, after)
  const isSwitched = before.providerStatus !== after.providerStatus
  // A destination that has waited ends with the change, also when the provider had it before.
  const hasDestination = !isSameDestination(before, after) || changed.includes('pendingDestination')
  if (hasDestination) await auditDestination(deps, tx, before, 'changed', by, after)
  if (changed.includes('bankDetails')) {
    const details = { changed: changedDetails(before, after) }
    const action = 'virtual_account.bank_details.changed'
    await appendAudit(deps, tx, theProvider, { businessId, action, subjectId, details })
  }
  if (!isSwitched) return
  const action = after.providerStatus === 'activated' ? 'virtual_account.reactivated' : 'virtual_account.deactivated'
  await appendAudit(deps, tx, by, { businessId, action, subjectId })
}

/** Names the bank details that differ. The numbers themselves are kept with the account alone. */
function changedDetails({ instructions: before }: VirtualAccount, { instructions: after }: VirtualAccount): string[] {
  if (!before || !after) return []
  const [old, now] = [detailsByName(before), detailsByName(after)]
  return Object.keys(now)
    .filter((name) => !isDeepStrictEqual(old[name], now[name]))
    .sort()
}

function detailsByName({ rails, ...common }: DepositInstructions): Record<string, unknown> {
  const numbers = bankNumbers.map((name) => [name, new Set(rails.map((each) => each.numbers[name]))])
  return { ...common, paymentRails: new Set(rails.map(({ rail }) => rail)), ...Object.fromEntries(numbers) }
}

/** A status that is new to us moves nothing. */
export function providerStatusIn({ status }: Pick<Account, 'status'>): {
  providerStatus?: ProviderAccountStatus
} {
  return status === 'unknown' ? {} : { providerStatus: status }
}

/**
 * Takes the bank details out of a response of the provider, if they differ from ours. Details that payers cannot use are reported
 * instead.
 */
export function newDetailsIn(deps: Core, account: VirtualAccount, answer: Account): Pick<Changes, 'instructions'> {
  const instructions =
    account.instructions === null
      ? firstDetails(answer.instructions, account.sourceCurrency)
      : nextDetails(account.instructions, answer.instructions)
  if (instructions === account.instructions) return {}
  const target = { address: null, walletId: null, prefundedAccountId: null }
  const nowhere = { paymentRail: null, currency: null, memo: null, ...target }
  // The terms may have been changed at the provider: they are not compared here.
  const mismatch = mismatchOf(account, { ...answer, destination: nowhere, developerFeePercent: null })
  if (mismatch === null) return { instructions }
  reportMismatch(deps, account, answer, mismatch)
  return {}
}
