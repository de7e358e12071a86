// The cost of an event with one delivery: bytes of WAL, stored bytes and rows, transactions, wake-ups, and processor time of the
// servers and PostgreSQL. Also the latency to its receiver. Real servers, a durable PostgreSQL, a receiver that responds at once,
// 1 KB of signed event.

import { setTimeout as delay } from 'node:timers/promises'
import { only } from '../../../server/src/platform/postgres/database.ts'
import { openReceiver, type Receiver } from '../../../server/test/receiver.ts'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import { postRequest } from '../bench/events.ts'
import { loadAtFull, loadAtPace } from '../bench/load-client.ts'
import { quantileOf } from '../bench/ratio.ts'
import { type Deployment, openBusiness, openDeployment, openEndpoint } from '../relay-world/deployment.ts'
import { startKillableDatabase } from '../rig/databases/embedded.ts'
import type { Cost } from './cost.ts'
import { type Reading, readMeters } from './meters.ts'

export type CostPlan = {
  rates: readonly number[]
  seconds: number
  eventsAtTheMost: number
  replicas: number
  /** On the port of each replica. */
  processes: number
  say: (line: string) => void
}

const warmUpEvents = 1_000
const connections = 64
const bodyBytes = 1_024
const settleMsMax = 60_000
const endUsers = 20

export type Stage = {
  processes: number
  deployment: Deployment
  receiver: Receiver
  servers: readonly ServeProcess[]
  /** On the ports of the servers. */
  others: readonly ServeProcess[]
  sent: number
}

export async function measureCosts(plan: CostPlan): Promise<{ costs: Cost[]; postgresVersion: string }> {
  await using database = await startKillableDatabase()
  await using deployment = await openDeployment(database.connection, {})
  await using receiver = await openReceiver()
  await using stack = new AsyncDisposableStack()
  const servers: ServeProcess[] = []
  for (let at = 0; at < plan.replicas; at++) servers.push(stack.use(await deployment.serve({ REUSE_PORT: 'on' })))
  const others: ServeProcess[] = []
  for (const { url } of servers)
    for (let nth = 1; nth < plan.processes; nth++)
      others.push(stack.use(await deployment.serve({ REUSE_PORT: 'on', PORT: new URL(url).port })))
  const stage = { ...(await openStage(deployment, receiver, servers)), processes: plan.processes, others }
  await send(stage, 0, warmUpEvents)
  const costs: Cost[] = []
  for (const rate of plan.rates) {
    await send(stage, rate, Math.max(2 * rate, 100))
    const cost = await measureOne(stage, rate, rate === 0 ? plan.eventsAtTheMost : rate * plan.seconds)
    plan.say(JSON.stringify(cost))
    costs.push(cost)
  }
  await Promise.all([...servers, ...others].map((server) => server.terminate()))
  return { costs, postgresVersion: await versionOf(deployment) }
}

/** Opens the business and the endpoint of the events. */
export async function openStage(
  deployment: Deployment,
  receiver: Receiver,
  servers: readonly ServeProcess[],
): Promise<Stage> {
  const names = Array.from({ length: endUsers }, (_, at) => `user-${at}`)
  const businessId = await openBusiness(deployment, names)
  await openEndpoint(deployment, { businessId, url: receiver.url, ordering: 'best_effort' })
  return { processes: 1, deployment, receiver, servers, others: [], sent: 0 }
}

/** @param rate events a second; 0: as many as the servers take */
async function measureOne(stage: Stage, rate: number, events: number): Promise<Cost> {
  const pids = [...stage.servers, ...stage.others].map(({ pid }) => pid)
  const before = await readMeters(stage.deployment.db, pids)
  const { waitsMs, ms } = await send(stage, rate, events)
  const after = await readMeters(stage.deployment.db, pids)
  const each = (name: keyof Reading): number => (after[name] - before[name]) / events
  const rounded = (value: number): number => Math.round(value * 100) / 100
  return {
    rate,
    processes: stage.processes,
    events,
    eventsPerSecond: Math.round((events * 1_000) / ms),
    serverMicroseconds: Math.round(each('serverMicroseconds')),
    postgresMicroseconds: Math.round(each('postgresMicroseconds')),
    transactions: rounded(each('transactions')),
    serverWakeUps: rounded(each('serverWakeUps')),
    postgresWakeUps: rounded(each('postgresWakeUps')),
    walBytes: Math.round(each('walBytes')),
    keptBytes: Math.round(each('keptBytes')),
    keptRows: rounded(each('keptRows')),
    p50Ms: rounded(quantileOf(waitsMs, 0.5)),
    p95Ms: rounded(quantileOf(waitsMs, 0.95)),
  }
}

