// Opening a virtual account: the request, the write at the provider, and its outcome. An account that waits for KYC is opened
// by an approval.
// Above the usual length: the request, and the outcome after a lost or unreadable response, must agree.

import { type EndUserRow, endUserOf, lockedEndUser } from '../end-users/service.ts'
import { makeWaitingEventsDue } from '../events/emit.ts'
import { type Business, theProvider } from '../platform/http/caller.ts'
import { noteSubject, storeResponse } from '../platform/http/idempotency/service.ts'
import type { HeldKey, RequestScope } from '../platform/http/scope.ts'
import { transactionUnlessBusy } from '../platform/postgres/lock-order.ts'
import type { Tx } from '../platform/postgres/query.ts'
import { makeId } from '../platform/values/ids.ts'
import type { JsonObject } from '../platform/values/json.ts'
import {
  beginOperation,
  type Operation,
  performOperation,
  readAgeMs,
  readIfPresent,
} from '../provider/operations/operations.ts'
import { ProviderError, type ProviderVirtualAccount, type VirtualAccountInput, type Write } from '../provider/port.ts'
import type { OpensAccounts } from './ports.ts'
import {
  accountOf,
  accountRejection,
  changeInProgress,
  emitAccount,
  railRefusal,
  reportMismatch,
  requireCoin,
  type VirtualAccount,
  type VirtualAccountView,
  virtualAccountView,
} from './service.ts'
import { learningFromRefusal, lookForApproval } from './standing/ask-provider.ts'
import { followFacts, type Held, lockHeld, providerStatusIn } from './standing/follow.ts'
import { firstDetails } from './standing/standing.rules.ts'
import * as store from './store.ts'
import {
  type DestinationInput,
  goesElsewhere,
  learnedAddress,
  namesTarget,
  upstreamDestination,
} from './terms/destination.rules.ts'
import {
  isOtherFee,
  mismatchOf,
  readDestination,
  readFees,
  refuseViolations,
  type Violation,
} from './terms/terms.rules.ts'

export type NewVirtualAccount = {
  externalUserId: string
  source: { currency: string }
  destination: DestinationInput
  developer_fee_percent?: unknown
  fee_config?: JsonObject
  metadata?: Record<string, string>
  onPendingKyc?: 'reject' | 'wait'
}

type Terms = ReturnType<typeof readTerms> & Pick<store.NewVirtualAccount, 'metadata'>

/**
 * Opens an account. With `onPendingKyc: "wait"` an end-user who is not approved yet gets a `pending` account, which an
 * approval opens.
 * @throws ApiError 400 (`unsupported_currency`, `unsupported_payment_rail`, `invalid_destination_address`,
 *   `invalid_developer_fee_percent`), `holder_not_found`, `coin_not_available_in_region`, `kyc_not_approved`, `rail_not_enabled`,
 *   `tos_not_accepted`, `account_change_in_progress`, `provider_rejected`, `provider_unavailable`, `provider_timeout`,
 *   `provider_response_unreadable`
 */
export async function createVirtualAccount(
  deps: OpensAccounts,
  { business, held }: RequestScope,
  input: NewVirtualAccount,
): Promise<VirtualAccountView> {
  const terms = { ...readTerms(deps, input), metadata: input.metadata ?? {} }
  const seen = await deps.db.read((query) => endUserOf(query, business, input.externalUserId))
  if (railRefusal(deps, seen, terms.sourceCurrency)) await lookForApproval(deps, seen)
  const begun = await transactionUnlessBusy(deps, changeInProgress, async (tx) => {
    // The lock keeps out an approval that would not see the account that waits for it.
    const user = await lockedEndUser(tx, seen)
    const begun =
      (await continueAccount(deps, held, tx, business)) ??
      (await beginAccount(deps, held, tx, user, terms, input.onPendingKyc === 'wait'))
    if ('view' in begun) await storeResponse(deps, held, tx, begun.view)
    return begun
  })
  return 'operation' in begun ? await completeCreation(deps, held, begun.operation) : begun.view
}

function readTerms({ config }: OpensAccounts, { source, destination, ...fees }: NewVirtualAccount) {
  const violations: Violation[] = []
  const { developerFeePercent = '0', feeConfig = null } = readFees(config.developerFeePercentMax, fees, violations)
  const terms = {
    ...readDestination(config.rails, source.currency, destination, violations),
    developerFeePercent,
    feeConfigAsked: feeConfig,
  }
  refuseViolations(violations)
  return terms
}

