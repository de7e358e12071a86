// The loops of alerts: one watches, one sends, and the second also deletes what is over. Crosses businesses.

import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import { housekeeping } from '../platform/postgres/waiting/time-limits.ts'
import { createMailer } from './messages/mail.ts'
import { sweepAlerts } from './messages/messages.store.ts'
import { Outbox } from './messages/outbox.ts'
import type { Alerts, SendsAlerts } from './ports.ts'
import { FullDatabase } from './watch/full-database.ts'
import { roundSeconds, runRound } from './watch/rounds.ts'

const sweepPeriodMs = 3_600_000
const rowsMax = 1_000

export function startAlertLoops(deps: Alerts & SendsAlerts): Loop {
  const outbox: Outbox = new Outbox({ ...deps, mailer: createMailer(deps.config) }, () => sends.wake())
  const sends = startLoop({
    name: 'alert_messages',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    turn: () => outbox.turn(),
    nextDueMs: () => outbox.nextDueMs(),
  })
  const fullDatabase = new FullDatabase(deps)
  let sweepAtMs = performance.now() + sweepPeriodMs
  const watch = startLoop({
    name: 'alerts',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      if (await watched(() => runRound(deps), fullDatabase)) sends.wake()
      if (performance.now() < sweepAtMs) return false
      const { eventRetentionDays } = deps.config
      const swept = await deps.db.transaction((tx) => sweepAlerts(tx, eventRetentionDays, rowsMax), housekeeping)
      if (swept < rowsMax) sweepAtMs = performance.now() + sweepPeriodMs
      return swept >= rowsMax
    },
    nextDueMs: () => Promise.resolve(roundSeconds * 1_000),
  })
  return {
    wake() {
      watch.wake()
      sends.wake()
    },
    async stop() {
      await Promise.all([watch.stop(), sends.stop()])
      await outbox.stop()
    },
  }
}

/** Runs a round, and follows whether the database writes. */
async function watched(round: () => Promise<boolean>, fullDatabase: FullDatabase): Promise<boolean> {
  const [result] = await Promise.allSettled([round()])
  await fullDatabase.afterRound(result.status === 'rejected')
  if (result.status === 'rejected') throw result.reason
  return result.value
}
