// The provider is asked about an end-user before a request is refused for its state, and after the provider has refused one.

import { claimProviderQuestion, type EndUserRow, presentEndUser } from '../../end-users/service.ts'
import { ApiError, type ErrorCode } from '../../platform/errors.ts'
import { isOutage, isUnreadable } from '../../provider/operations/operations.ts'
import type { OpensAccounts } from '../ports.ts'
import type { VirtualAccount } from '../service.ts'

/** The provider is asked about one end-user this often at most, however many requests are refused. */
const askAgainSeconds = 5

/** Asks the provider before a request is refused: an approval may have come without an event. During an outage the held verdict counts. */
export async function lookForApproval(deps: OpensAccounts, user: EndUserRow): Promise<void> {
  if (user.providerCustomerId === null && user.providerKycLink === null) return
  if (await deps.db.transaction((tx) => claimProviderQuestion(tx, user, askAgainSeconds))) await ask(deps, user)
}

type OfHolder = Pick<VirtualAccount, 'businessId' | 'endUserId'>

/** As `lookForApproval`, for the end-user of an account. */
export async function lookForApprovalOf(deps: OpensAccounts, account: OfHolder): Promise<void> {
  await lookForApproval(deps, await holderOf(deps, account))
}

const aboutTheHolder: ReadonlySet<ErrorCode> = new Set(['kyc_not_approved', 'rail_not_enabled', 'tos_not_accepted'])

/** Makes a write at the provider. A refusal for the state of the end-user shows that ours is old: then it is read again. */
export async function learningFromRefusal<T>(
  deps: OpensAccounts,
  account: OfHolder,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ApiError && aboutTheHolder.has(error.code)) await ask(deps, await holderOf(deps, account))
    throw error
  }
}

async function holderOf(deps: OpensAccounts, { businessId, endUserId }: OfHolder): Promise<EndUserRow> {
  return await deps.db.read((query) => presentEndUser(query, { businessId, id: endUserId }))
}

async function ask(deps: OpensAccounts, user: EndUserRow): Promise<void> {
  try {
    await deps.refreshEndUser(user)
  } catch (error) {
    if (!isOutage(error) && !isUnreadable(error)) throw error
  }
}