type Begun = { view: VirtualAccountView } | { operation: Operation }

/** Continues with the account that an earlier request with the same Idempotency-Key began. @returns null without such an account */
async function continueAccount(
  deps: OpensAccounts,
  held: HeldKey | null,
  tx: Tx,
  { id: businessId }: Business,
): Promise<Begun | null> {
  const accountId = held?.subjectId ?? null
  const account = accountId === null ? undefined : await store.lockVirtualAccount(tx, businessId, accountId)
  if (!account) return null
  if (account.status !== 'pending') return { view: virtualAccountView(account) }
  return { operation: await beginCreation(deps, tx, businessId, account.id) }
}

async function beginAccount(
  deps: OpensAccounts,
  held: HeldKey | null,
  tx: Tx,
  user: EndUserRow,
  terms: Terms,
  wait: boolean,
): Promise<Begun> {
  requireCoin(user, terms)
  const refusal = railRefusal(deps, user, terms.sourceCurrency)
  if (refusal && !wait) throw refusal
  const { businessId, id: endUserId } = user
  const id = makeId('virtualAccount', deps.randomBytes(16))
  await store.insertVirtualAccount(tx, { ...terms, businessId, id, endUserId, waitingForKyc: refusal !== null })
  if (refusal) return { view: virtualAccountView(await accountOf(tx, { id: businessId }, id)) }
  const operation = await beginCreation(deps, tx, businessId, id)
  await noteSubject(held, tx, id)
  return { operation }
}

export async function beginCreation(
  deps: OpensAccounts,
  tx: Tx,
  businessId: string,
  accountId: string,
): Promise<Operation> {
  const intent = { businessId, kind: 'virtual_account.create', subjectId: accountId, request: { accountId } } as const
  const begun = await beginOperation(deps, tx, intent)
  if (typeof begun === 'string') throw changeInProgress()
  return begun.operation
}

/** Opens the account at the provider, now or as a repeat under the same key. @param held null in the resume loop */
export async function completeCreation(deps: OpensAccounts, held: HeldKey | null, operation: Operation) {
  const { businessId, subjectId } = operation
  const account = await deps.db.read((query) => accountOf(query, { id: businessId }, subjectId))
  const { providerCustomerId } = account
  if (providerCustomerId === null) throw new Error(`account ${account.id} has no provider customer`)
  const input = {
    sourceCurrency: account.sourceCurrency,
    destination: upstreamDestination(account),
    ...(account.feeConfigAsked
      ? { feeConfig: account.feeConfigAsked }
      : { developerFeePercent: account.developerFeePercent }),
    ...(account.travelRuleData === null ? {} : { travelRuleData: account.travelRuleData }),
  }
  const opening = {
    call: (write: Write) => openUpstream(deps, operation, account, input, write),
    read: (objectId: string | null) => readOpened(deps, operation, account, input, objectId),
    unfinished: (made: ProviderVirtualAccount) =>
      mismatchOf(account, made) === null && isUnfinished(made) ? made.id : null,
    details: [{ param: '', code: 'pending', message: `The virtual account ${account.id} is pending.` }],
    lock: (tx: Tx) => lockHeld(tx, account),
    settle: (tx: Tx, made: ProviderVirtualAccount, locked: Held) => settleOpened(deps, tx, locked, made),
    undo: async (tx: Tx, failureCode: string) => {
      // The first try is that of the request, which responds with the refusal. After it the caller may know the account.
      if (operation.attempts === 1) return await store.deletePendingAccount(tx, businessId, account.id)
      const failed = await store.updateVirtualAccount(tx, businessId, account.id, {
        ...{ status: 'failed', failureCode, travelRuleData: null },
        // A deposit to an account that could not be read must find its end-user.
        ...(operation.providerObjectId !== null && { providerVirtualAccountId: operation.providerObjectId }),
      })
      await emitAccount(deps, tx, 'virtual_account.failed', failed)
    },
    rejection: (error: ProviderError) => accountRejection(error, account.externalUserId, input),
  }
  return await learningFromRefusal(deps, account, () => performOperation(deps, held, operation, opening))
}

// The provider keeps its keys for 24 hours. After that a repeat would be a new request, so only reading can tell.
const providerKeyLifeMs = 24 * 3_600_000 - 600_000
const accountsReadMax = 100

