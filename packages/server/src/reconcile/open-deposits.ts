// Open deposits are read again: their next step may have been lost with its event, and not every provider has a record of events.
// Each step reads the newest activities of a few accounts, and any replica takes the next one.

import { listAccountsToRead, nextDepositReadDueMs, noteDepositsRead } from '../deposits/service.ts'
import { LeaseLostError, underLease } from '../platform/postgres/leases.ts'
import { isOutage } from '../provider/operations/operations.ts'
import { findVirtualAccount, lockVirtualAccount } from '../virtual-accounts/service.ts'
import * as store from './open-deposits.store.ts'
import type { Reconciles } from './ports.ts'
import { pullOverlapMs } from './pull.ts'
import { rereadDeposits } from './reread.ts'

/** A lost event is in the provider's record, if there is one: then this reading is only a second safeguard. */
const besideRecordSeconds = 3_600
const stepSeconds = 1
const retrySeconds = 5
// One account may fail alone in its step: those that fall due meanwhile wait no longer than this.
const retrySecondsMax = 60
// The provider may fail for all accounts of a step for ever: after ten failures they are passed over until they are due again.
const failuresMax = 10

const periodSeconds = ({ config, provider }: Reconciles): number =>
  provider.record === null ? config.reconcilePeriodSeconds : besideRecordSeconds

/** An account with many activities takes several calls: past the lease, the holder is gone. */
const leaseMs = (deps: Reconciles): number => 5 * deps.config.providerTimeoutMs + 20_000

/**
 * Reads the deposits of the next few accounts again, when they are due. Crosses businesses.
 * @returns whether there is more to do right now
 */
export async function rereadOpenDeposits(deps: Reconciles): Promise<boolean> {
  const dueMs = await deps.db.read((query) => nextDepositReadDueMs(query, periodSeconds(deps)))
  if (dueMs === null || dueMs > 0) return false
  const step = await deps.db.transaction((tx) => store.claimOpenDepositStep(tx, leaseMs(deps)))
  if (!step) return false
  try {
    await readStep(underLease(deps, store.leaseOfOpenDepositStep(step)), step)
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error // another replica has taken the step
  }
  return false
}

async function readStep(deps: Reconciles, { fence, failures }: store.OpenDepositStep): Promise<void> {
  const period = periodSeconds(deps)
  const { readsPerSecond } = deps.provider.traits
  const accounts = await deps.db.read((query) => listAccountsToRead(query, period, readsPerSecond))
  const outcomes = await Promise.allSettled(accounts.map((account) => readAccount(deps, account)))
  const failed = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ error: outcome.reason as unknown, account: accounts[at]?.id }] : [],
  )
  for (const { error } of failed) if (error instanceof LeaseLostError) throw error
  // If some accounts can be read, the provider is there: those that fail must not hold up the others.
  const isAway = failed.length > 0 && failed.length === accounts.length && failed.every(({ error }) => isOutage(error))
  const isPostponed = isAway && failures < failuresMax
  const nextInSeconds = isPostponed ? Math.min(retrySeconds * 2 ** failures, retrySecondsMax, period) : stepSeconds
  for (const { error, account } of failed)
    deps.log.warn({ err: error, account, nextInSeconds }, 'open deposits of an account were not read again')
  if (!isPostponed) {
    const silent = new Set(failed.filter(({ error }) => isOutage(error)).map(({ account }) => account))
    for (const account of accounts) {
      const dueInSeconds = silent.has(account.id) && !isAway ? Math.min(retrySecondsMax, period) : period
      await noteRead(deps, account, { periodSeconds: period, dueInSeconds })
    }
  }
  await deps.db.transaction(async (tx) => {
    await store.endOpenDepositStep(tx, fence, { failures: isPostponed ? failures + 1 : 0, nextInSeconds })
  })
}

/** The account is locked before its deposits, as by whoever changes them. */
async function noteRead(deps: Reconciles, account: AccountToRead, due: Parameters<typeof noteDepositsRead>[2]) {
  await deps.db.transaction(async (tx) => {
    await lockVirtualAccount(tx, account.businessId, account.id)
    await noteDepositsRead(tx, account, due)
  })
}

type AccountToRead = Awaited<ReturnType<typeof listAccountsToRead>>[number]

async function readAccount(deps: Reconciles, { businessId, id, readAt }: AccountToRead): Promise<void> {
  const account = await deps.db.read((query) => findVirtualAccount(query, businessId, id))
  if (account) await rereadDeposits(deps, account, readAt.getTime() - pullOverlapMs)
}

/** Milliseconds until the next step may have something to read. */
export async function nextOpenDepositsDueMs(deps: Reconciles): Promise<number> {
  const period = periodSeconds(deps)
  return await deps.db.read(async (query) => {
    const dueMs = await nextDepositReadDueMs(query, period)
    return Math.max(dueMs ?? period * 1_000, await store.nextOpenDepositStepMs(query))
  })
}
