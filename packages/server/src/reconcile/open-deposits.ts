// Reads open deposits again: their next step may have been lost with its event, and not every provider has an event
// log. Each step reads the newest activities of a few accounts, and any replica takes the next step.

import { listAccountsToRead, nextDepositReadDueMs, noteDepositsRead } from '../deposits/service.ts'
import { LeaseLostError, underLease } from '../platform/postgres/leases.ts'
import { isOutage } from '../provider/operations/operations.ts'
import { findVirtualAccount, lockVirtualAccount } from '../virtual-accounts/service.ts'
import * as store from './open-deposits.store.ts'
import type { Reconciles } from './ports.ts'
import { pullOverlapMs } from './pull.ts'
import { rereadDeposits } from './reread.ts'

/** If the provider has an event log, it contains lost events: then this read is only a second safeguard. */
const besideRecordSeconds = 3_600
const stepSeconds = 1
const retrySeconds = 5
// A single account may fail in its step: deposits that become due in the meantime wait no longer than this.
const retrySecondsMax = 60
// The provider may fail for all accounts of a step permanently: after ten failures they are skipped until they are due
// again.
const failuresMax = 10

const periodSeconds = ({ config, provider }: Reconciles): number =>
  provider.record === null ? config.reconcilePeriodSeconds : besideRecordSeconds

/** An account with many activities takes several calls: after the lease, the holder has crashed. */
const leaseMs = (deps: Reconciles): number => 5 * deps.config.providerTimeoutMs + 20_000

/**
 * Reads the deposits of the next few accounts, if they are due. Runs across businesses.
 * @returns whether there is more to do now
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
  // If some accounts can be read, the provider is available: accounts that fail must not delay the others.
  const isAway = failed.length > 0 && failed.length === accounts.length && failed.every(({ error }) => isOutage(error))
  const isPostponed = isAway && failures < failuresMax
  const nextInSeconds = isPostponed ? Math.min(retrySeconds * 2 ** failures, retrySecondsMax, period) : stepSeconds
  for (const { error, account } of failed)
    deps.log.warn({ err: error, account, nextInSeconds }, 'open deposits of an account not read again')
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

/** Locks the account before its deposits, like every other change. */
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

/** Milliseconds until the next step may have work. */
export async function nextOpenDepositsDueMs(deps: Reconciles): Promise<number> {
  const period = periodSeconds(deps)
  return await deps.db.read(async (query) => {
    const dueMs = await nextDepositReadDueMs(query, period)
    return Math.max(dueMs ?? period * 1_000, await store.nextOpenDepositStepMs(query))
  })
}
