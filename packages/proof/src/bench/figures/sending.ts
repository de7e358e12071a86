// P3: the whole send loop on a backlog, against undici alone to the same receivers; and the loop's work around the sends,
// against graphile-worker's around its jobs.

import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { type Bench, perSecond } from '../bench.ts'
import { clearWaiting, settleDisk } from '../database-server.ts'
import { makeEvents } from '../events.ts'
import { checkDelivered, markOf } from '../ledger.ts'
import type { JobsCalls } from '../processes/jobs-process.ts'
import type { ReceiverCalls } from '../processes/receiver-process.ts'
import type { RelayCalls } from '../processes/relay-process.ts'
import type { Remote } from '../processes/remote.ts'
import { seedTenants, type Target, type Tenant } from '../product.ts'
import { type Measured, Rounds } from '../ratio.ts'
import { takeInBacklog } from './backlog.ts'
import { freshPrefix, silentUrls } from './ingest.ts'

const endpointCount = 8

export async function measureSending(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using receivers = bench.start<ReceiverCalls>('./receiver-process.ts')
  const urls = await receivers.call('listen', endpointCount)
  await using database = await bench.databases.create('sending')
  const tenants = await seedTenants(database.db, urls)
  await using relay = bench.start<RelayCalls>('./relay-process.ts')
  const world = { ...database, tenants, relay, receivers }
  const sends = { url: urls[0] ?? '', body: bodyOf(tenants), count: scale.sends }
  const rounds = new Rounds()
  for (let round = 0; round <= scale.pairs; round++) {
    const counted = round === 0 ? new Rounds() : rounds
    counted.note('raw', perSecond(scale.sends, await relay.call('sendRaw', sends)))
    await receivers.call('take')
    const drained = await drain(world, scale.sends)
    counted.note('drain', perSecond(scale.sends, drained.ms))
    counted.note('cpu', (drained.cpuMs * 1_000) / scale.sends)
  }
  return {
    ratios: [
      {
        id: 'P3',
        part: null,
        what: 'claim, sign, send, settle / undici alone',
        goal: { atLeast: 0.4 },
        figures: rounds.quotient('drain', 'raw'),
      },
    ],
    speeds: [
      { what: 'undici alone', unit: '/s', figures: rounds.of('raw') },
      { what: 'deliveries out of a backlog', unit: '/s', figures: rounds.of('drain') },
      { what: "the relay process's CPU a delivery", unit: 'µs', figures: rounds.of('cpu') },
    ],
  }
}

export type DrainWorld = {
  db: Database
  connection: Target['connection']
  tenants: readonly Tenant[]
  relay: Remote<RelayCalls>
  receivers: Remote<ReceiverCalls>
}

/** A backlog drained by the send loop to the receivers, with its rows checked. */
export async function drain(world: DrainWorld, count: number): Promise<{ ms: number; cpuMs: number }> {
  const { db, connection, tenants, relay, receivers } = world
  const mark = await prepareBacklog(db, tenants, count)
  const cpuBeforeMs = await relay.call('cpuMs')
  const ms = await relay.call('drain', { target: { connection, publicKey: null }, isInstant: false })
  const cpuMs = (await relay.call('cpuMs')) - cpuBeforeMs
  await checkDelivered(db, mark, count, await receivers.call('take'))
  return { ms, cpuMs }
}

/** Older dirty pages are written first: only the backlog is young, as in a running service. */
async function prepareBacklog(db: Database, tenants: readonly Tenant[], count: number): ReturnType<typeof markOf> {
  await clearWaiting(db)
  await settleDisk(db)
  const mark = await markOf(db)
  await takeInBacklog(db, makeEvents(freshPrefix(), count, tenants))
  return mark
}

const bodyOf = (tenants: readonly Tenant[]): Buffer => makeEvents('body', 1, tenants)[0]?.body ?? Buffer.alloc(0)

export async function measureJobs(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using ours = await bench.databases.create('lanes')
  await using theirs = await bench.databases.create('jobs', false)
  const tenants = await seedTenants(ours.db, silentUrls)
  await using relay = bench.start<RelayCalls>('./relay-process.ts')
  await using worker = bench.start<JobsCalls>('./jobs-process.ts')
  await worker.call('install', theirs.connection)
  const target = { connection: ours.connection, publicKey: null }
  const rounds = new Rounds()
  for (let round = 0; round <= scale.pairs; round++) {
    const counted = round === 0 ? new Rounds() : rounds
    const mark = await prepareBacklog(ours.db, tenants, scale.sends)
    counted.note('lanes', perSecond(scale.sends, await relay.call('drain', { target, isInstant: true })))
    await checkDelivered(ours.db, mark, scale.sends, null)
    await settleDisk(theirs.db)
    await worker.call('add', { connection: theirs.connection, count: scale.sends })
    counted.note('jobs', perSecond(scale.sends, await worker.call('drain', theirs.connection)))
  }
  return {
    ratios: [
      {
        id: 'P3',
        part: 'without sends',
        what: 'claim and settle / graphile-worker, tuned',
        goal: { atLeast: null },
        figures: rounds.quotient('lanes', 'jobs'),
      },
    ],
    speeds: [
      { what: 'deliveries claimed, signed and settled, none sent', unit: '/s', figures: rounds.of('lanes') },
      { what: 'jobs of graphile-worker', unit: '/s', figures: rounds.of('jobs') },
    ],
  }
}
