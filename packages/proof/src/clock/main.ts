// `npm run proof:clock`: the clock of one replica, and then that of PostgreSQL, steps by ten minutes to and fro under mixed
// load. Ends with one line of JSON; exit code 1 when something acknowledged was lost, sent by two replicas, or stuck.

import { setTimeout as delay } from 'node:timers/promises'
import { untilSettled } from '../chaos/settled.ts'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { positive, readOptions, seedOption, someOf, wholeNumber } from '../command-line.ts'
import { startDebianPostgres } from '../fleet/debian-postgres.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { judgeFleet } from '../fleet/judge.ts'
import { eventPrefix, startMixedLoad } from '../fleet/load.ts'
import { endOnSignals, openHome, runProof } from '../fleet/programs.ts'
import { openEndpoint } from '../relay-world/deployment.ts'
import { startForgetfulReceiver } from './forgetful-receiver.ts'
import { makeSteppedClock, type SteppedClock } from './stepped-clock.ts'
import { clockFaultsOf, clockFiguresOf, type Step } from './verdict.ts'
import { startWrites } from './writes.ts'

const script = 'proof:clock'
const warmUpMs = 5_000
/** After the last step everything must end within that step, and this. */
const settleMs = 90_000
const options = readOptions(script, 'Steps the clock of a replica and of PostgreSQL under load.', {
  step: wholeNumber('seconds of a step, to and fro', 600),
  hold: positive('seconds from one step to the next', 15),
  whose: someOf('whose clock steps', ['replica', 'database']),
  rate: positive('events a second', 30),
  calls: positive('API calls a second', 10),
  seed: seedOption(),
})
const { step, hold, whose, rate, calls, seed } = options
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

await runProof(script, async () => {
  console.log(
    `${script}: --step ${step} --hold ${hold} --whose ${whose} --rate ${rate} --calls ${calls} --seed ${seed}`,
  )
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const home = stack.use(openHome())
  const clocks = { replica: makeSteppedClock(home, 'replica'), database: makeSteppedClock(home, 'database') }
  const postgres = stack.use(await startDebianPostgres({ env: clocks.database.env }))
  const envOf = (index: number) => (index === 0 ? clocks.replica.env : {})
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas: 3, envOf }))
  const receiver = stack.use(await startForgetfulReceiver())
  const { id } = fleet.business
  await openEndpoint(fleet.deployment, { businessId: id, url: receiver.url, ordering: 'best_effort' })
  await giveAllLanes(fleet)
  const load = startMixedLoad(fleet, { eventsPerSecond: rate, callsPerSecond: calls, seed })
  const writes = startWrites(fleet, seed)
  await delay(warmUpMs)
  const steps: Step[] = []
  const stepAll = async (name: Step['whose'], clock: SteppedClock): Promise<void> => {
    for (const offset of [step, 0, -step, 0]) {
      steps.push({ whose: name, offset, atMs: Date.now() })
      clock.stepTo(offset)
      say(`the clock of the ${name} is off by ${offset} s`)
      await delay(hold * 1_000)
    }
  }
  for (const name of ['replica', 'database'] as const) if (whose.includes(name)) await stepAll(name, clocks[name])
  await load.stop()
  await writes.stop()
  const { deployment, provider } = fleet
  const endedAt = performance.now()
  await untilSettled({ deployment, provider, foreign: eventPrefix }, step * 1_000 + settleMs)
  const settledAfterMs = Math.round(performance.now() - endedAt)
  const judged = await judgeFleet(fleet, load)
  const heard = [...load.heard, ...writes.heard]
  const figures = clockFiguresOf({ steps, heard, attempts: receiver.attempts, judged })
  const faults = clockFaultsOf(figures, step)
  for (const line of [...judged.examples, ...faults]) console.error(`${script}: ${line}`)
  console.log(JSON.stringify({ proof: 'clock', seed, step, settledAfterMs, ...figures, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

/** The replica whose clock steps gets all lanes, and so it signs: the others are down when the first event comes. */
async function giveAllLanes({ replicas, deployment }: Fleet): Promise<void> {
  const [first, ...others] = replicas
  if (!first) throw new Error('no replica runs')
  await Promise.all(others.map((replica) => replica.terminate()))
  const event = { event_id: `${eventPrefix}lanes`, event_type: 'test.happened', external_user_id: 'fleet-user-0' }
  const body = JSON.stringify(event)
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': deployment.signer.sign(body) }
  const { status } = await fetch(`${first.url}/v0/webhooks/provider`, { method: 'POST', headers, body })
  if (status !== 200) throw new Error(`the first event was answered ${status}`)
  // Before the lanes have been empty for 5 s, and are given back.
  await Promise.all(others.map((replica) => replica.restart()))
}