/**
 * Sends events to the servers in turn and waits for their deliveries.
 * @param rate events a second; 0: as many as the servers take @returns the wait of each, from least to most
 */
export async function send(stage: Stage, rate: number, count: number): Promise<{ waitsMs: number[]; ms: number }> {
  const { deployment, receiver, servers } = stage
  receiver.seen.length = 0
  const from = stage.sent
  stage.sent += count
  // Signed beforehand: a signature costs as much as what is measured.
  const events = Array.from({ length: count }, (_, at) => signedEvent(deployment, from + at))
  const parts = servers.map(({ url }, index) => {
    const address = new URL('/v0/webhooks/provider', url)
    const own = events.filter((_, at) => at % servers.length === index)
    const requests = own.map(({ body, signature }) => postRequest(address, body, { 'x-webhook-signature': signature }))
    return { address, own, requests }
  })
  const startMs = performance.now()
  const dueMs = new Map<string, number>()
  await Promise.all(
    parts.map(async ({ address, own, requests }) => {
      if (rate === 0) {
        const { statuses } = await loadAtFull(address, requests, Math.ceil(connections / servers.length))
        if (statuses.some((status) => status !== 200)) throw new Error('an event was not acknowledged')
        for (const { id } of own) dueMs.set(id, startMs)
      } else {
        // The clock of the load and that of the receiver differ by a constant.
        const offsetMs = performance.now() - Number(process.hrtime.bigint()) / 1e6
        const due = await loadAtPace(address, requests, rate / servers.length)
        for (const [at, { id }] of own.entries()) dueMs.set(id, (due[at] ?? 0) + offsetMs)
      }
    }),
  )
  await untilDelivered(deployment, () => receiver.seen.length >= count)
  const arrivals = new Map(receiver.seen.map(({ body, atMs }) => [eventIdOf(body), atMs]))
  if (arrivals.size !== count || receiver.seen.length !== count) throw new Error('not every event arrived exactly once')
  const waitsMs = [...dueMs].map(([id, due]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - due)
  const lastMs = Math.max(...receiver.seen.map(({ atMs }) => atMs))
  return { waitsMs: waitsMs.sort((a, b) => a - b), ms: lastMs - startMs }
}

function signedEvent({ signer }: Deployment, place: number): { id: string; body: Buffer; signature: string } {
  const id = `wh_cost_${place}`
  const event = { event_id: id, event_type: 'test.happened', external_user_id: `user-${place % endUsers}` }
  const length = JSON.stringify({ ...event, filler: '' }).length
  const body = Buffer.from(JSON.stringify({ ...event, filler: 'x'.repeat(bodyBytes - length) }))
  return { id, body, signature: signer.sign(body) }
}

function eventIdOf(body: Buffer): string {
  return (JSON.parse(body.toString()) as { event_id: string }).event_id
}

async function versionOf({ db }: Deployment): Promise<string> {
  const rows = await db.read(
    (query) => query<{ version: string }[]>`select current_setting('server_version') as version`,
  )
  return only(rows).version
}

async function untilDelivered({ db }: Deployment, haveArrived: () => boolean): Promise<void> {
  const deadline = performance.now() + settleMsMax
  while (!haveArrived()) {
    if (performance.now() > deadline) throw new Error('not every delivery was made in time')
    await delay(10)
  }
  for (;;) {
    const waiting = await db.read((query) => query`select 1 from deliveries limit 1`)
    if (waiting.length === 0) return
    if (performance.now() > deadline) throw new Error('not every outcome was written in time')
    await delay(50)
  }
}
