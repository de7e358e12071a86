// `npm run proof:redis`: three replicas count their callers in a real Redis that is killed, comes back empty, hangs, and fails over
// under Sentinel.

import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../rig/databases/database.ts'
import { debianPostgres } from '../../rig/databases/debian-plan.ts'
import { openSentinels, type Sentinels } from '../../rig/databases/sentinels.ts'
import { openWorld } from '../../rig/deployment/open-world.ts'
import { positive, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import type { World } from '../../rig/world.ts'
import { type Counting, callFor, faultsOfPhase, type Phase, phaseOf, windowsPerPhase } from './calls.ts'

const replicas = 3
/** In so long a replica is connected again: its waits between tries grow to half a second. */
const reconnectMs = 2_000
const answerMsMax = 10_000

/** @param act happens while the calls begin */
type Run = (name: string, counting: Counting, act?: () => unknown) => Promise<void>

await proof({
  script: 'proof:redis',
  promise: 'Limits hold across replicas: no call is refused below its limit or held up, while Redis is there or away.',
  holds: [12],
  options: {
    quota: wholeNumber('calls of a key in a window', 40),
    window: wholeNumber('seconds of a window', 5),
    rate: positive('calls a second', 30),
  },
})
  .part('', async ({ options: { quota, window, rate }, log }, stack) => {
    const sentinels = stack.use(await openSentinels())
    const world = await openWorld(
      {
        database: debianPostgres(),
        replicas,
        provider: 'silent',
        redis: true,
        settings: { RATE_LIMIT_REQUESTS: String(quota), RATE_LIMIT_WINDOW_SECONDS: String(window) },
        businesses: [{ endpoints: [] }],
      },
      stack,
    )
    const phases: Phase[] = []
    const run: Run = async (name, counting, act = () => {}) => {
      const key = await issueKey(world)
      const pace = { perSecond: rate, seconds: windowsPerPhase * window }
      const call = { method: 'GET', path: '/v0/whoami', headers: { authorization: `Bearer ${key}` } }
      const [, calls] = await Promise.all([act(), callFor(() => world.send(call, answerMsMax), pace)])
      const phase = phaseOf(name, counting, calls, { requests: quota, windowSeconds: window, replicas })
      phases.push(phase)
      log(`${name}: ${phase.passed} passed, p95 ${phase.p95Ms} ms, slowest ${phase.slowestMs} ms`)
    }
    await runOutages(run, world.redis)
    await Promise.all(world.replicas.map((replica) => replica.terminate()))
    await Promise.all(world.replicas.map((replica) => replica.restart({ settings: { REDIS_URL: sentinels.url } })))
    await runFailovers(run, sentinels)
    return { figures: { phases }, faults: [...phases.flatMap(faultsOfPhase), ...world.unexpected()] }
  })
  .start()

async function runOutages(run: Run, redis: World<Database>['redis']): Promise<void> {
  await run('there', 'shared')
  await run('killed', 'own', () => redis.kill())
  await redis.start()
  await delay(reconnectMs)
  await run('back, and empty', 'shared')
  await run('hangs', 'own', () => redis.freeze())
  redis.thaw()
  await delay(reconnectMs)
  await run('goes on', 'shared')
}

async function runFailovers(run: Run, sentinels: Sentinels): Promise<void> {
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

/** A key that nobody used before. */
async function issueKey({ send, adminSecret, businesses }: World<Database>): Promise<string> {
  const headers = { authorization: `Bearer ${adminSecret}`, 'content-type': 'application/json' }
  const path = `/v0/customers/${businesses[0]?.id}/api-keys`
  const { status, text } = await send({ method: 'POST', path, headers, body: '{"name":"A phase"}' }, answerMsMax)
  if (status !== 200) throw new Error(`a key was answered ${status}: ${text}`)
  return JSON.parse(text).data.key
}
