// `REUSE_PORT`: several processes of one machine behind one port, each a replica.

import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, test } from 'node:test'
import { runCli, stateFolder } from '../../cli/test/process.ts'
import { type ServeProcess, startServe } from './serve-process.ts'
import { openWorld, type World } from './world.ts'

let world: World
const processes: ServeProcess[] = []
before(async () => {
  world = await openWorld()
  processes.push(await startServe(world, { REUSE_PORT: 'on' }))
  const { port } = new URL(processes[0]?.url ?? '')
  processes.push(await startServe(world, { REUSE_PORT: 'on', PORT: port }))
})
after(async () => {
  for (const one of processes) await one.kill()
  await world.stop()
})

/** Sends a request on a new connection. @returns the process that responded */
function ask(): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const asked = get(new URL('/metrics', processes[0]?.url), { agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve(/^causeway_process_cpu_seconds_total\{process="(\d+)"\}/m.exec(text)?.[1])
    })
    asked.once('error', reject)
  })
}

async function answering(connections: number): Promise<Map<string | undefined, number>> {
  const counts = new Map<string | undefined, number>()
  for (let nth = 0; nth < connections; nth++) {
    const by = await ask()
    counts.set(by, (counts.get(by) ?? 0) + 1)
  }
  return counts
}

test('the connections go to both, the metrics say to which, and the other one takes all of them after a kill -9', async () => {
  const counts = await answering(100)
  assert.deepEqual([...counts.keys()].sort(), processes.map(({ pid }) => String(pid)).sort())
  for (const [by, count] of counts) assert.ok(count >= 20, `${by} got ${count} of 100`)
  const [first, second] = processes
  await first?.kill()
  assert.deepEqual([...(await answering(20)).keys()], [String(second?.pid)])
})

test('a port that is not to be shared is refused, and so is sharing without a database that all reach', async () => {
  const { port } = new URL(processes[0]?.url ?? '')
  await assert.rejects(startServe(world, { PORT: port }), /is already in use/)
  await using folder = await stateFolder()
  const alone = await runCli(['serve'], { CAUSEWAY_HOME: folder.path, PROVIDER_API_KEY: 'none', REUSE_PORT: 'on' })
  assert.equal(alone.code, 78)
  assert.match(alone.stderr, /REUSE_PORT is on and DATABASE_URL is not set/)
})
