// The context of every measurement: the amount of work, the database, and a way to start parts of the bench.

import type { DatabaseServer } from './database-server.ts'
import { startDatabaseServer } from './database-server.ts'
import { type Calls, type Remote, startRemote } from './processes/remote.ts'

export type Scale = {
  pairs: number
  /** Events that a round ingests; with signatures half as many, because each is signed beforehand. */
  events: number
  /** Events before the memory of a loaded server is read. */
  loadEvents: number
  /** Deliveries, sends or jobs of a round. */
  sends: number
  /** Calls of each kind of a round. */
  calls: number
  insertSeconds: number
  pacedSeconds: number
  historyRows: number
}

export const fullScale: Scale = {
  pairs: 5,
  events: 12_000,
  loadEvents: 200_000,
  sends: 20_000,
  calls: 8_000,
  insertSeconds: 2,
  pacedSeconds: 5,
  historyRows: 10_000_000,
}

/** Enough to see that everything works and that the rows are right; too little for a speed. */
export const quickScale: Scale = {
  pairs: 1,
  events: 1_000,
  loadEvents: 2_000,
  sends: 1_000,
  calls: 500,
  insertSeconds: 1,
  pacedSeconds: 2,
  historyRows: 20_000,
}

export type Bench = {
  scale: Scale
  databases: DatabaseServer
  say(line: string): void
  /** A part of the bench in a separate process, ended with the bench at the latest. @param entry module in this folder */
  start<C extends Calls>(entry: string): Remote<C>
}

/** @param profileDirectory where each process leaves a CPU profile when it ends */
export async function openBench(
  stack: AsyncDisposableStack,
  scale: Scale,
  profileDirectory: string | undefined,
): Promise<Bench> {
  const starting = startDatabaseServer()
  // An interrupted start is waited for, because a half-made server could not be found again.
  stack.defer(() =>
    starting.then(
      (server) => server[Symbol.asyncDispose](),
      () => {},
    ),
  )
  const databases = await starting
  const nodeArgs = profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]
  return {
    scale,
    databases,
    say: (line) => console.log(line),
    start: (entry) => stack.use(startRemote(entry, nodeArgs)),
  }
}

/** @param ms of `count` things @returns how many a second */
export function perSecond(count: number, ms: number): number {
  return (count * 1_000) / ms
}
