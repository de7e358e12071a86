// `npm run proof:redis`: three replicas count their callers in a real Redis that is killed, comes back empty, hangs, and
// fails over under Sentinel. Ends with one line of JSON; exit code 1 when a limit was unfair, or a call was refused or held up.

import { setTimeout as delay } from 'node:timers/promises'
import { issueApiKey } from '../../../server/src/businesses/api-keys.ts'
import { startSentinels } from '../../../server/test/redis-sentinels.ts'
import { startRedis } from '../../../server/test/redis-server.ts'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { startDebianPostgres } from '../rig/databases/debian.ts'
import { positive, readOptions, wholeNumber } from '../rig/options.ts'
import { endOnSignals, requireProgram, runProof } from '../rig/programs.ts'
import { type Counting, callFor, faultsOfPhase, type Phase, phaseOf, type Quota, windowsPerPhase } from './calls.ts'

const script = 'proof:redis'
/** In so long a replica is connected again: its waits between tries grow to half a second. */
const reconnectMs = 2_000
const options = readOptions(script, 'Takes Redis away from three replicas that count in it.', {
  quota: wholeNumber('calls of a key in a window', 40),
  window: wholeNumber('seconds of a window', 5),
  rate: positive('calls a second', 30),
})
const { quota, window, rate } = options
const limits: Quota = { requests: quota, windowSeconds: window, replicas: 3 }
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

await runProof(script, async () => {
  console.log(`${script}: --quota ${quota} --window ${window} --rate ${rate}`)
  requireProgram('redis-server', 'redis-server')
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const postgres = stack.use(await startDebianPostgres())
  const redis = stack.use(await startRedis())
  const sentinels = stack.use(await startSentinels())
  const env = { RATE_LIMIT_REQUESTS: String(quota), RATE_LIMIT_WINDOW_SECONDS: String(window), REDIS_URL: redis.url }
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas: limits.replicas, env }))
  const phases: Phase[] = []
  /** @param act happens while the calls begin */
  const run = async (name: string, counting: Counting, act: () => unknown = () => {}): Promise<void> => {
    const phase = await runPhase(fleet, name, counting, act)
    phases.push(phase)
    say(`${name}: ${phase.passed} passed, p95 ${phase.p95Ms} ms, slowest ${phase.slowestMs} ms`)
  }

  await run('there', 'shared')
  await run('killed', 'own', () => redis.kill())
  await redis.start()
  await delay(reconnectMs)
  await run('back, and empty', 'shared')
  await run('hangs', 'own', () => redis.freeze())
  redis.thaw()
  await delay(reconnectMs)
  await run('goes on', 'shared')

  await Promise.all(fleet.replicas.map((replica) => replica.terminate()))
  await Promise.all(fleet.replicas.map((replica) => replica.restart({ env: { REDIS_URL: sentinels.url } })))
  await runFailovers(run, sentinels)

  const faults = phases.flatMap(faultsOfPhase)
  for (const line of faults) console.error(`${script}: ${line}`)
  console.log(JSON.stringify({ proof: 'redis', quota, window, phases, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

type Run = (name: string, counting: Counting, act?: () => unknown) => Promise<void>

async function runFailovers(run: Run, sentinels: Awaited<ReturnType<typeof startSentinels>>): Promise<void> {
  const [first, second] = sentinels.servers
  const before = await sentinels.masterPort()
  await run('Sentinel: there', 'shared')
  await run('Sentinel: the master is killed', 'either', () => first.kill())
  const successor = await sentinels.settled(before)
  await delay(reconnectMs)
  await run('Sentinel: its successor', 'shared')
  await first.start()
  await first.becomesCopy()
  await run('Sentinel: the old master is a copy', 'shared')
  await run('Sentinel: the successor hangs', 'either', () => second.freeze())
  await sentinels.settled(successor)
  await delay(reconnectMs)
  await run('Sentinel: the first one again', 'shared')
  second.thaw()
  await run('Sentinel: no Sentinel', 'shared', () => sentinels.killSentinels())
}

async function runPhase(fleet: Fleet, name: string, counting: Counting, act: () => unknown): Promise<Phase> {
  const { key } = await issueApiKey(fleet.deployment.deps, fleet.business.id, {})
  const pace = { perSecond: rate, seconds: windowsPerPhase * window }
  const [, calls] = await Promise.all([act(), callFor(key, fleet.nextUrl, pace)])
  return phaseOf(name, counting, calls, limits)
}
