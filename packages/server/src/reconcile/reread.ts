// The reread walk: reads end-users, accounts and their histories at the provider again and applies the responses,
// because they may have changed while events were lost. It is slow on purpose, and any replica resumes it.

import { applyActivity, forgetOldFailures } from '../deposits/service.ts'
import { isForeignKey, refreshEndUser } from '../end-users/kyc/apply-verdict.ts'
import { listEndUsersUpstream } from '../end-users/service.ts'
import { LeaseLostError, underLease } from '../platform/postgres/leases.ts'
import { isOutage, readProvider } from '../provider/operations/operations.ts'
import { refreshAccount } from '../virtual-accounts/refresh.ts'
import { listAccountsUpstream, lockVirtualAccount, type VirtualAccount } from '../virtual-accounts/service.ts'
import type { Reconciles } from './ports.ts'
import * as store from './store.ts'

const stepSeconds = 1
const daySeconds = 24 * 3_600
/** Minimum time between the end of a walk and the start of a requested one. */
export const walkAgainInSeconds = 3_600
const outageSeconds = 60
/** A wrong provider key needs a person: the walk waits, and logs an error at each try. */
const foreignKeySeconds = 600
// The provider may fail for one object permanently: after ten failures the walk continues, and reads that object a day
// later.
const failuresMax = 10
// A step reads all of its objects concurrently, some of which have further pages: after the lease, the holder has
// crashed.
const leaseMs = (deps: Reconciles): number => 5 * deps.config.providerTimeoutMs + 20_000

/**
 * Reads the next few end-users or accounts, if a step is due. Runs across businesses.
 * @returns whether there is more to do now
 */
export async function reread(deps: Reconciles): Promise<boolean> {
  const walk = await deps.db.transaction((tx) => store.claimRereadStep(tx, leaseMs(deps)))
  if (!walk) return false
  const read = await readStep(underLease(deps, store.leaseOfStep(walk)), walk)
  if (read === 'lost') return false
  const { last, outage, isForeignKey } = read
  const isPostponed = isForeignKey || (outage && walk.failures < failuresMax)
  await deps.db.transaction(async (tx) => {
    if (isPostponed)
      return await store.postponeRereadStep(tx, walk.fence, isForeignKey ? foreignKeySeconds : outageSeconds)
    if (last) return await store.saveRereadStep(tx, walk.fence, { stage: walk.stage, after: last }, stepSeconds)
    const next = stages[walk.stage]
    if (next) return await store.saveRereadStep(tx, walk.fence, { stage: next, after: beforeAll }, 0)
    await forgetOldFailures(tx)
    await store.endRereadWalk(tx, walk.fence, { nextInSeconds: daySeconds, againInSeconds: walkAgainInSeconds })
  })
  return !isPostponed && !last
}

const beforeAll = { businessId: '', id: '' }

/** The stage after each stage. */
const stages = { end_users: 'virtual_accounts', virtual_accounts: null } as const

type Subject = { businessId: string; id: string }
type StepRead = { last: Subject | undefined; outage: boolean; isForeignKey: boolean }

async function readStep(deps: Reconciles, walk: store.RereadWalkRow): Promise<StepRead | 'lost'> {
  const after = { businessId: walk.afterBusinessId, id: walk.afterId }
  const stepSubjects = deps.provider.traits.readsPerSecond
  if (walk.stage === 'end_users') {
    const users = await deps.db.read((query) => listEndUsersUpstream(query, after, stepSubjects))
    return await readAll(deps, users, (user) => refreshEndUser(deps, user))
  }
  const accounts = await deps.db.read((query) => listAccountsUpstream(query, after, stepSubjects))
  return await readAll(deps, accounts, async (account) => {
    await refreshAccount(deps, account) // `busy` needs no repeat: the response to the change in progress counts
    await rereadDeposits(deps, account, (walk.coveredTo?.getTime() ?? 0) - walkOverlapMs)
  })
}

/**
 * Reads all objects of a step. An object that cannot be read is skipped; an unavailable provider pauses the walk.
 * @returns `lost` if another replica has taken the step
 */
async function readAll<S extends Subject>(
  deps: Reconciles,
  subjects: readonly S[],
  read: (subject: S) => Promise<unknown>,
): Promise<StepRead | 'lost'> {
  const outcomes = await Promise.allSettled(subjects.map(read))
  const failures = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ error: outcome.reason as unknown, subject: subjects[at]?.id }] : [],
  )
  if (failures.some(({ error }) => error instanceof LeaseLostError)) return 'lost'
  const outage = failures.some(({ error }) => isOutage(error))
  if (!outage)
    for (const { error, subject } of failures) deps.log.warn({ err: error, subject }, 'object not read again, skipped')
  return { last: subjects.at(-1), outage, isForeignKey: failures.some(({ error }) => isForeignKey(error)) }
}

const historyPagesMax = 100
// The last walk has read the activities that happened before it started, unless they were recorded much later.
const walkOverlapMs = 3 * 24 * 3_600_000

/** Reads the history of an account, newest activity first, back to a time: earlier activities were read before. */
export async function rereadDeposits(deps: Reconciles, account: VirtualAccount, sinceMs: number): Promise<void> {
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) return
  const { pageMax } = deps.provider.deposits
  let startingAfter: string | undefined
  for (let page = 1; page <= historyPagesMax; page++) {
    const query = { limit: pageMax, ...(startingAfter === undefined ? {} : { startingAfter }) }
    const activities = await readProvider(() => deps.provider.deposits.ofAccount(customer, id, query))
    await deps.db.transaction(async (tx) => {
      const locked = await lockVirtualAccount(tx, account.businessId, account.id)
      if (locked) for (const reported of activities) await applyActivity(deps, tx, locked, reported)
    })
    const oldest = activities.at(-1)?.activity
    if (!oldest || activities.length < pageMax || oldest.occurredAtMs < sinceMs) return
    startingAfter = oldest.id
  }
  deps.log.warn({ account: account.id }, 'account history not read completely, it is too long')
}
