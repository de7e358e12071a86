// The server under test with its sandbox provider, in a separate process with separate memory. Started by `world.ts`, which
// passes the database as an argument. Ends with its parent.

import { startWorld } from '../../../cli/src/world/world.ts'
import type { FixedLimits } from '../../../server/src/platform/config.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import type { ConnectionOptions } from '../../../server/src/platform/postgres/client.ts'

export type WorldOrder = {
  home: string
  database: ConnectionOptions
  env: Record<string, string>
  limits: Partial<FixedLimits>
}

const order = JSON.parse(process.argv[2] ?? '') as WorldOrder
process.on('SIGINT', () => {}) // a Ctrl-C reaches the whole group; who started us stops us

const world = await startWorld({
  ...order,
  port: 0,
  sandboxPort: 0,
  log: createLog('info', (line) => process.stdout.write(line)),
  sandboxArgs: ['--kyc-decision-ms', '100', '--deposit-step-ms', '20'],
})

async function stop(): Promise<void> {
  await world.stop()
  process.exit(0)
}
process.once('SIGTERM', () => void stop())
process.once('disconnect', () => void stop())
process.on('message', () => {
  // The collector runs before memory is read, so the rest is really held.
  globalThis.gc?.()
  process.send?.('collected')
})
process.send?.({ facts: world.facts, inboxUrl: world.inboxUrl, sandboxUrl: world.sandbox.url })
