// The victims of a chaos run: replicas, each with its own connection to the database, and the database. All come back.

import { setTimeout as delay } from 'node:timers/promises'
import type { ServeProcess } from '../../../server/test/serve-process.ts'
import type { Death, KillableDatabase } from '../rig/databases/embedded.ts'
import type { FaultProxy } from '../rig/network/proxy.ts'
import { startDespiteOutages } from '../rig/restart.ts'

export type Victims = AsyncDisposable & {
  /** A replica that runs, or that has just died: callers and the provider do not know either. */
  baseUrl(): string
  /** Kills it once it runs and one more replica does, and has it come back after `downMs`. */
  kill(victim: number | 'database', death: Death, downMs: number): Promise<void>
  /** Resolves when everything runs again. */
  allUp(): Promise<void>
}

export async function openVictims(
  database: KillableDatabase,
  lines: readonly FaultProxy[],
  serve: (through: FaultProxy) => Promise<ServeProcess>,
): Promise<Victims> {
  const processes = await Promise.all(lines.map(serve))
  const isUp = lines.map(() => true)
  /** By victim, its way back; each starts where the one before ended. */
  const returns = new Map<number | 'database', Promise<void>>()
  let asked = 0

  const killAndReturn = async (victim: number | 'database', death: Death, downMs: number) => {
    if (victim === 'database') {
      await database.kill(death)
      return async () => {
        await delay(downMs)
        await database.start()
      }
    }
    const line = lines[victim]
    if (!line) throw new Error(`there is no replica ${victim}`)
    isUp[victim] = false
    await processes[victim]?.kill()
    return async () => {
      await delay(downMs)
      processes[victim] = await startDespiteOutages(() => serve(line))
      isUp[victim] = true
    }
  }

  return {
    baseUrl: () => processes[asked++ % processes.length]?.url ?? '',
    async kill(victim, death, downMs) {
      await returns.get(victim)
      // Where nobody runs there is nothing to lose: on a slow machine the kills come slower.
      while (!isUp.some((up, at) => up && at !== victim)) await Promise.race(returns.values())
      const back = (await killAndReturn(victim, death, downMs))()
      const over = back.then(() => void returns.delete(victim))
      over.catch(() => {}) // the code that awaits it reports the error
      returns.set(victim, over)
    },
    async allUp() {
      await Promise.all(returns.values())
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(returns.values())
      await Promise.all(processes.map((one) => one.kill()))
    },
  }
}
