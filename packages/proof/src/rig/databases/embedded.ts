// A separate durable PostgreSQL, to be killed at any instruction and started again on the same data and socket.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { prepareBinaries } from '../../../../embedded-postgres/src/binaries.ts'
import { dataOf, openCluster, superuser } from '../../../../embedded-postgres/src/cluster.ts'
import { forgetEmbedded } from '../../../../embedded-postgres/src/embedded.ts'
import { locate, writePointer } from '../../../../embedded-postgres/src/place.ts'
import { bringUp, type Server, shutDown } from '../../../../embedded-postgres/src/server.ts'
import { database, type Session } from '../../../../embedded-postgres/src/session.ts'
import { readPostmasterId } from '../../../../embedded-postgres/src/socket.ts'
import { childrenOf, killIfThere } from '../exit.ts'
import type { DatabasePlan, Death, Killable } from './database.ts'
import { askOn, type Connection, urlOf } from './session.ts'

export type KillableDatabase = AsyncDisposable & {
  connection: Connection
  kill(death: Death): Promise<void>
  /** Resolves when the database accepts queries again. */
  start(): Promise<void>
  isRunning(): boolean
  /** How often it ended and nobody had killed it. */
  ends(): number
}

/** The packaged PostgreSQL, durable. */
export function embeddedPostgres(): DatabasePlan<Killable> {
  return {
    needs: [],
    async open(stack) {
      const server = stack.use(await startKillableDatabase())
      const url = urlOf(server.connection)
      const start = async (): Promise<void> => {
        if (!server.isRunning()) await server.start()
      }
      return {
        url,
        ask: (sql, values) => askOn(url, sql, values),
        ends: server.ends,
        kill: (death = 'crash') => server.kill(death),
        start,
        heal: start,
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      }
    },
  }
}

const goneMsMax = 10_000

/** Does not restart automatically, unlike the server's embedded database: the caller that kills it also starts it. */
export async function startKillableDatabase(): Promise<KillableDatabase> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-proof-'))
  const place = locate(home)
  const binaries = await prepareBinaries(place, undefined)
  const password = await openCluster(place, binaries, true)
  const server: Server = { place, binaries, password, durable: true, endpoint: null, launch: null, log: () => {} }
  let session: Session | null = null
  let ends = 0

  const launch = async (): Promise<Session> => {
    server.launch = null
    const brought = (await bringUp(server)).session
    session = brought
    brought.onLost(() => {
      if (session !== brought) return
      session = null
      ends += 1
    })
    return brought
  }

  const kill = async (death: Death): Promise<void> => {
    const postmaster = readPostmasterId(dataOf(place))
    const launched = server.launch
    const held = session
    if (!held || !launched || postmaster === null) throw new Error('the database does not run')
    session = null
    // Listed before the first dies: afterwards they are nobody's children.
    const children = death === 'crash' ? childrenOf(postmaster) : []
    process.kill(postmaster, death === 'crash' ? 'SIGKILL' : 'SIGQUIT')
    for (const child of children) killIfThere(child)
    const deadline = performance.now() + goneMsMax
    while (launched.isRunning()) {
      if (performance.now() > deadline) throw new Error('the database did not die')
      await delay(5)
    }
    await held.close()
  }

  await launch()
  writePointer(place)
  return {
    connection: { ...requireEndpoint(server), username: superuser, password, database },
    kill,
    async start() {
      await launch()
    },
    isRunning: () => session !== null,
    ends: () => ends,
    async [Symbol.asyncDispose]() {
      if (session) await shutDown(server, session)
      await forgetEmbedded(home)
      await rm(home, { recursive: true, force: true })
    },
  }
}

function requireEndpoint({ endpoint }: Server): { host: string; port: number } {
  if (!endpoint) throw new Error('the database has no address')
  return endpoint
}
