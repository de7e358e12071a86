// Keeps history at its length: requests, events, deliveries that are over and attempts by weeks, and the record of received
// events by which a repeat is known. Crosses businesses.

import type { ServerCore } from '../../core.ts'
import { type Loop, leisurelyMs, startLoop } from '../../loop.ts'
import { readNowMs } from '../query.ts'
import { housekeeping } from '../waiting/time-limits.ts'
import { historyTables, inTurn, listPartitions, makeWeeks, nameOf, type Partition, weeksFrom } from './partitions.ts'
import {
  dropPartition,
  hasTimeColumn,
  type Page,
  type SweptById,
  sweepById,
  sweepDefault,
  sweepOwners,
} from './retention.store.ts'

const periodMs = 3_600_000
/** A start has more urgent work. */
const firstMs = 30_000
const dayMs = 86_400_000
/** Events of more than four weeks ahead come from no clock that is nearly right. */
const weeksAhead = 4
/** The provider's record of events reaches back 90 days: until then each of them may come again. */
const receivedDaysMin = 97
const rowsMax = 5_000

/** Starts the loop of retention: one round an hour, one step a turn. */
export function startHistoryLoop(deps: ServerCore): Loop {
  let dueAtMs = performance.now() + firstMs
  let round: AsyncGenerator<void> | undefined
  return startLoop({
    name: 'history',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      if (!round && performance.now() < dueAtMs) return false
      round ??= keepHistory(deps)
      const current = round
      // A step that fails ends the round: the next round begins at the front.
      round = undefined
      if (!(await current.next()).done) round = current
      if (!round) dueAtMs = performance.now() + periodMs
      return round !== undefined
    },
    nextDueMs: () => Promise.resolve(dueAtMs - performance.now()),
  })
}

/**
 * Runs one round in steps of well under a second: the caller may stop after each.
 * @throws ApiError `database_unavailable`
 */
export async function* keepHistory(deps: ServerCore): AsyncGenerator<void> {
  const nowMs = await deps.db.read(readNowMs)
  const { eventRetentionDays, requestLogDays } = deps.config
  const horizonMs = nowMs - eventRetentionDays * dayMs
  const requestsHorizonMs = nowMs - requestLogDays * dayMs
  await makeWeeks(deps.db, weeksFrom(nowMs, weeksAhead))
  yield
  for (const partition of await deps.db.read(listPartitions)) {
    if (partition.week.toMs > (partition.table.name === 'requests' ? requestsHorizonMs : horizonMs)) continue
    await retire(deps, partition)
    yield
  }
  yield* sweepDefaults(deps, new Date(horizonMs))
  yield* sweepOld(deps, 'requests_default', requestsHorizonMs)
  yield* sweepOld(deps, 'received_events', Math.min(horizonMs, nowMs - receivedDaysMin * dayMs))
  await deps.db.read(sweepOwners)
}

async function retire({ db, log }: ServerCore, partition: Partition): Promise<void> {
  const name = nameOf(partition)
  const result = await inTurn(db, async (tx) => {
    // Another replica may have been here first.
    const exists = (await listPartitions(tx)).some((other) => nameOf(other) === name)
    return exists ? await dropPartition(tx, partition) : null
  })
  if (result === undefined) log.info({ partition: name }, 'expired partition not removed, still in use')
  else if (result && result.outcome !== 'waiting') log.info({ partition: name, ...result }, 'partition expired')
}

async function* sweepDefaults(deps: ServerCore, horizon: Date): AsyncGenerator<void> {
  for (const table of historyTables.filter(hasTimeColumn)) {
    for (let after: string | undefined = ''; after !== undefined; yield) {
      const page: Page = { after, horizon, limit: rowsMax }
      after = await deps.db.transaction((tx) => sweepDefault(tx, table, page), housekeeping)
    }
  }
}

async function* sweepOld(deps: ServerCore, table: SweptById, horizonMs: number): AsyncGenerator<void> {
  for (let gone = rowsMax; gone === rowsMax; yield) {
    gone = await deps.db.transaction((tx) => sweepById(tx, table, horizonMs, rowsMax), housekeeping)
  }
}
