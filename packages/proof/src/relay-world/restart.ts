// A server does not start without its database: its supervisor tries again.

import { setTimeout as delay } from 'node:timers/promises'
import type { ServeProcess } from '../../../server/test/serve-process.ts'

const startTriesMax = 60
const startPauseMs = 250

export async function startDespiteOutages(start: () => Promise<ServeProcess>): Promise<ServeProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await start()
    } catch (error) {
      if (tries === startTriesMax) throw error
      await delay(startPauseMs)
    }
  }
}
