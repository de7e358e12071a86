// Shutdown of a server: in order, bounded, and the process ends with 0.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, until } from './caller.ts'
import { type ServeProcess, startServe } from './serve-process.ts'
import { openWorld, type World } from './world.ts'

let world: World
before(async () => {
  world = await openWorld({ alone: true })
})
after(() => world.stop())

/** The statuses of a path, one request after another, until there is no response. */
async function statusesOf(replica: ServeProcess, path: string): Promise<(number | 'refused')[]> {
  const seen: (number | 'refused')[] = []
  await until('the end', async () => {
    const status = await request('GET', `${replica.url}${path}`).then(
      (answer) => answer.status,
      () => 'refused' as const,
    )
    if (seen.at(-1) !== status) seen.push(status)
    return status === 'refused'
  })
  return seen
}

test('SIGTERM: not ready first, still answering for a while, then nobody listens and the process ends with 0', async () => {
  await using replica = await startServe(world, { SHUTDOWN_DELAY_MS: '1000' })
  assert.equal((await request('GET', `${replica.url}/readyz`)).status, 200)
  const ended = replica.terminate()
  const [ready, alive] = await Promise.all([statusesOf(replica, '/readyz'), statusesOf(replica, '/healthz')])
  // While closing, a connection made at this very moment may still get the response.
  assert.deepEqual(ready.slice(ready[0] === 200 ? 1 : 0), [503, 'refused'])
  assert.equal(alive[0], 200)
  assert.equal(await ended, 0)
})

test('SIGTERM lets a long-poll end with its answer', async () => {
  await using replica = await startServe(world, { SHUTDOWN_DELAY_MS: '200' })
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const polled = request('GET', `${replica.url}/v0/events?after=now&wait=30`, undefined, { headers })
  // The request has arrived once the replica has responded to a later one.
  await request('GET', `${replica.url}/healthz`)
  assert.equal(await replica.terminate(), 0)
  const answer = await polled
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'])
})

test('a part that never ends is left as it was, and the parts after it are still stopped', async () => {
  const logLines: string[] = []
  const replica = await world.replica({ log: (line) => logLines.push(line) })
  const close = replica.inside.provider.close
  replica.inside.provider.close = () => new Promise(() => {})
  const startedAt = performance.now()
  await replica.stop()
  assert.ok(performance.now() - startedAt < 10_000)
  const left = logLines.map((line) => JSON.parse(line)).filter(({ part }) => part !== undefined)
  assert.deepEqual(
    left.map(({ part, err }) => [part, err.message]),
    [['provider', 'it took too long']],
  )
  await assert.rejects(
    replica.inside.db.read((query) => query`select 1`),
    'the database was closed after it',
  )
  await close()
})
