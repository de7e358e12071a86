// The history of all accounts, for a provider without a record of events: each page brings the steps of deposits that no
// event told. Newest first, back to what an earlier look has read.

import type { Deps } from '../../app/context.ts'
import { applyActivity } from '../../deposits/service.ts'
import { isDepositActivity } from '../../deposits/state.rules.ts'
import { lockAccountOfProvider } from '../../virtual-accounts/service.ts'
import type { ProviderActivity } from '../port.ts'
import type { EventPullRow, PullProgress } from './pull.store.ts'

/** The provider's largest page of a history. */
const pageStepsMax = 100
// A step may be recorded some time after it happened. One that is recorded later still is found by the daily walk.
const lateRecordMs = 600_000

/** Applies the next page. @param settleMs how long a step is left to its webhook, unless the pull is eager */
export async function pullHistoryPage(
  deps: Deps,
  pull: EventPullRow,
  settleMs: number,
): Promise<PullProgress & { more: boolean }> {
  const { historyReadId: readId } = pull
  const page = await deps.provider.listAllActivity({
    limit: pageStepsMax,
    ...(readId === null ? {} : { startingAfter: readId }),
  })
  const isYoung = ({ step }: ProviderActivity) => step.occurredAtMs > step.toldAtMs - settleMs
  const read = pull.eager ? page : page.filter((activity) => !isYoung(activity))
  const fresh = await applySteps(deps, read)
  const newestMs = Math.max(pull.historyNewestAt?.getTime() ?? 0, ...read.map(({ step }) => step.occurredAtMs))
  const backToMs = Math.max(pull.beginsAt.getTime(), (pull.historyCoveredTo?.getTime() ?? 0) - lateRecordMs)
  const oldest = page.at(-1)
  return {
    cursorEventId: pull.cursorEventId,
    readEventId: pull.readEventId,
    historyNewestAt: newestMs > 0 ? new Date(newestMs) : null,
    historyReadId: oldest?.id ?? readId,
    missed: pull.missed + fresh.filter((activity) => !isYoung(activity)).length,
    // A history that does not go on after the step we named would be read for ever.
    more:
      oldest !== undefined &&
      page.length === pageStepsMax &&
      oldest.step.occurredAtMs >= backToMs &&
      !page.some(({ id }) => id === readId),
  }
}

/** One transaction for each account, oldest step first. @returns the steps that were new */
async function applySteps(deps: Deps, page: readonly ProviderActivity[]): Promise<ProviderActivity[]> {
  const steps = page.filter(({ type }) => isDepositActivity(type)).toReversed()
  const fresh: ProviderActivity[] = []
  for (const [providerId, ofAccount] of Map.groupBy(steps, ({ virtualAccountId }) => virtualAccountId)) {
    if (providerId === null) continue
    await deps.db.transaction(async (tx) => {
      const account = await lockAccountOfProvider(tx, [providerId])
      // The key at the provider may have accounts that were not opened here.
      if (!account) return
      for (const activity of ofAccount) {
        const outcome = await applyActivity(deps, tx, account, activity)
        if (outcome === 'moved' || outcome === 'late') fresh.push(activity)
      }
    })
  }
  return fresh
}
