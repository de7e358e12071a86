// The victims of a chaos run, which come back after a while: the replicas and their database.

import { setTimeout as delay } from 'node:timers/promises'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import type { Deployment } from '../relay-world/deployment.ts'
import type { Chance } from '../rig/chance.ts'
import type { KillableDatabase } from '../rig/databases/embedded.ts'
import { startDespiteOutages } from '../rig/restart.ts'

export type Victims = AsyncDisposable & {
  /** A replica that runs, or that has just died: the provider does not know either. */
  baseUrl(): string
  /** Kills one that runs, and has it come back after `downMs`. @returns what was killed, or null when nothing runs */
  killOne(chance: Chance, downMs: number): Promise<string | null>
  /** Resolves when everything runs again. */
  allUp(): Promise<void>
}

type Victim = { name: string; isUp: boolean; kill(chance: Chance): Promise<void>; start(): Promise<void> }

export async function openVictims(
  deployment: Deployment,
  database: KillableDatabase,
  replicas: number,
): Promise<Victims> {
  const processes: ServeProcess[] = await Promise.all(Array.from({ length: replicas }, () => deployment.serve()))
  const servers = processes.map(
    (_, index): Victim => ({
      name: `replica ${index + 1}`,
      isUp: true,
      kill: async () => await processes[index]?.kill(),
      async start() {
        processes[index] = await startDespiteOutages(() => deployment.serve())
      },
    }),
  )
  const postgres: Victim = {
    name: 'the database',
    isUp: true,
    kill: (chance) => database.kill(chance.oneIn(2) ? 'crash' : 'immediate'),
    start: () => database.start(),
  }
  // As often the database as a replica.
  const victims = [...servers, postgres, postgres]
  const returns = new Set<Promise<void>>()
  const failures: unknown[] = []
  let asked = 0

  const comeBack = async (victim: Victim, downMs: number): Promise<void> => {
    await delay(downMs)
    await victim.start()
    victim.isUp = true
  }

  return {
    baseUrl: () => processes[asked++ % processes.length]?.url ?? '',
    async killOne(chance, downMs) {
      const running = victims.filter(({ isUp }) => isUp)
      if (running.length === 0) return null
      const victim = chance.pick(running)
      victim.isUp = false
      await victim.kill(chance)
      const back = comeBack(victim, downMs)
        .catch((error: unknown) => failures.push(error))
        .then(() => void returns.delete(back))
      returns.add(back)
      return victim.name
    },
    async allUp() {
      await Promise.all(returns)
      if (failures.length > 0) throw failures[0]
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(returns)
      await Promise.all(processes.map((one) => one.kill()))
    },
  }
}
