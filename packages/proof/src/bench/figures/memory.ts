// P7: memory and processor time of a packed server at rest, and its memory after a load at the most.

import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openReceiver } from '../../../../server/test/receiver.ts'
import { openStage, send } from '../../cost-per-event/measure.ts'
import { readMemoryMib, ticksOfTree, ticksPerSecond } from '../../processor-time.ts'
import { openDeployment } from '../../relay-world/deployment.ts'
import type { Bench } from '../bench.ts'
import { type Measured, type Ratio, Rounds } from '../ratio.ts'

const cli = new URL('../../../../cli/', import.meta.url)
const restSeconds = 5
/** V8 looks every eight seconds whether a process allocates little. */
const calmSeconds = 30

export async function measureMemory(bench: Bench): Promise<Measured> {
  if (process.platform !== 'linux') return { ratios: [], speeds: [] } // memory and times are read from /proc
  const rounds = new Rounds()
  const { loadEvents } = bench.scale
  await measureServer(bench, rounds)
  const ratio = (name: string, part: string, what: string, atMost: number, unit: 'MiB' | '%' = 'MiB'): Ratio => ({
    id: 'P7',
    part,
    what,
    goal: { atMost, unit },
    figures: rounds.of(name),
  })
  const events = loadEvents.toLocaleString('en')
  return {
    ratios: [
      ratio('memory', 'at rest', 'memory of a packed server that has nothing to do (RSS)', 150),
      ratio('idle', 'idle CPU', 'processor time of the same', 1, '%'),
      ratio('loaded', 'loaded', `memory of the same after ${events} events at the most`, 450),
      ratio('calm', 'after load', `the same, ${calmSeconds} s later`, 220),
    ],
    speeds: [],
  }
}

/** For the packed command line of the image, because sources are compiled in memory at each start. */
async function measureServer({ databases, scale }: Bench, rounds: Rounds): Promise<void> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('scripts/build.js', cli))])
  const command = [process.execPath, fileURLToPath(new URL('dist/bin/causeway.js', cli))] as const
  await using database = await databases.create('rest')
  await using deployment = await openDeployment(database.connection, {})
  await using receiver = await openReceiver()
  await using server = await deployment.serve({}, { command })
  for (let round = 0; round < scale.pairs; round++) {
    await delay(restSeconds * 1_000) // the first round begins when the work of the start is over
    const before = ticksOfTree(server.pid)
    await delay(restSeconds * 1_000)
    rounds.note('idle', ((ticksOfTree(server.pid) - before) * 100) / (restSeconds * ticksPerSecond))
    rounds.note('memory', readMemoryMib(server.pid))
  }
  const stage = await openStage(deployment, receiver, [server])
  // In parts: the load holds the events of one part, and signs them while the server rests for a moment.
  for (let sent = 0; sent < scale.loadEvents; sent += scale.events)
    await send(stage, 0, Math.min(scale.events, scale.loadEvents - sent))
  rounds.note('loaded', readMemoryMib(server.pid))
  await delay(calmSeconds * 1_000)
  rounds.note('calm', readMemoryMib(server.pid))
}
