// `npm run proof:receivers`: what bad receivers and a loud business do to the others.

import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../rig/databases/database.ts'
import { embeddedPostgres } from '../rig/databases/embedded.ts'
import { openWorld } from '../rig/deployment/open-world.ts'
import {
  changeEndpoint,
  judgePairs,
  measureDeliveries,
  measurePairs,
  type Pair,
  type Window,
} from '../rig/measured/measured.ts'
import { wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'
import type { Business, BusinessPlan, EndpointPlan, World } from '../rig/world.ts'

const conducts = [
  'never-read',
  'silent',
  'byte-a-second',
  'endless-body',
  'gzip-bomb',
  'redirect-loop',
  'reset',
] as const
/** They end no response, so that only the wall clock ends an attempt. */
const endless = new Set<string | undefined>(['never-read', 'silent', 'byte-a-second'])
const givenUpMsMax = 10_000
const businessCount = 10
const endpointsEach = 4
/** Of ten endpoints, in any business. */
const hostilePlaces = new Set([2, 5, 8])
const movedMax = 1.1
const besideMax = 2
/** A process that holds 1,024 sends, their bodies and 64 MiB of waiting events stays below it. */
const rssMibMax = 512
/** Enough for a 99th percentile; an event a second would measure the same for ten times as long. */
const neighbourPerSecond = 20
const loudPrefix = 'wh_loud_'
const intakeAtOnce = 64
const answerMsMax = 10_000
/** The ramp after a pause doubles from 10 a second and ends after 8 s. */
const rampMs = 8_500

await proof({
  script: 'proof:receivers',
  promise: 'Bad receivers and a loud business slow no other: the p99 of deliveries stays, and memory is bounded.',
  holds: [11],
  options: {
    rounds: wholeNumber('pairs of a healthy and a hostile window', 5),
    seconds: wholeNumber('length of a window', 15),
    backlog: wholeNumber('waiting events of the loud business', 100_000),
    'per-second': wholeNumber('events a second of the others', 50),
  },
})
  .part('', async ({ options, log }, stack) => {
    const world = await openWorld(
      {
        database: embeddedPostgres(),
        replicas: 1,
        provider: 'silent',
        // As in production, except that a send is given up after 3 s instead of 15, so that a window sees time-outs, retries
        // and the breaker.
        settings: { WEBHOOK_TIMEOUT_MS: '3000', WEBHOOK_RETRY_SECONDS: '1,2,4,8,16,32', LOG_LEVEL: 'error' },
        businesses: [],
      },
      stack,
    )
    let neverGivenUp = 0
    const measure = async (isHostile: boolean, seconds: number): Promise<Window> => {
      const pace = { perSecond: options['per-second'], seconds }
      const { held, ...window } = await measureHostile(world, isHostile, pace)
      neverGivenUp += held
      return window
    }
    const hostile = judgePairs('hostile receivers', await measurePairs(measure, { ...options, log }), movedMax)
    const { pair, left } = await measureBacklog(world, options)
    log(JSON.stringify({ ...pair, left }))
    const backlog = judgePairs('a backlog', [pair], besideMax)
    const peakRssMib = peakRssMibOf(world.replicas[0]?.pid() ?? 0)
    const faults = [...hostile.faults, ...backlog.faults, ...world.unexpected()]
    if (neverGivenUp > 0) faults.push(`${neverGivenUp} receivers that end no response were not given up`)
    if (left <= 0) faults.push('the backlog was over too early to prove anything')
    if (peakRssMib !== null && peakRssMib > rssMibMax) faults.push(`the server held ${peakRssMib} MiB`)
    return {
      figures: { hostile: { ...hostile.figures, neverGivenUp }, backlog: { ...backlog.figures, left }, peakRssMib },
      faults,
    }
  })
  .start()

/** The latencies of the 70 % that are healthy in either case. */
async function measureHostile(
  world: World<Database>,
  isHostile: boolean,
  pace: { perSecond: number; seconds: number },
): Promise<Window & { held: number }> {
  let hostile = 0
  const endpointAt = (place: number): EndpointPlan => {
    const isMeasured = !hostilePlaces.has(place % 10)
    if (isMeasured || !isHostile) return { ordering: 'best_effort', apart: !isMeasured }
    return { ordering: 'best_effort', apart: true, conduct: conducts[hostile++ % conducts.length] ?? 'silent' }
  }
  const plans = Array.from({ length: businessCount }, (_, at): BusinessPlan => {
    const endpoints = Array.from({ length: endpointsEach }, (_, index) => endpointAt(at * endpointsEach + index))
    return { endpoints, endUsers: 5 }
  })
  const businesses = await Promise.all(plans.map((plan) => world.addBusiness(plan)))
  const victims = businesses.flatMap(({ endUsers, endpoints }) => {
    const healthy = endpoints.filter(({ apart }) => !apart).map(({ name }) => name)
    return endUsers.map((endUser) => ({ endUser, endpoints: healthy }))
  })
  const window = await measureDeliveries(world, mixed(victims), pace)
  let held = 0
  for (const business of businesses)
    for (const { id, conduct } of business.endpoints) {
      if (endless.has(conduct) && !(await isGivenUp(world, business, id))) held += 1
      await changeEndpoint(world, business, id, 'deleted')
    }
  return { ...window, attacks: hostile, held }
}

/** @returns whether an attempt of the endpoint has ended: all that end fail */
async function isGivenUp({ send }: World<Database>, { apiKey }: Business, id: string): Promise<boolean> {
  const call = { method: 'GET', path: `/v0/webhook-endpoints/${id}`, headers: { authorization: `Bearer ${apiKey}` } }
  for (const deadline = performance.now() + givenUpMsMax; performance.now() < deadline; await delay(100)) {
    const { status, text } = await send(call, answerMsMax)
    if (status === 200 && JSON.parse(text).data.failingSince !== null) return true
  }
  return false
}

/** So that events one after the other are about different businesses. */
function mixed<T>(all: readonly T[]): T[] {
  return all.flatMap((_, at) => all[(at * 7) % all.length] ?? [])
}

/** A neighbour with an occasional event: alone, and next to a business with a backlog in delivery. */
async function measureBacklog(
  world: World<Database>,
  { backlog, seconds }: { backlog: number; seconds: number },
): Promise<{ pair: Pair; left: number }> {
  const neighbour = await world.addBusiness({ endpoints: [{ ordering: 'best_effort' }], endUsers: 1 })
  const loud = await world.addBusiness({ endpoints: [{ ordering: 'best_effort', apart: true }], endUsers: 200 })
  const { name = '', id = '' } = loud.endpoints[0] ?? {}
  await changeEndpoint(world, loud, id, 'paused')
  let next = 0
  const takeIn = async (): Promise<void> => {
    for (let nth = next++; nth < backlog; nth = next++) {
      const user = loud.endUsers[nth % loud.endUsers.length]
      const event = { event_id: `${loudPrefix}${nth}`, event_type: 'test.happened', external_user_id: user }
      const { status } = await world.provider.post(JSON.stringify(event), answerMsMax)
      if (status !== 200) throw new Error(`an event was answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: intakeAtOnce }, takeIn))
  const victims = [{ endUser: neighbour.endUsers[0] ?? '', endpoints: neighbour.endpoints.map((one) => one.name) }]
  const pace = { perSecond: neighbourPerSecond, seconds }
  const sent = (): number =>
    world.attempts.filter((one) => one.endpoint === name && one.eventId.startsWith(loudPrefix)).length
  const calm = { ...(await measureDeliveries(world, victims, pace)), attacks: 0 }
  await changeEndpoint(world, loud, id, 'enabled')
  await delay(rampMs)
  const before = sent()
  const window = await measureDeliveries(world, victims, pace)
  const after = sent()
  return { pair: { calm, abused: { ...window, attacks: after - before } }, left: backlog - after }
}

/** The most memory that a process has held at once; null where the system does not tell. */
function peakRssMibOf(pid: number): number | null {
  try {
    const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kib === undefined ? null : Math.round(Number(kib) / 1_024)
  } catch {
    return null
  }
}