async function openUpstream(
  deps: OpensAccounts,
  operation: Operation,
  account: VirtualAccount,
  input: VirtualAccountInput,
  write: Write,
): Promise<ProviderVirtualAccount> {
  // An operation that nobody has taken over was stored a moment ago.
  const ageMs = operation.attempts === 1 ? 0 : await deps.db.read((query) => readAgeMs(query, operation))
  if (ageMs < providerKeyLifeMs)
    return await deps.provider.createVirtualAccount(String(account.providerCustomerId), input, write)
  const made = await findAlike(deps, operation, account, input)
  if (!made) throw new ProviderError('rejected', { code: 'never_opened' })
  return made
}

/** Reads the account that the provider opened with a response that could not be read: by its ID, else by its terms. */
async function readOpened(
  deps: OpensAccounts,
  operation: Operation,
  account: VirtualAccount,
  input: VirtualAccountInput,
  objectId: string | null,
): Promise<ProviderVirtualAccount | undefined> {
  if (objectId === null) return await findAlike(deps, operation, account, input)
  return (
    (await readIfPresent(() => deps.provider.getVirtualAccount(String(account.providerCustomerId), objectId))) ??
    undefined
  )
}

/**
 * Finds the oldest account at the provider that this operation may have opened and that nobody holds. An account that another
 * request may have opened is left to that request: requests with the same terms take the accounts in the order of both.
 */
async function findAlike(
  deps: OpensAccounts,
  operation: Operation,
  account: VirtualAccount,
  input: VirtualAccountInput,
): Promise<ProviderVirtualAccount | undefined> {
  const begunAt = operation.createdAt.getTime()
  const { accounts, unreadable } = await deps.provider.listVirtualAccounts(String(account.providerCustomerId), {
    limit: accountsReadMax,
  })
  const alike = accounts
    .filter(
      ({ instructions, destination, createdAt, developerFeePercent }) =>
        instructions.currency === input.sourceCurrency &&
        !goesElsewhere(account, destination) &&
        (account.feeConfigAsked !== null || !isOtherFee(account.developerFeePercent, developerFeePercent)) &&
        Date.parse(createdAt ?? '') >= begunAt - 60_000,
    )
    .sort((one, other) => Date.parse(one.createdAt ?? '') - Date.parse(other.createdAt ?? ''))
  const ids = alike.map(({ id }) => id)
  // In this order: a rival that ends between the two reads holds its account by the second.
  const hasRival = await deps.db.read((query) => store.hasRivalCreation(query, operation, account))
  const held = await deps.db.read((query) => store.listHeldProviderAccounts(query, ids))
  if (hasRival) throw new ProviderError(operation.isAnswered ? 'unreadable' : 'timeout')
  const free = alike.filter(({ id }) => !held.includes(id))
  const made = free.find(({ destination }) => namesTarget(account, destination))
  // What cannot be read, and what does not name where it pays out, may be the account.
  if (made === undefined && (unreadable > 0 || free.length > 0)) throw new ProviderError('unreadable')
  return made
}

/** The provider has made the account, and not switched it on or off: payers must not see its bank details yet. */
const isUnfinished = (made: ProviderVirtualAccount) => providerStatusIn(made).providerStatus === undefined

async function settleOpened(
  deps: OpensAccounts,
  tx: Tx,
  held: Held,
  made: ProviderVirtualAccount,
): Promise<VirtualAccountView> {
  const { account } = held
  const mismatch = mismatchOf(account, made)
  if (mismatch === null && isUnfinished(made)) {
    deps.log.error(
      { account: account.id, providerAccount: made.id },
      'the provider opened an account that is not active',
    )
    return virtualAccountView(account)
  }
  const news = {
    // Stored for a failed account as well: a deposit to it must find its end-user, unless the account is of another customer.
    ...(mismatch !== 'customer_mismatch' && { providerVirtualAccountId: made.id }),
    travelRuleData: null,
    feeConfig: made.feeConfig,
    ...(mismatch === null ? learnedAddress(account, made.destination) : {}),
  }
  // A deposit's event may have overtaken this answer.
  await makeWaitingEventsDue(tx, [made.id])
  deps.wake('apply')
  if (mismatch === null) {
    const opened = {
      ...news,
      ...providerStatusIn(made),
      instructions: firstDetails(made.instructions, account.sourceCurrency),
    }
    return virtualAccountView(await followFacts(deps, tx, held, opened, theProvider))
  }
  reportMismatch(deps, account, made, mismatch)
  const failure = { ...news, status: 'failed', failureCode: mismatch } as const
  const failed = await store.updateVirtualAccount(tx, account.businessId, account.id, failure)
  return await emitAccount(deps, tx, 'virtual_account.failed', failed)
}
