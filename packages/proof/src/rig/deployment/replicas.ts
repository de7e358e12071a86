// The replicas of a world, behind its route: added and removed as an orchestrator does.

import type { Replica, ReplicaChange, World } from '../world.ts'
import { type ReplicaStart, type StartedReplica, startReplica } from './replica.ts'
import type { Route } from './route.ts'

export type Replicas = Pick<World<never>, 'replicas' | 'addReplica' | 'removeReplica' | 'unexpected'> & {
  heal(): Promise<void>
}

/** @param startOf what the replica with this index starts with */
export async function openReplicas(
  count: number,
  route: Route,
  startOf: (index: number) => Promise<ReplicaStart>,
  stack: AsyncDisposableStack,
): Promise<Replicas> {
  const all: StartedReplica[] = []
  const replicas: StartedReplica[] = []
  let indexes = 0

  const add = async ({ isRouted = true, ...change }: ReplicaChange = {}): Promise<StartedReplica> => {
    const index = indexes++
    const start = await startOf(index)
    const replica = await startReplica(`replica ${index + 1}`, { ...start, ...change })
    stack.use(replica)
    all.push(replica)
    if (!isRouted) return replica
    replicas.push(replica)
    await route.add(replica)
    return replica
  }
  if (count > 0) await add() // the first one makes the schema
  await Promise.all(Array.from({ length: Math.max(0, count - 1) }, () => add()))
  replicas.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
  return {
    replicas,
    addReplica: add,
    async removeReplica(replica: Replica, limitMs) {
      const exitCode = await replica.terminate(limitMs)
      route.remove(replica)
      replicas.splice(
        replicas.findIndex(({ url }) => url === replica.url),
        1,
      )
      return exitCode
    },
    unexpected: () => all.flatMap((one) => [...one.logged('unexpected error'), ...one.unexpectedEnds()]),
    async heal() {
      await Promise.all(replicas.map((replica) => replica.heal()))
    },
  }
}
