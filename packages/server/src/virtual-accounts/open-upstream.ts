// Opens an account at the provider, or finds the account that an earlier call has opened. No two requests take one account.

import type { ProviderVirtualAccount, VirtualAccountInput } from '../provider/bridge/wire/types.ts'
import {
  isFirstCallByRequest,
  type Operation,
  providerKeyLifeMs,
  readAgeMs,
  readIfPresent,
} from '../provider/operations/operations.ts'
import { ProviderError, type Write } from '../provider/port.ts'
import type { OpensAccounts } from './ports.ts'
import type { VirtualAccount } from './service.ts'
import * as store from './store.ts'
import { goesElsewhere, namesTarget } from './terms/destination.rules.ts'
import { isOtherFee } from './terms/terms.rules.ts'

export type Creation = {
  operation: Operation
  account: VirtualAccount
  customerId: string
  /** What the provider is sent. */
  input: VirtualAccountInput
}

// 10 min: a call that is sent now must reach the provider before its key ends.
const keyLifeMarginMs = 600_000

/** Sends the creation while the provider keeps its key. A repeat after that would open a second account: then it only searches. */
export async function openOrFind(
  deps: OpensAccounts,
  creation: Creation,
  write: Write,
): Promise<ProviderVirtualAccount> {
  const { operation, customerId, input } = creation
  const ageMs = isFirstCallByRequest(operation) ? 0 : await deps.db.read((query) => readAgeMs(query, operation))
  if (ageMs < providerKeyLifeMs - keyLifeMarginMs)
    return await deps.provider.createVirtualAccount(customerId, input, write)
  const opened = await findOpened(deps, creation)
  if (!opened) throw neverOpened()
  return opened
}

/** Reads the account that the provider opened with a response that could not be read: by its ID, else by its terms. */
export async function readOpened(
  deps: OpensAccounts,
  creation: Creation,
  providerAccountId: string | null,
): Promise<ProviderVirtualAccount | undefined> {
  if (providerAccountId === null) return await findOpened(deps, creation)
  const read = () => deps.provider.getVirtualAccount(creation.customerId, providerAccountId)
  return (await readIfPresent(read)) ?? undefined
}

const listedMax = 100
// 1 min: the clocks of the database and of the provider may differ.
const clockSkewMs = 60_000

/**
 * Finds the account at the provider that this creation has opened. Among requests with the same terms, the oldest request takes
 * the oldest account.
 * @returns undefined when the provider has opened none
 * @throws ProviderError while another request may have opened the account, or the list leaves that open
 */
async function findOpened(deps: OpensAccounts, creation: Creation): Promise<ProviderVirtualAccount | undefined> {
  const { operation, account, customerId } = creation
  const sinceMs = operation.createdAt.getTime() - clockSkewMs
  const { accounts, unreadable } = await deps.provider.listVirtualAccounts(customerId, { limit: listedMax })
  const candidates = accounts.filter((one) => hasTermsOf(creation, one) && !(createdAtMs(one) < sinceMs))
  // Rivals first: a rival that takes an account after this query shows up in the next one.
  const hasRival = await deps.db.read((query) =>
    store.hasRivalCreation(query, operation, account, providerKeyLifeMs / 1_000),
  )
  const candidateIds = candidates.map(({ id }) => id)
  if (hasRival) throw askAgainLater(operation)
  const takenIds = await deps.db.read((query) => store.listTakenProviderIds(query, candidateIds))
  const free = candidates.filter(({ id }) => !takenIds.includes(id))
  const [oldest] = free
    .filter((one) => namesTarget(account, one.destination) && !Number.isNaN(createdAtMs(one)))
    .sort((one, other) => createdAtMs(one) - createdAtMs(other))
  if (oldest) return oldest
  // The provider lists the newest first, and requires neither the time of creation nor the target in an account.
  const isCut = accounts.length + unreadable >= listedMax && !accounts.some((one) => createdAtMs(one) < sinceMs)
  if (free.length > 0 || unreadable > 0 || isCut) throw new ProviderError('unreadable')
  return undefined
}

function hasTermsOf({ account, input }: Creation, listed: ProviderVirtualAccount): boolean {
  return (
    listed.instructions.currency === input.sourceCurrency &&
    !goesElsewhere(account, listed.destination) &&
    (account.feeConfigAsked !== null || !isOtherFee(account.developerFeePercent, listed.developerFeePercent))
  )
}

/** @returns NaN when the provider does not name the time, or not in a way that can be read */
const createdAtMs = ({ createdAt }: ProviderVirtualAccount): number => Date.parse(createdAt ?? '')

/** Ends the operation: the provider lists no account that this creation may have opened. */
const neverOpened = () => new ProviderError('rejected', { code: 'never_seen' })

/** Leaves the operation open, with the delay of the failure that it had: only an unreadable response is read ever more seldom. */
const askAgainLater = ({ mustBeRead }: Operation) => new ProviderError(mustBeRead ? 'unreadable' : 'timeout')
