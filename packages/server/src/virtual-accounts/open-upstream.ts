// Opens an account at the provider, or finds the account that an earlier call has opened. Each account belongs to one
// request.

import { providerDuplicates } from '../platform/observe/metrics.ts'
import { providerKeyOf } from '../platform/secrets/secret-box.ts'
import { isFirstCallByRequest, type Operation, readAgeMs, readIfPresent } from '../provider/operations/operations.ts'
import { type Account, type AccountTerms, ProviderError, type Write } from '../provider/port.ts'
import type { OpensAccounts } from './ports.ts'
import type { VirtualAccount } from './service.ts'
import * as store from './store.ts'
import { goesElsewhere, namesTarget } from './terms/destination.rules.ts'
import { isOtherFee } from './terms/terms.rules.ts'

export type Creation = {
  operation: Operation
  account: VirtualAccount
  customerId: string
  /** The terms sent to the provider. */
  terms: AccountTerms
}

// 10 min: a call sent now must reach the provider before its key expires.
const keyLifeMarginMs = 600_000

/** Sends the creation while a retry opens no second account, and otherwise searches for the opened account. */
export async function openOrFind(deps: OpensAccounts, creation: Creation, write: Write): Promise<Account> {
  const { operation, customerId, terms } = creation
  const { repeats, keyLifeMs } = deps.provider.traits
  const open = () => deps.provider.accounts.open(customerId, terms, write)
  const isKeyed = repeats['virtual_account.create'] === 'same_key' && keyLifeMs !== null
  if (isFirstCallByRequest(operation) || !isKeyed) return await open()
  const ageMs = await deps.db.read((query) => readAgeMs(query, operation))
  if (ageMs < keyLifeMs - keyLifeMarginMs) return await open()
  const opened = await findOpened(deps, creation)
  if (!opened) throw neverOpened()
  return opened
}

/**
 * Reads the account that the provider opened with an unreadable response: by its ID, else by its reference or terms.
 */
export async function readOpened(
  deps: OpensAccounts,
  creation: Creation,
  providerAccountId: string | null,
): Promise<Account | undefined> {
  if (providerAccountId === null) return await findOpened(deps, creation)
  const read = () => deps.provider.accounts.read(creation.customerId, providerAccountId)
  return (await readIfPresent(read)) ?? undefined
}

// 1 min: the clocks of the database and of the provider may differ.
const clockSkewMs = 60_000

/**
 * Finds the account at the provider that this creation has opened: the oldest with its reference. Without references,
 * among requests with the same terms the oldest request takes the oldest account.
 * @returns undefined if the provider has opened none
 * @throws ProviderError while another request may have opened the account, or the list is incomplete
 */
async function findOpened(deps: OpensAccounts, creation: Creation): Promise<Account | undefined> {
  const { operation, account, customerId } = creation
  const { keyLifeMs } = deps.provider.traits
  const sinceMs = operation.createdAt.getTime() - clockSkewMs
  const found = await deps.provider.accounts.findOpened(customerId, account.id)
  const { accounts, unreadable } = found
  if (found.byReference) {
    if (unreadable > 0 || found.isCut) throw new ProviderError('unreadable')
    return await keepOldest(deps, creation, accounts)
  }
  const candidates = accounts.filter(
    (one) => hasTermsOf(creation, one) && (one.createdAtMs === null || one.createdAtMs >= sinceMs),
  )
  // Rivals first: a rival that takes an account after this query is in the next one.
  const hasRival = await deps.db.read((query) => store.hasRivalCreation(query, operation, account, keyLifeMs))
  const candidateIds = candidates.map(({ id }) => id)
  if (hasRival) throw askAgainLater(operation)
  const takenIds = await deps.db.read((query) => store.listTakenProviderIds(query, account.provider, candidateIds))
  const free = candidates.filter(({ id }) => !takenIds.includes(id))
  const [oldest] = byAge(free.filter((one) => namesTarget(account, one.destination) && one.createdAtMs !== null))
  if (oldest) return oldest
  // The provider lists the newest first, and may omit the creation time and the target of an account.
  const isCut = found.isCut && !accounts.some(({ createdAtMs }) => createdAtMs !== null && createdAtMs < sinceMs)
  if (free.length > 0 || unreadable > 0 || isCut) throw new ProviderError('unreadable')
  return undefined
}

/**
 * Deactivates all accounts with one reference except the oldest: the first request arrived after all. Nobody was shown
 * the others.
 * @throws ProviderError while one of them cannot be deactivated
 */
async function keepOldest(deps: OpensAccounts, { operation, account, customerId }: Creation, accounts: Account[]) {
  const [oldest, ...younger] = byAge(accounts)
  for (const { id } of younger.filter(({ status }) => status !== 'deactivated')) {
    const key = providerKeyOf(`${operation.id} ${id}`)
    await readIfPresent(() => deps.provider.accounts.switch(customerId, id, 'deactivated', { key }))
    providerDuplicates.inc({ kind: operation.kind })
    deps.log.error({ account: account.id, providerAccount: id }, 'duplicate account at the provider deactivated')
  }
  return oldest
}

const byAge = (accounts: readonly Account[]) =>
  accounts.toSorted((one, other) => (one.createdAtMs ?? Number.MAX_VALUE) - (other.createdAtMs ?? Number.MAX_VALUE))

function hasTermsOf({ account, terms }: Creation, listed: Account): boolean {
  return (
    listed.instructions.currency === terms.sourceCurrency &&
    !goesElsewhere(account, listed.destination) &&
    (account.feeConfigAsked !== null || !isOtherFee(account.developerFeePercent, listed.developerFeePercent))
  )
}

/** Ends the operation: the provider lists no account that this creation may have opened. */
const neverOpened = () => new ProviderError('rejected', { code: 'never_seen' })

/**
 * Leaves the operation open, with the delay of its last failure: only after an unreadable response do delays keep
 * growing.
 */
const askAgainLater = ({ mustBeRead }: Operation) => new ProviderError(mustBeRead ? 'unreadable' : 'timeout')
