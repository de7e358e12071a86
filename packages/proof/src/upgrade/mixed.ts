// Both versions on one database under everything that a business does: end-users, terms, KYC, accounts, deposits, events. What
// one version has begun, the other ends. Replicas come back under their address, so some calls find nobody and are repeated.

import { setTimeout as delay } from 'node:timers/promises'
import { openFleet } from '../fleet/fleet.ts'
import { type FleetJudgement, faultsOf, judgeFleet } from '../fleet/judge.ts'
import { startMixedLoad } from '../fleet/load.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { commandOf, type Packed } from './releases.ts'

export type MixedRoll = { judged: FleetJudgement; faults: string[] }

const replicas = 3
const dwellMs = 3_000
const eventsPerSecond = 20
const callsPerSecond = 10

export async function rollMixed(
  stack: AsyncDisposableStack,
  packed: Packed,
  { times, seed }: { times: number; seed: number },
): Promise<MixedRoll> {
  const database = stack.use(await startKillableDatabase())
  const command = commandOf(packed.before)
  const fleet = stack.use(await openFleet({ database: database.connection, replicas, commandOf: () => command }))
  const load = startMixedLoad(fleet, { eventsPerSecond, callsPerSecond, seed })
  let replaced = 0
  for (let round = 1; round <= times; round++) {
    for (const way of ['now', 'before'] as const) {
      for (const replica of fleet.replicas) {
        await delay(dwellMs)
        await replica.terminate()
        await replica.restart({ command: commandOf(packed[way]) })
        replaced += 1
      }
    }
  }
  await delay(dwellMs)
  await load.stop()
  const judged = await judgeFleet(fleet, load)
  // Who calls a replica that is being replaced gets no answer, and calls another.
  return { judged, faults: faultsOf(judged, { unanswered: Number.POSITIVE_INFINITY, duplicates: replaced }) }
}
