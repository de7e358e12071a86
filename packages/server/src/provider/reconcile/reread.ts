// The walk over everything we hold that the provider may have changed while its events were lost: end-users, accounts, and
// the deposits in their histories, each read again and taken in like any other answer. Slow on purpose, and resumed where
// it was left.

import type { Deps } from '../../app/context.ts'
import { applyActivity } from '../../deposits/service.ts'
import { isForeignKey, refreshEndUser } from '../../end-users/kyc/apply-verdict.ts'
import { listEndUsersUpstream } from '../../end-users/service.ts'
import { refreshAccount } from '../../virtual-accounts/refresh.ts'
import { listAccountsUpstream, lockVirtualAccount, type VirtualAccount } from '../../virtual-accounts/service.ts'
import { isOutage, readProvider } from '../operations/operations.ts'
import * as store from './reread.store.ts'

// Ten a second are 860,000 a day, and a few percent of what a provider of this kind takes from a client.
const stepSubjects = 10
const stepSeconds = 1
const daySeconds = 24 * 3_600
/** A walk that is asked for comes this long after the last one at the soonest. */
export const walkAgainInSeconds = 3_600
const outageSeconds = 60
/** A key of another account is found by a person: the walk waits, and says so at each try. */
const foreignKeySeconds = 600
// The provider may fail for one object for ever: after ten minutes the walk goes on, and that object is read tomorrow.
const failuresMax = 10
// Ten calls at once, some of them with pages behind them: past it, the holder is gone.
const leaseMs = (deps: Deps): number => 5 * deps.config.providerTimeoutMs + 20_000

/**
 * Reads the next few end-users or accounts again, when a step is due. Crosses businesses.
 * @returns whether there is more to do right now
 */
export async function reread(deps: Deps): Promise<boolean> {
  const walk = await deps.db.transaction((tx) => store.claimRereadStep(tx, leaseMs(deps)))
  if (!walk) return false
  const { last, outage, isForeignKey } = await readStep(deps, walk)
  const isPostponed = isForeignKey || (outage && walk.failures < failuresMax)
  await deps.db.transaction(async (tx) => {
    if (isPostponed)
      return await store.postponeRereadStep(tx, walk.run, isForeignKey ? foreignKeySeconds : outageSeconds)
    if (last) return await store.saveRereadStep(tx, walk.run, { stage: walk.stage, after: last }, stepSeconds)
    const next = stages[walk.stage]
    if (next) return await store.saveRereadStep(tx, walk.run, { stage: next, after: beforeAll }, 0)
    await store.endRereadWalk(tx, walk.run, { nextInSeconds: daySeconds, againInSeconds: walkAgainInSeconds })
  })
  return !isPostponed && !last
}

const beforeAll = { businessId: '', id: '' }

/** What comes after each. */
const stages = {
  end_users: 'virtual_accounts',
  virtual_accounts: null,
} as const satisfies Record<store.RereadStage, store.RereadStage | null>

type Subject = { businessId: string; id: string }
type StepRead = { last: Subject | undefined; outage: boolean; isForeignKey: boolean }

async function readStep(deps: Deps, walk: store.RereadWalkRow): Promise<StepRead> {
  const after = { businessId: walk.afterBusinessId, id: walk.afterId }
  if (walk.stage === 'end_users') {
    const users = await deps.db.read((query) => listEndUsersUpstream(query, after, stepSubjects))
    return await readAll(deps, users, (user) => refreshEndUser(deps, user))
  }
  const accounts = await deps.db.read((query) => listAccountsUpstream(query, after, stepSubjects))
  return await readAll(deps, accounts, async (account) => {
    await refreshAccount(deps, account) // one that we are changing right now needs no second look
    await rereadDeposits(deps, account, walk.coveredTo)
  })
}

/** One that can not be read holds nobody up; a provider that is away holds up all. */
async function readAll<S extends Subject>(
  deps: Deps,
  subjects: readonly S[],
  read: (subject: S) => Promise<unknown>,
): Promise<StepRead> {
  const outcomes = await Promise.allSettled(subjects.map(read))
  const failures = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ error: outcome.reason as unknown, subject: subjects[at]?.id }] : [],
  )
  const outage = failures.some(({ error }) => isOutage(error))
  if (!outage) for (const { error, subject } of failures) deps.log.warn({ err: error, subject }, 'reading again failed')
  return { last: subjects.at(-1), outage, isForeignKey: failures.some(({ error }) => isForeignKey(error)) }
}

const historyPageSteps = 100
const historyPagesMax = 100
// Steps that happened before the last walk began were read by it, unless they were recorded much later than they happened.
const lateRecordMs = 3 * 24 * 3_600_000

/** Newest first, back to what an earlier walk has read. */
async function rereadDeposits(deps: Deps, account: VirtualAccount, coveredTo: Date | null): Promise<void> {
  const { providerCustomerId: customer, providerVirtualAccountId: id } = account
  if (customer === null || id === null) return
  const sinceMs = (coveredTo?.getTime() ?? 0) - lateRecordMs
  let startingAfter: string | undefined
  for (let page = 1; page <= historyPagesMax; page++) {
    const query = { limit: historyPageSteps, ...(startingAfter === undefined ? {} : { startingAfter }) }
    const steps = await readProvider(() => deps.provider.listActivity(customer, id, query))
    await deps.db.transaction(async (tx) => {
      const held = await lockVirtualAccount(tx, account.businessId, account.id)
      if (held) for (const step of steps) await applyActivity(deps, tx, held, step)
    })
    const oldest = steps.at(-1)
    if (!oldest || steps.length < historyPageSteps || oldest.step.occurredAtMs < sinceMs) return
    startingAfter = oldest.id
  }
  deps.log.warn({ account: account.id }, 'a history was too long to be read again to its beginning')
}
