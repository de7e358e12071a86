// How long history is kept: events, deliveries that are over and attempts, by weeks; and what is remembered of the
// provider's events so that a repeat is known as one. Crosses businesses.

import type { ServerDeps } from '../../../app/context.ts'
import { historyTables, inTurn, listPartitions, makeWeeks, nameOf, type Partition } from './partitions.ts'
import { letGo, type Page, sweepDefault, sweepOwners, sweepReceived } from './retention.store.ts'
import { idRange, weeksFrom } from './week.ts'

const dayMs = 86_400_000
/** Beyond it nobody's clock is wrong, and no process that can not make them lives. */
const weeksAhead = 4
/** The provider's record of events reaches back 90 days: until then each of them may come again. */
const receivedDaysMin = 97
const rowsMax = 5_000

/**
 * One round, in steps of well under a second: whoever runs it may stop after each.
 * @throws ApiError `database_unavailable`
 */
export async function* keepHistory(deps: ServerDeps): AsyncGenerator<void> {
  const nowMs = deps.now()
  const horizonMs = nowMs - deps.config.eventRetentionDays * dayMs
  await makeWeeks(deps.db, weeksFrom(nowMs, weeksAhead))
  yield
  for (const partition of await deps.db.read(listPartitions)) {
    if (partition.week.toMs > horizonMs) continue
    await sayFarewell(deps, partition)
    yield
  }
  yield* sweepDefaults(deps, new Date(horizonMs))
  yield* sweepDedupe(deps, Math.min(horizonMs, nowMs - receivedDaysMin * dayMs))
  await deps.db.read(sweepOwners)
}

async function sayFarewell(deps: ServerDeps, partition: Partition): Promise<void> {
  const name = nameOf(partition)
  const farewell = await inTurn(deps.db, async (tx) => {
    // Another replica may have been here first.
    const isThere = (await listPartitions(tx)).some((other) => nameOf(other) === name)
    return isThere ? await letGo(tx, partition) : null
  })
  if (farewell === undefined) deps.log.info({ partition: name }, 'a week past its time is in use and stays for now')
  else if (farewell && farewell.outcome !== 'waiting')
    deps.log.info({ partition: name, ...farewell }, 'a week is past its time')
}

async function* sweepDefaults(deps: ServerDeps, horizon: Date): AsyncGenerator<void> {
  for (const table of historyTables) {
    for (let after: string | undefined = ''; after !== undefined; yield) {
      const page: Page = { after, horizon, limit: rowsMax }
      after = await deps.db.transaction((tx) => sweepDefault(tx, table, page))
    }
  }
}

async function* sweepDedupe(deps: ServerDeps, horizonMs: number): AsyncGenerator<void> {
  const { from } = idRange('event', { fromMs: horizonMs, toMs: horizonMs })
  for (let gone = rowsMax; gone === rowsMax; yield) {
    gone = await deps.db.transaction((tx) => sweepReceived(tx, from, rowsMax))
  }
}
