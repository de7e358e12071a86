// Stores the finished requests of this process, once a second.

import type { ServerCore } from '../../platform/core.ts'
import { type Loop, leisurelyMs, startLoop } from '../../platform/loop.ts'
import type { RequestLogBuffer } from './buffer.ts'
import { flushRequests } from './service.ts'

const periodMs = 1_000

export function startRequestLogLoop(deps: ServerCore & { requestLog: RequestLogBuffer }): Loop {
  return startLoop({
    name: 'request log',
    log: deps.log,
    firstAfterMs: leisurelyMs,
    async turn() {
      await flushRequests(deps)
      return false
    },
    nextDueMs: () => Promise.resolve(periodMs),
  })
}
