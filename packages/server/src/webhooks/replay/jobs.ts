// The loop that advances replays, one bounded step at a time.

import type { Deps } from '../../app/context.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { advanceDueReplay } from './service.ts'
import { nextReplayDueMs } from './store.ts'

export function startReplayLoop(deps: Deps): Loop {
  return startLoop({
    name: 'replay',
    log: deps.log,
    turn: () => advanceDueReplay(deps),
    nextDueMs: () => deps.db.read(nextReplayDueMs),
  })
}
