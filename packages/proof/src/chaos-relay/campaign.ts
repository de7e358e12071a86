// One chaos run: load, kills, and the wait until everything accepted has arrived; then the verdict.

import { setTimeout as delay } from 'node:timers/promises'
import {
  type Deployment,
  type Endpoint,
  type Ordering,
  openBusiness,
  openDeployment,
  openEndpoint,
} from '../relay-world/deployment.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import { startLineProcess } from '../rig/line-process.ts'
import { postUntilAcknowledged } from '../rig/provider-post.ts'
import type { ReceiverLine } from './receivers.ts'
import { type Accepted, type Judgement, judge } from './verdict.ts'
import { openVictims, type Victims } from './victims.ts'

export type ChaosOptions = {
  kills: number
  seed: number
  minutes: number
  eventsPerSecond?: number
  replicas?: number
  say?: (line: string) => void
}

export type ChaosReport = Judgement & {
  kills: number
  /** Events that took more than one try to be acknowledged. */
  repeated: number
  seed: number
  durationMs: number
}

/** Each business by the orderings of its endpoints. */
const businesses: readonly (readonly Ordering[])[] = [
  ['per_end_user'],
  ['best_effort', 'per_end_user'],
  ['per_end_user', 'best_effort', 'per_end_user'],
]
const endUsersEach = 20
const settleMsMax = 90_000

// The shortest lease is 3 s: what a killed replica held is taken over within that.
const settings = {
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SECONDS: `0.2,0.4,0.8,${Array(17).fill('1').join(',')}`,
}

type EndUser = { externalUserId: string; businessId: string }

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { kills, seed, minutes, eventsPerSecond = 100, replicas = 2, say = () => {} } = options
  const startedAt = performance.now()
  const lines: ReceiverLine[] = []
  await using receivers = await startLineProcess<ReceiverLine & { port: number }>(
    new URL('./receivers.ts', import.meta.url),
    [String(seed)],
    (line) => lines.push(line),
  )
  await using database = await startKillableDatabase()
  await using deployment = await openDeployment(database.connection, settings)
  const { endUsers, endpoints } = await setUp(deployment, receivers.ready.port)
  await using victims = await openVictims(deployment, database, replicas)

  const load = startLoad(deployment, victims, endUsers, { seed, eventsPerSecond })
  try {
    await killAtRandom(victims, chanceOf(seed, 0), { kills, overMs: minutes * 60_000 }, () => load.accepted.length, say)
    await victims.allUp()
  } finally {
    await load.stop()
  }
  say(`${load.accepted.length} events accepted; waiting until they have arrived`)
  await untilSettled(deployment, () => judge(load.accepted, endpoints, lines).lost === 0)
  return {
    kills,
    ...judge(load.accepted, endpoints, lines),
    repeated: load.repeated(),
    seed,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

async function setUp(
  deployment: Deployment,
  port: number,
): Promise<{ endUsers: EndUser[]; endpoints: Map<string, Endpoint> }> {
  const endUsers: EndUser[] = []
  const endpoints = new Map<string, Endpoint>()
  for (const [at, orderings] of businesses.entries()) {
    const names = Array.from({ length: endUsersEach }, (_, index) => `user-${at}-${index}`)
    const businessId = await openBusiness(deployment, names)
    endUsers.push(...names.map((externalUserId) => ({ externalUserId, businessId })))
    for (const [index, ordering] of orderings.entries()) {
      const name = `endpoint-${at}-${index}`
      const url = `http://127.0.0.1:${port}/${name}`
      endpoints.set(name, await openEndpoint(deployment, { businessId, url, ordering }))
    }
  }
  return { endUsers, endpoints }
}

type Load = {
  accepted: Accepted[]
  repeated(): number
  /** Sends nothing new, and ends when the last event was acknowledged, or has waited too long. */
  stop(): Promise<void>
}

/** One event of an end-user at a time: so the order in which they are accepted is known. */
function startLoad(
  { signer }: Deployment,
  victims: Victims,
  endUsers: readonly EndUser[],
  { seed, eventsPerSecond }: { seed: number; eventsPerSecond: number },
): Load {
  const accepted: Accepted[] = []
  const patience = new AbortController()
  const pauseMs = (endUsers.length / eventsPerSecond) * 1_000
  let isOver = false
  let repeated = 0

  const work = async ({ externalUserId, businessId }: EndUser, chance: Chance): Promise<void> => {
    await delay(chance.below(2 * pauseMs)) // a load whose end-users begin together is no steady rate but a burst
    for (let place = 0; !isOver; place++) {
      const eventId = `wh_${seed}_${externalUserId}_${place}`
      const event = { event_id: eventId, event_type: 'test.happened', external_user_id: externalUserId, place }
      const tries = await postUntilAcknowledged(signer, victims.baseUrl, JSON.stringify(event), patience.signal)
      if (tries === null) return
      if (tries > 1) repeated += 1
      accepted.push({ eventId, businessId })
      await delay(chance.below(2 * pauseMs))
    }
  }

  const running = Promise.all(endUsers.map((endUser, index) => work(endUser, chanceOf(seed, index + 1))))
  return {
    accepted,
    repeated: () => repeated,
    async stop() {
      isOver = true
      const timer = setTimeout(() => patience.abort(), settleMsMax)
      await running
      clearTimeout(timer)
    },
  }
}

async function killAtRandom(
  victims: Victims,
  chance: Chance,
  plan: { kills: number; overMs: number },
  accepted: () => number,
  say: (line: string) => void,
): Promise<void> {
  const gapMs = plan.overMs / plan.kills
  for (let done = 0; done < plan.kills; ) {
    // Some kills come while an earlier victim is still starting.
    await delay(chance.oneIn(4) ? chance.below(200) : gapMs / 2 + chance.below(gapMs))
    const victim = await victims.killOne(chance, chance.below(600))
    if (victim === null) continue
    done += 1
    say(`kill ${done}: ${victim}, after ${accepted()} accepted events`)
  }
}

/** Until nothing waits in the database either: a delivery whose outcome was not written goes out once more. */
async function untilSettled({ db }: Deployment, isComplete: () => boolean): Promise<void> {
  const deadline = performance.now() + settleMsMax
  while (performance.now() < deadline) {
    const waiting = await db.read((query) => query`select 1 from deliveries limit 1`).catch(() => null)
    if (waiting?.length === 0 && isComplete()) return
    await delay(200)
  }
}
