// `causeway demo`: runs the demo in a temporary environment and deletes it afterwards.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import { stopRequested } from '../../../server/src/process/signals.ts'
import { startWorld } from '../world/world.ts'
import { runStory } from './story.ts'

export async function demo(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-demo-'))
  const interrupted = stopRequested().then(() => {
    throw new Error('Stopped before the demo was complete.')
  })
  interrupted.catch(() => {}) // a request during the start: the race below rejects
  try {
    const world = await startWorld({
      home,
      port: 0,
      sandboxPort: 0,
      log: createLog('error'),
      sandboxArgs: ['--strict-agreements', '--kyc-decision-ms', '1000', '--deposit-step-ms', '200'],
    })
    try {
      await Promise.race([runStory(world, (line) => console.log(line)), interrupted])
    } finally {
      await world.stop()
    }
  } finally {
    await forgetEmbedded(home)
    await rm(home, { recursive: true, force: true })
  }
}
