// Keeps history at its length. What is done stands in platform/postgres/partitions/retention; here: when.

import type { ServerDeps } from '../../../app/context.ts'
import { type Loop, leisurelyMs, startLoop } from '../../loop.ts'
import { keepHistory } from './retention.ts'

const periodMs = 3_600_000
/** Nothing of it is urgent, and a start has other things to do. */
const firstMs = 30_000

export function startHistoryLoop(deps: ServerDeps): Loop {
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
      // A step that fails ends the round: the next one begins at the front.
      round = undefined
      if (!(await current.next()).done) round = current
      if (!round) dueAtMs = performance.now() + periodMs
      return round !== undefined
    },
    nextDueMs: () => Promise.resolve(dueAtMs - performance.now()),
  })
}
