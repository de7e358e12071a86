// `causeway demo`: a world of its own, the whole story told in it, and nothing left behind.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../observe/log.ts'
import { forgetEmbedded } from '../store/embedded.ts'
import { tellStory } from './demo-story.ts'
import { untilToldToStop } from './signals.ts'
import { startWorld } from './world.ts'

export async function demo(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-demo-'))
  const interrupted = untilToldToStop().then(() => {
    throw new Error('stopped before the story was over')
  })
  try {
    const world = await startWorld({
      home,
      port: 0,
      sandboxPort: 0,
      log: createLog('error'),
      sandboxArgs: ['--kyc-decision-ms', '1000', '--deposit-step-ms', '200'],
    })
    try {
      await Promise.race([tellStory(world, (line) => console.log(line)), interrupted])
    } finally {
      await world.stop()
    }
  } finally {
    await forgetEmbedded(home)
    await rm(home, { recursive: true, force: true })
  }
}
