// Does the work of systemd for PostgreSQL: restarts it one second after it ends, until it stays up.

import { setTimeout as delay } from 'node:timers/promises'
import type { DebianPostgres } from './debian.ts'

export type Supervisor = AsyncDisposable & {
  /** How often the server ended without a command, including failed starts. */
  ends(): number
}

const restartMs = 1_000

export function supervise(postgres: DebianPostgres): Supervisor {
  let ends = 0
  const over = Promise.withResolvers<'over'>()
  const watch = async (): Promise<void> => {
    while ((await Promise.race([postgres.ended(), over.promise])) !== 'over') {
      ends += 1
      if ((await Promise.race([delay(restartMs), over.promise])) === 'over') return
      // A start that fails ends as well, and is counted by the next round.
      if (!postgres.isRunning()) await postgres.start().catch(() => {})
    }
  }
  const watching = watch()
  return {
    ends: () => ends,
    async [Symbol.asyncDispose]() {
      over.resolve('over')
      await watching
    },
  }
}
