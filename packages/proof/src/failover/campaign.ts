// One run of failovers: replicas under mixed load; a host of PostgreSQL dies or hangs as a whole, the other goes on, the first
// comes back as synchronous standby; again and again, and the verdict.

import { setTimeout as delay } from 'node:timers/promises'
import { longestGapMs, type Span } from '../fleet/answers.ts'
import { openFleet } from '../fleet/fleet.ts'
import { deliveryTimes, type FleetJudgement, judgeFleet } from '../fleet/judge.ts'
import { startMixedLoad } from '../fleet/load.ts'
import { type By, type Cluster, openCluster } from '../rig/databases/patroni/cluster.ts'
import { type Accident, type Failover, outageOf } from './outage.ts'
import { readinessOf, watchReadiness } from './readiness.ts'

export type FailoverOptions = {
  accidents: readonly Accident[]
  /** How replicas find the primary. */
  by: By
  replicas: number
  eventsPerSecond: number
  callsPerSecond: number
  seed: number
  say: (line: string) => void
  stack: AsyncDisposableStack
}

export type FailoverReport = FleetJudgement & { failovers: readonly Failover[] }

const warmUpMs = 5_000
/** Between a cluster that is whole again and the next accident. */
const quietMs = 8_000
/** Longer than Patroni's ttl: the host that hung finds another in its place. */
const hangMs = 25_000

export async function runFailovers(options: FailoverOptions): Promise<FailoverReport> {
  const { accidents, by, replicas, eventsPerSecond, callsPerSecond, seed, say, stack } = options
  const cluster = stack.use(await openCluster())
  say('two hosts under Patroni, one a synchronous standby')
  const fleet = stack.use(await openFleet({ database: { url: cluster.url(by) }, replicas }))
  say(`${replicas} replicas`)
  const load = startMixedLoad(fleet, { eventsPerSecond, callsPerSecond, seed })
  const rounds: { accident: Accident; span: Span; promotedMs: number | null }[] = []
  const watch = watchReadiness(fleet.baseUrls())
  await delay(warmUpMs)
  for (const accident of accidents) {
    const fromMs = Date.now()
    say(accident)
    const promotedMs = await suffer[accident](cluster)
    say(promotedMs === null ? 'the standby hung; the primary went on' : `the other is primary after ${promotedMs} ms`)
    await cluster.untilSynchronous()
    say(`there is a synchronous standby, and ${load.acknowledgedEvents.length} events are acknowledged`)
    await delay(quietMs)
    rounds.push({ accident, span: { fromMs, toMs: Date.now() }, promotedMs })
  }
  await Promise.all([load.stop(), watch.stop()])
  const judged = await judgeFleet(fleet, load)
  const deliveries = [...fleet.endpoints.keys()].map((name) => deliveryTimes(fleet.lines, name))
  const failovers = rounds.map(({ accident, span, promotedMs }) => ({
    accident,
    promotedMs,
    ...outageOf(load.heard, span),
    ...readinessOf(watch.checks, span),
    deliveriesAwayMs: Math.max(...deliveries.map((times) => longestGapMs(times, span))),
  }))
  return { ...judged, failovers }
}

/** @returns milliseconds until the other host was primary; null when it was already */
const suffer: Readonly<Record<Accident, (cluster: Cluster) => Promise<number | null>>> = {
  async 'primary dies'(cluster) {
    const dead = await cluster.primary()
    const fromMs = Date.now()
    dead.kill()
    await cluster.primary(dead)
    const promotedMs = Date.now() - fromMs
    dead.start()
    return promotedMs
  },
  async 'primary hangs'(cluster) {
    const frozen = await cluster.primary()
    const fromMs = Date.now()
    frozen.freeze()
    await cluster.primary(frozen)
    const promotedMs = Date.now() - fromMs
    await delay(Math.max(0, hangMs - promotedMs))
    frozen.thaw()
    return promotedMs
  },
  async 'standby hangs'(cluster) {
    const primary = await cluster.primary()
    const frozen = cluster.nodes.find((node) => node !== primary)
    frozen?.freeze()
    await delay(hangMs)
    frozen?.thaw()
    return null
  },
}
