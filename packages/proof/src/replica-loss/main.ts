// `npm run proof:replica-loss`: replicas on Debian's PostgreSQL at default settings are killed under mixed load, in turn, each
// back after a while. Ends with one line of JSON; exit code 1 when something acknowledged was lost, made twice or reordered,
// or when deliveries stood longer than a takeover may take.

import { setTimeout as delay } from 'node:timers/promises'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { openFleet } from '../fleet/fleet.ts'
import { faultsOf, judgeFleet } from '../fleet/judge.ts'
import { startMixedLoad } from '../fleet/load.ts'
import { startDebianPostgres } from '../rig/databases/debian.ts'
import { positive, readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { endOnSignals, runProof } from '../rig/programs.ts'

const script = 'proof:replica-loss'
const warmUpMs = 3_000
const downMs = 2_000
/** What waits in a batch, at each of two endpoints, when its sender dies. */
const duplicatesPerKill = 64
const options = readOptions(script, 'Kills replicas at default settings under load.', {
  kills: wholeNumber('how many times a replica is killed', 6),
  replicas: wholeNumber('replicas', 3),
  rate: positive('events a second', 40),
  calls: positive('API calls a second', 10),
  gap: positive('seconds from one kill to the next', 10),
  gapMax: positive('the longest that deliveries may stand, in seconds', 6),
  seed: seedOption(),
})
const { kills, replicas, rate, calls, gap, gapMax, seed } = options
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

await runProof(script, async () => {
  console.log(`${script}: --kills ${kills} --replicas ${replicas} --rate ${rate} --calls ${calls} --seed ${seed}`)
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const postgres = stack.use(await startDebianPostgres())
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas }))
  const load = startMixedLoad(fleet, { eventsPerSecond: rate, callsPerSecond: calls, seed })
  await delay(warmUpMs)
  for (let done = 0; done < kills; done++) {
    const victim = fleet.replicas[done % replicas]
    await victim?.kill()
    say(`kill ${done + 1}: ${victim?.name}, after ${load.acknowledgedEvents.length} acknowledged events`)
    await delay(downMs)
    await victim?.restart()
    await delay(Math.max(0, gap * 1_000 - downMs))
  }
  await load.stop()
  const { examples, ...figures } = await judgeFleet(fleet, load)
  // Who calls a dead replica gets no answer, and calls another.
  const faults = faultsOf(figures, { unanswered: Number.POSITIVE_INFINITY, duplicates: kills * duplicatesPerKill })
  if (figures.longestGapMs.delivery > gapMax * 1_000) faults.push(`no delivery for ${figures.longestGapMs.delivery} ms`)
  for (const line of [...examples, ...faults]) console.error(`${script}: ${line}`)
  console.log(JSON.stringify({ proof: 'replica-loss', kills, seed, ...figures, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})
