// The replicas behind the load balancer, replaced one after the other as an orchestrator does it: the new one first.

import type { ServeProcess } from '../../../server/test/serve-process.ts'
import type { Balancer } from '../relay-world/balancer.ts'
import type { Fleet } from './world.ts'

export type Replicas = AsyncDisposable & {
  begin(packed: string): Promise<void>
  /** Replaces every replica, under a load that goes on for a while between two. */
  replaceAll(packed: string, afterEach: () => Promise<void>): Promise<void>
  figures(): { replaced: number; badExits: number; slowestStopMs: number }
}

/** Its own bounds are far above: a stop that takes so long hangs. */
const stopMsMax = 10_000

export function openReplicas(fleet: Fleet, balancer: Balancer): Replicas {
  const running: ServeProcess[] = []
  const figures = { replaced: 0, badExits: 0, slowestStopMs: 0 }

  const begin = async (packed: string): Promise<void> => {
    const replica = await fleet.serve(packed)
    running.push(replica)
    await balancer.add(replica.url)
  }
  const end = async (replica: ServeProcess): Promise<void> => {
    const toldAt = performance.now()
    const exitCode = await Promise.race([replica.terminate(), late()])
    figures.slowestStopMs = Math.max(figures.slowestStopMs, Math.round(performance.now() - toldAt))
    if (exitCode === 'late') await replica.kill()
    balancer.remove(replica.url)
    if (exitCode !== 0) figures.badExits += 1
  }
  return {
    begin,
    async replaceAll(packed, afterEach) {
      for (const old of [...running]) {
        await begin(packed)
        running.splice(running.indexOf(old), 1)
        await end(old)
        figures.replaced += 1
        await afterEach()
      }
    },
    figures: () => ({ ...figures }),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((replica) => replica.kill()))
    },
  }
}

function late(): Promise<'late'> {
  return new Promise((resolve) => setTimeout(() => resolve('late'), stopMsMax).unref())
}
