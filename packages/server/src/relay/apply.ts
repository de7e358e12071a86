// Works off stored provider events: owners found late, then our state moved. What it does stands in services/provider-events.

import type { Deps } from '../services/deps.ts'
import { applyNextEvent } from '../services/provider-events.ts'
import { nextEventDueMs } from '../store/events.ts'
import { type Loop, startLoop } from './loop.ts'

export function startApplyLoop(deps: Deps): Loop {
  return startLoop({
    name: 'apply',
    log: deps.log,
    turn: () => applyNextEvent(deps),
    nextDueMs: () => deps.db.read(nextEventDueMs),
  })
}
