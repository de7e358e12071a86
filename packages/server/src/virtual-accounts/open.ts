// Opens a virtual account: from the request to the settled outcome. An approval opens an account that waits for KYC.

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
  isFirstCallByRequest,
  type Operation,
  performOperation,
} from '../provider/operations/operations.ts'
import type { Account, AccountTerms, ProviderError, Write } from '../provider/port.ts'
import { type Creation, openOrFind, readOpened } from './open-upstream.ts'
import type { OpensAccounts } from './ports.ts'
import {
  accountOf,
  accountRejection,
  changeInProgress,
  emitAccount,
  feeRulesOf,
  railRefusal,
  reportMismatch,
  requireCoin,
  type VirtualAccountView,
  virtualAccountView,
} from './service.ts'
import { learningFromRefusal, lookForApproval } from './standing/ask-provider.ts'
import { followFacts, type LockedAccount, lockAccountAndUser, providerStatusIn } from './standing/follow.ts'
import { firstDetails } from './standing/standing.rules.ts'
import * as store from './store.ts'
import { type DestinationInput, learnedAddress, upstreamDestination } from './terms/destination.rules.ts'
import {
  mismatchOf,
  readDestination,
  readFees,
  refuseViolations,
  travelRuleFaults,
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
 *   `invalid_developer_fee_percent`, `unknown_field`), `holder_not_found`, `coin_not_available_in_region`, `kyc_not_approved`, `rail_not_enabled`,
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
  const next = await transactionUnlessBusy(deps, changeInProgress, async (tx) => {
    // The lock keeps out an approval that would not see the account that waits for it.
    const user = await lockedEndUser(tx, seen)
    const next =
      (await continueAccount(deps, held, tx, business)) ??
      (await beginAccount(deps, held, tx, user, terms, input.onPendingKyc === 'wait'))
    if ('view' in next) storeResponse(deps, held, tx, next.view)
    return next
  })
  return 'operation' in next ? await completeCreation(deps, held, next.operation) : next.view
}

function readTerms(deps: OpensAccounts, { source, destination, ...fees }: NewVirtualAccount) {
  const violations: Violation[] = []
  const { developerFeePercent = '0', feeConfig = null } = readFees(feeRulesOf(deps), fees, violations)
  if (!deps.provider.traits.travelRule) violations.push(...travelRuleFaults(destination))
  const terms = {
    ...readDestination(deps.config.rails, source.currency, destination, violations),
    developerFeePercent,
    feeConfigAsked: feeConfig,
  }
  refuseViolations(violations)
  return terms
}

type Finished = { view: VirtualAccountView }
type Started = { operation: Operation }

/** Continues with the account that an earlier request with the same Idempotency-Key began. @returns null without such an account */
async function continueAccount(
  deps: OpensAccounts,
  held: HeldKey | null,
  tx: Tx,
  { id: businessId }: Business,
): Promise<Finished | Started | null> {
  const accountId = held?.subjectId ?? null
  const account = accountId === null ? undefined : await store.lockVirtualAccount(tx, businessId, accountId)
  if (!account) return null
  if (account.status !== 'pending') return { view: virtualAccountView(deps, account) }
  return { operation: await beginCreation(deps, tx, businessId, account.id) }
}

async function beginAccount(
  deps: OpensAccounts,
  held: HeldKey | null,
  tx: Tx,
  user: EndUserRow,
  terms: Terms,
  wait: boolean,
): Promise<Finished | Started> {
  requireCoin(user, terms)
  const refusal = railRefusal(deps, user, terms.sourceCurrency)
  if (refusal && !wait) throw refusal
  const { businessId, id: endUserId, provider } = user
  const id = makeId('virtualAccount', deps.randomBytes(16))
  await store.insertVirtualAccount(tx, {
    ...terms,
    businessId,
    id,
    endUserId,
    provider,
    waitingForKyc: refusal !== null,
  })
  if (refusal) return { view: virtualAccountView(deps, await accountOf(tx, { id: businessId }, id)) }
  const operation = await beginCreation(deps, tx, businessId, id)
  noteSubject(held, tx, id)
  return { operation }
}

