// A durable PostgreSQL of its own, to be killed at any instruction and started again on the same data and socket.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
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
import type { ConnectionOptions } from '../../../../server/src/platform/postgres/client.ts'

/** `crash`: SIGKILL to the postmaster and all it started, as a host dies. `immediate`: its own stop without a checkpoint. */
export type Death = 'crash' | 'immediate'

export type KillableDatabase = AsyncDisposable & {
  connection: ConnectionOptions
  kill(death: Death): Promise<void>
  /** Answers when it takes queries again. */
  start(): Promise<void>
}

const goneMsMax = 10_000

/** Not kept up by itself, unlike the one that the server embeds: who kills it says when it comes back. */
export async function startKillableDatabase(): Promise<KillableDatabase> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-proof-'))
  const place = locate(home)
  const binaries = await prepareBinaries(place, undefined)
  const password = await openCluster(place, binaries, true)
  const server: Server = { place, binaries, password, durable: true, endpoint: null, launch: null, log: () => {} }
  let session: Session | null = null

  const launch = async (): Promise<Session> => {
    server.launch = null
    session = (await bringUp(server)).session
    return session
  }

  const kill = async (death: Death): Promise<void> => {
    const postmaster = readPostmasterId(dataOf(place))
    const launched = server.launch
    if (!session || !launched || postmaster === null) throw new Error('the database does not run')
    // Listed before the first dies: afterwards they are nobody's children.
    const children = death === 'crash' ? await childrenOf(postmaster) : []
    process.kill(postmaster, death === 'crash' ? 'SIGKILL' : 'SIGQUIT')
    for (const child of children) killIfThere(child)
    const deadline = performance.now() + goneMsMax
    while (launched.isRunning()) {
      if (performance.now() > deadline) throw new Error('the database did not die')
      await delay(5)
    }
    await session.close()
    session = null
  }

  await launch()
  writePointer(place)
  return {
    connection: { ...requireEndpoint(server), username: superuser, password, database },
    kill,
    async start() {
      await launch()
    },
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

/** Linux tells; elsewhere the backends end by themselves when their postmaster is gone. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
