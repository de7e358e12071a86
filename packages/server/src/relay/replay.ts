// Works off replays, one bounded step at a time. What a step does stands in services/replays; here: when.

import type { Deps } from '../services/deps.ts'
import { advanceDueReplay } from '../services/replays.ts'
import { nextReplayDueMs } from '../store/replays.ts'
import { type Loop, startLoop } from './loop.ts'

export function startReplayLoop(deps: Deps): Loop {
  return startLoop({
    name: 'replay',
    log: deps.log,
    turn: () => advanceDueReplay(deps),
    nextDueMs: () => deps.db.read(nextReplayDueMs),
  })
}
