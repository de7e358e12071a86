// Kills with a later restart of the victim, as under a supervisor, while the load continues.

import { setTimeout as delay } from 'node:timers/promises'
import type { Death, Killable } from '../databases/database.ts'
import type { World } from '../world.ts'

/** A replica's place, or the database. */
export type Victim = number | 'database'

export type Absences = {
  /** Kills a victim once it runs, and has it come back after `downMs`. */
  kill(victim: Victim, downMs: number, death?: Death): Promise<void>
  /** Resolves when everything runs again. */
  allUp(): Promise<void>
}

export function absencesOf(world: World<Killable>): Absences {
  const victims: readonly Victim[] = [...world.replicas.keys(), 'database']
  /** By victim, its way back. */
  const returns = new Map<Victim, Promise<void>>()

  const killNow = async (victim: Victim, death: Death): Promise<() => Promise<void>> => {
    if (victim === 'database') {
      await world.database.kill(death)
      return () => world.database.start()
    }
    const replica = world.replicas[victim]
    if (!replica) throw new Error(`there is no replica ${victim}`)
    await replica.kill()
    return () => replica.restart()
  }
  const isRunning = (victim: Victim): boolean => !returns.has(victim)

  return {
    async kill(victim, downMs, death = 'crash') {
      await returns.get(victim)
      // If no other replica runs there is nothing to lose: on a slow machine kills come slower.
      while (!victims.some((other) => other !== 'database' && other !== victim && isRunning(other)))
        await Promise.race(returns.values())
      const back = Promise.withResolvers<void>()
      back.promise.catch(() => {}) // the caller that awaits it reports the error
      returns.set(victim, back.promise)
      const start = await killNow(victim, death)
      delay(downMs)
        .then(start)
        .then(() => void returns.delete(victim))
        .then(back.resolve, back.reject)
    },
    async allUp() {
      await Promise.all(returns.values())
    },
  }
}
