// Checks the roles of signed-in staff, session by session.

import { nextStaffCheckMs } from '../console/staff-sessions.ts'
import { type Loop, leisurelyMs, startLoop } from '../platform/loop.ts'
import type { SignsIn } from './ports.ts'
import { Rechecks } from './recheck.ts'

export function startRecheckLoop(deps: SignsIn): Loop {
  const rechecks = new Rechecks(deps)
  return startLoop({
    name: 'recheck',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    turn: () => rechecks.run(),
    nextDueMs: () => nextStaffCheckMs(deps),
  })
}