export async function beginCreation(
  deps: OpensAccounts,
  tx: Tx,
  businessId: string,
  accountId: string,
): Promise<Operation> {
  const intent = { businessId, kind: 'virtual_account.create', subjectId: accountId, keyedBySubject: true } as const
  const result = await beginOperation(deps, tx, intent)
  if (typeof result === 'string') throw changeInProgress()
  return result.operation
}

/** Opens the account at the provider, now or as a repeat under the same key. @param held null in the resume loop */
export async function completeCreation(deps: OpensAccounts, held: HeldKey | null, operation: Operation) {
  const { businessId, subjectId } = operation
  const account = await deps.db.read((query) => accountOf(query, { id: businessId }, subjectId))
  const { providerCustomerId: customerId } = account
  if (customerId === null) throw new Error(`account ${account.id} has no provider customer`)
  const terms: AccountTerms = {
    reference: account.id,
    sourceCurrency: account.sourceCurrency,
    destination: upstreamDestination(account),
    ...(account.feeConfigAsked
      ? { feeConfig: account.feeConfigAsked }
      : { developerFeePercent: account.developerFeePercent }),
    ...(account.travelRuleData === null ? {} : { travelRuleData: account.travelRuleData }),
  }
  const { reference: _, ...sent } = terms
  const creation: Creation = { operation, account, customerId, terms }
  const opening = {
    call: (write: Write) => openOrFind(deps, creation, write),
    read: (providerAccountId: string | null) => readOpened(deps, creation, providerAccountId),
    unfinished: (made: Account) => (mismatchOf(account, made) === null && isUnfinished(made) ? made.id : null),
    unreadableDetails: [{ param: '', code: 'pending', message: `The virtual account ${account.id} is pending.` }],
    lock: (tx: Tx) => lockAccountAndUser(tx, account),
    settle: (tx: Tx, made: Account, locked: LockedAccount) => settleOpened(deps, tx, locked, made),
    undo: async (tx: Tx, failureCode: string) => {
      // The first call returns the refusal to its caller. Later, the caller may have seen the pending account.
      if (isFirstCallByRequest(operation)) return await store.deletePendingAccount(tx, businessId, account.id)
      const failed = await store.updateVirtualAccount(tx, businessId, account.id, {
        ...{ status: 'failed', failureCode, travelRuleData: null },
        // A deposit to an account that could not be read must find its end-user.
        ...(operation.providerObjectId !== null && { providerVirtualAccountId: operation.providerObjectId }),
      })
      await emitAccount(deps, tx, 'virtual_account.failed', failed)
    },
    rejection: (error: ProviderError) => accountRejection(error, account.externalUserId, sent),
  }
  return await learningFromRefusal(deps, account, () => performOperation(deps, held, operation, opening))
}

/** The provider has made the account, and not switched it on or off: payers must not see its bank details yet. */
const isUnfinished = (made: Account) => providerStatusIn(made).providerStatus === undefined

async function settleOpened(
  deps: OpensAccounts,
  tx: Tx,
  locked: LockedAccount,
  made: Account,
): Promise<VirtualAccountView> {
  const { account } = locked
  const mismatch = mismatchOf(account, made)
  if (mismatch === null && isUnfinished(made)) {
    deps.log.error({ account: account.id, providerAccount: made.id }, 'account opened at the provider is not active')
    return virtualAccountView(deps, account)
  }
  const changes = {
    // Stored for a failed account as well: a deposit to it must find its end-user, unless the account is of another customer.
    ...(mismatch !== 'customer_mismatch' && { providerVirtualAccountId: made.id }),
    travelRuleData: null,
    feeConfig: made.feeConfig,
    ...(mismatch === null ? learnedAddress(account, made.destination) : {}),
  }
  // The event of a deposit may have arrived before this response.
  await makeWaitingEventsDue(tx, [made.id])
  if (mismatch === null) {
    const opened = {
      ...changes,
      ...providerStatusIn(made),
      instructions: firstDetails(made.instructions, account.sourceCurrency),
    }
    return virtualAccountView(deps, await followFacts(deps, tx, locked, opened, theProvider))
  }
  reportMismatch(deps, account, made, mismatch)
  const failure = { ...changes, status: 'failed', failureCode: mismatch } as const
  const failed = await store.updateVirtualAccount(tx, account.businessId, account.id, failure)
  return await emitAccount(deps, tx, 'virtual_account.failed', failed)
}
