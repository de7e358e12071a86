// `npm run proof:clock`: under mixed load, the clock of one replica steps by ten minutes forward and back, and then by one hour
// back and stays there. The clock of PostgreSQL does the same afterwards. Only the replica with the wrong clock sends and does
// housekeeping. The proof ends with one line of JSON. The exit code is 1 if something acknowledged was lost, sent by two
// replicas or stuck, or if housekeeping or deliveries stopped while a clock was behind.

import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../server/test/caller.ts'
import { untilSettled } from '../chaos/settled.ts'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { judgeFleet } from '../fleet/judge.ts'
import { eventPrefix, startMixedLoad } from '../fleet/load.ts'
import { openEndpoint } from '../relay-world/deployment.ts'
import { startDebianPostgres } from '../rig/databases/debian.ts'
import { makeSteppedClock, type SteppedClock } from '../rig/databases/stepped-clock.ts'
import { positive, readOptions, seedOption, someOf, wholeNumber } from '../rig/options.ts'
import { endOnSignals, openHome, runProof } from '../rig/programs.ts'
import { startForgetfulReceiver } from './forgetful-receiver.ts'
import { watchHousekeeping, writersNoted } from './housekeeping.ts'
import { clockFaultsOf, clockFiguresOf, type Hold, type Step } from './verdict.ts'
import { startWrites } from './writes.ts'

const script = 'proof:clock'
const warmUpMs = 5_000
/** After the last step everything must end within that step, and this. */
const settleMs = 90_000
const notedMsMax = 60_000
const options = readOptions(script, 'Steps the clock of a replica and of PostgreSQL under load.', {
  step: wholeNumber('seconds of a step, to and fro', 600),
  hold: positive('seconds from one step to the next', 15),
  back: wholeNumber('seconds of the long step back', 3_600),
  stay: positive('seconds for which the clock stays back, at least', 90),
  whose: someOf('whose clock steps', ['replica', 'database']),
  rate: positive('events a second', 30),
  calls: positive('API calls a second', 10),
  seed: seedOption(),
})
const { step, hold, back, stay, whose, rate, calls, seed } = options
const servers = 3
const relays = 2
const longest = Math.max(step, stay)
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

await runProof(script, async () => {
  console.log(
    `${script}: --step ${step} --hold ${hold} --back ${back} --stay ${stay} --whose ${whose} --rate ${rate} --calls ${calls} --seed ${seed}`,
  )
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const home = stack.use(openHome())
  const clocks = { replica: makeSteppedClock(home, 'replica'), database: makeSteppedClock(home, 'database') }
  const postgres = stack.use(await startDebianPostgres({ env: clocks.database.env }))
  const envOf = (index: number) => (index === 0 ? clocks.replica.env : {})
  // Only the replica with the wrong clock signs, sends and sweeps. The others would hide that it stopped.
  const argsOf = (index: number) => (index === 0 ? [] : ['--only', 'api'])
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas: servers, envOf, argsOf }))
  const receiver = stack.use(await startForgetfulReceiver())
  const { id } = fleet.business
  await openEndpoint(fleet.deployment, { businessId: id, url: receiver.url, ordering: 'best_effort' })
  const load = startMixedLoad(fleet, { eventsPerSecond: rate, callsPerSecond: calls, seed })
  const writes = startWrites(fleet, seed)
  await delay(warmUpMs)
  const { steps, holds } = await stepClocks(fleet, clocks, stack)
  await load.stop()
  await writes.stop()
  const { deployment, provider } = fleet
  const endedAt = performance.now()
  await untilSettled({ deployment, provider, foreign: eventPrefix }, longest * 1_000 + settleMs)
  const settledAfterMs = Math.round(performance.now() - endedAt)
  const judged = await judgeFleet(fleet, load)
  const heard = [...load.heard, ...writes.heard]
  const figures = clockFiguresOf({ steps, heard, attempts: receiver.attempts, holds, judged })
  const faults = clockFaultsOf(figures, step)
  for (const line of [...judged.examples, ...faults]) console.error(`${script}: ${line}`)
  const backendCrashes = postgres.log().match(/was terminated by signal/g)?.length ?? 0
  const summary = { proof: 'clock', seed, step, back, stay, settledAfterMs, backendCrashes, ...figures }
  console.log(JSON.stringify({ ...summary, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

/** @param stack owns the servers that are added */
async function stepClocks(
  fleet: Fleet,
  clocks: Readonly<Record<Step['whose'], SteppedClock>>,
  stack: AsyncDisposableStack,
): Promise<{ steps: Step[]; holds: Hold[] }> {
  const steps: Step[] = []
  const stepAll = async (name: Step['whose']): Promise<void> => {
    for (const offset of [step, 0, -step, 0]) {
      steps.push({ whose: name, offset, atMs: Date.now() })
      clocks[name].stepTo(offset)
      say(`the clock of the ${name} is off by ${offset} s`)
      await delay(hold * 1_000)
    }
  }
  const holds: Hold[] = []
  const stayBack = async (name: Step['whose'], running: number): Promise<void> => {
    // A step forward ends every note; a server writes the next one within 30 s.
    await until('a note of every server', async () => (await writersNoted(fleet)) === running, notedMsMax)
    steps.push({ whose: name, offset: -back, atMs: Date.now() })
    clocks[name].stepTo(-back)
    say(`the clock of the ${name} stays ${back} s behind`)
    holds.push(await watchHousekeeping(fleet, { whose: name, holdMs: stay * 1_000, servers: running }))
    steps.push({ whose: name, offset: 0, atMs: Date.now() })
    clocks[name].stepTo(0)
    await delay(hold * 1_000)
  }
  if (whose.includes('replica')) {
    await stepAll('replica')
    await stayBack('replica', servers)
  }
  if (whose.includes('database')) {
    // Several servers compete for each lease that ends early.
    for (let more = 0; more < relays; more++) stack.use(await fleet.deployment.serve({}, {}, ['--only', 'relay']))
    await stepAll('database')
    await stayBack('database', servers + relays)
  }
  return { steps, holds }
}
