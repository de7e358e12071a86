// A server that is going to die: the product as its composition root starts it, loaded ahead and waiting for its turn.

import { startServer } from '../../../server/src/main.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import { armLoop, type Said, tellPassed, thaw } from './probe.ts'

/** Messages of the parent. */
export type Told =
  | {
      go: { database: ConnectionOptions; env: Record<string, string>; loop: { name: string; at: string | null } | null }
    }
  | { arm: { name: string; at: string | null } }
  | { tell: string }
  | { thaw: string }

function say(said: Said): void {
  process.send?.(said)
}

process.on('message', (told: Told) => {
  if ('arm' in told) return armLoop(told.arm.name, told.arm.at)
  if ('tell' in told) return tellPassed(told.tell)
  if ('thaw' in told) return thaw(told.thaw)
  const { database, env, loop } = told.go
  if (loop) armLoop(loop.name, loop.at)
  const config = parseConfig(env)
  startServer(config, createLog(config.logLevel), database).then(
    () => say({ up: true }),
    (error: unknown) => {
      console.error('crash-points: the server did not start:', error)
      process.exit(1)
    },
  )
})
// A Ctrl-C is meant for the parent.
process.on('SIGINT', () => {})
// However the parent ends, this one goes with it.
process.on('disconnect', () => process.exit(0))
say({ loaded: true })
