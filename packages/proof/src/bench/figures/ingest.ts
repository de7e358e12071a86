// P2: durable ingest through POST /v0/webhooks/provider, against single-row inserts on the same PostgreSQL.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { createProviderSigner } from '../../../../server/test/provider-signer.ts'
import { type Bench, perSecond } from '../bench.ts'
import { clearWaiting, settleDisk } from '../database-server.ts'
import { makeEvents, type ProviderEvent, postRequest } from '../events.ts'
import { checkTakenIn, markOf } from '../ledger.ts'
import { type LoadResult, loadAtFull } from '../load-client.ts'
import type { ServerCalls } from '../processes/server-process.ts'
import { seedTenants } from '../product.ts'
import { type Measured, Rounds } from '../ratio.ts'
import { prepareSingleInserts } from './single-inserts.ts'

const connectionCount = 64
const ingestPath = '/v0/webhooks/provider'
/** Nobody listens there, so nothing is sent while events are ingested. */
export const silentUrls = Array.from({ length: 8 }, (_, n) => `http://127.0.0.1:9/${n}`)

export async function measureIngest(bench: Bench): Promise<Measured> {
  const { scale } = bench
  await using database = await bench.databases.create('ingest')
  const { db, connection } = database
  const tenants = await seedTenants(db, silentUrls)
  const signer = createProviderSigner()
  await using server = bench.start<ServerCalls>('./server-process.ts')
  const base = await server.call('serveIntake', { connection, publicKey: signer.publicKey })
  const directory = await mkdtemp(join(tmpdir(), 'causeway-bench-'))
  const rounds = new Rounds()
  try {
    const inserts = await prepareSingleInserts(database, directory)
    // The first round warms everything up and is not counted.
    for (let round = 0; round <= scale.pairs; round++) {
      const counted = round === 0 ? new Rounds() : rounds
      const events = makeEvents(freshPrefix(), scale.events, tenants)
      await settleDisk(db)
      const cpuBeforeMs = await server.call('cpuMs')
      const taken = await takeIn(db, base, events)
      const cpuMs = (await server.call('cpuMs')) - cpuBeforeMs
      const signed = makeEvents(freshPrefix(), Math.ceil(scale.events / 2), tenants)
      const headers = signed.map(({ body }) => ({ 'x-webhook-signature': signer.sign(body) }))
      await settleDisk(db)
      const takenSigned = await takeIn(db, base, signed, headers)
      await settleDisk(db)
      counted.note('inserts', await inserts.run(scale.insertSeconds))
      counted.note('ingest', perSecond(events.length, taken.ms))
      counted.note('signed', perSecond(signed.length, takenSigned.ms))
      counted.note('cpu', (cpuMs * 1_000) / events.length)
    }
    return resultOf(rounds, inserts.by)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function resultOf(rounds: Rounds, insertsBy: string): Measured {
  const what = `durable ingest / single-row INSERT, 64 clients (${insertsBy})`
  return {
    ratios: [
      { id: 'P2', part: null, what, goal: { atLeast: 0.6 }, figures: rounds.quotient('ingest', 'inserts') },
      {
        id: 'P2',
        part: 'signed',
        what: 'the same with the RSA signature checked',
        goal: { atLeast: null },
        figures: rounds.quotient('signed', 'inserts'),
      },
    ],
    speeds: [
      { what: 'events ingested', unit: '/s', figures: rounds.of('ingest') },
      { what: 'events ingested, signature checked', unit: '/s', figures: rounds.of('signed') },
      { what: `single-row inserts (${insertsBy})`, unit: '/s', figures: rounds.of('inserts') },
      { what: "the server process's CPU an event", unit: 'µs', figures: rounds.of('cpu') },
    ],
  }
}

/** One round of ingest into an empty queue, with its rows checked. */
export async function takeIn(
  db: Database,
  baseUrl: string,
  events: readonly ProviderEvent[],
  headers: readonly Record<string, string>[] = [],
): Promise<LoadResult> {
  await clearWaiting(db)
  const mark = await markOf(db)
  const url = new URL(ingestPath, baseUrl)
  const requests = events.map(({ body }, n) => postRequest(url, body, headers[n]))
  const load = await loadAtFull(url, requests, connectionCount)
  await checkTakenIn(db, mark, events, load)
  return load
}

/** So that no round finds the events of another. */
export function freshPrefix(): string {
  return randomBytes(6).toString('hex')
}
