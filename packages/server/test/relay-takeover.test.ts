// How long a lane waits when its holder dies, and the outcome of a send that outlasts the lease. With the timeouts of a
// deployment.

import assert from 'node:assert/strict'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { stateFolder } from '../../cli/test/process.ts'
import { joinHost } from '../src/app/host-replicas.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { leaseMs } from '../src/webhooks/delivery/lease.ts'
import { until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
const [first, second, third] = [await world.subscriber(), await world.subscriber(), await world.subscriber()]
// No other replica takes part than those that the tests start.
await world.server.stop()
after(async () => {
  for (const subscriber of [first, second, third]) await subscriber[Symbol.asyncDispose]()
  await world.stop()
})

const takeoverMsMax = 5_000

test('after kill -9 of the holder another replica delivers within 5 s, and nothing twice', async () => {
  const { receiver } = first
  await using holder = await startServe(world)
  await world.post(first.event(), { at: holder.url })
  await until('the first event', () => receiver.seen.length === 1)
  await using survivor = await startServe(world)
  await holder.kill()
  const killedAtMs = performance.now()
  assert.equal((await world.post(first.event(), { at: survivor.url })).status, 200)
  await until('the event after the kill', () => receiver.seen.length === 2)
  const tookMs = Math.round((receiver.seen[1]?.atMs ?? 0) - killedAtMs)
  assert.ok(tookMs < takeoverMsMax, `it took ${tookMs} ms`)
})

test('a replica that is started again on its host takes its lanes back at once, whatever its lease says', async () => {
  const { receiver } = third
  await using home = await stateFolder()
  const start = () => startServe(world, { CAUSEWAY_HOME: home.path })
  const dying = await start()
  await world.post(third.event(), { at: dying.url })
  await until('the first event', () => receiver.seen.length === 1)
  await dying.kill()
  const db = openDatabase(world.database, { poolMax: 1 })
  await db.statement((query) => query`update relay_owners set lease_until = now() + interval '1 hour'`)
  await db.close()
  await using successor = await start()
  const next = third.event()
  await world.post(next, { at: successor.url })
  // The first event comes again where its sender died before it had written what became of it.
  await until('the next event', () => receiver.seen.some(({ body }) => body.includes(next.event_id)))
})

test('replicas of one host that live, or have ended in order, are not taken for dead', async () => {
  await using home = await stateFolder()
  const one = await joinHost(home.path, 'one')
  const two = await joinHost(home.path, 'two')
  await one.close()
  const three = await joinHost(home.path, 'three')
  assert.deepEqual([one.dead, two.dead, three.dead], [[], [], []])
  await Promise.all([two.close(), three.close()])
  await assert.rejects(joinHost(`${home.path}/none`, 'four'), { code: 'ENOENT' })
})

test('a dead replica is found however long the path of the state folder is', async (t) => {
  if (process.platform !== 'linux') return t.skip('a folder is reached by its descriptor on Linux only')
  await using home = await stateFolder()
  const long = join(home.path, 'long'.repeat(25))
  await mkdir(long)
  await using dying = await startServe(world, { CAUSEWAY_HOME: long })
  const [socket = ''] = await readdir(join(long, 'replicas'))
  await dying.kill()
  const next = await joinHost(long, 'next')
  assert.deepEqual(next.dead, [socket.replace(/^[0-9a-f]{8}-(.*)\.sock$/, '$1')])
  await next.close()
  assert.deepEqual(await readdir(join(long, 'replicas')), [])
})

test('a send that runs when the lease ends unrenewed is ended with it, uses up no attempt, and is made again', async () => {
  const { receiver } = second
  await using link = await databaseLink(world.database)
  await using replica = await world.replica({ database: link.connection })
  let endedAtMs = 0
  receiver.reply = () =>
    receiver.seen.length > 1
      ? 200
      : (request) => void request.socket.once('close', () => (endedAtMs = performance.now()))
  await world.post(second.event(), { at: replica.url })
  await until('the first send', () => receiver.seen.length === 1)
  const cutAtMs = performance.now()
  link.cut()
  await until('the end of the send', () => endedAtMs > 0)
  assert.ok(endedAtMs - cutAtMs < leaseMs, `it ended after ${Math.round(endedAtMs - cutAtMs)} ms`)
  // Its lane rests for a second. After that nothing is sent either: there is no lease.
  await delay(1_500)
  assert.equal(receiver.seen.length, 1)
  link.restore()
  await until('the second send', () => receiver.seen.length === 2)
  assert.deepEqual(
    receiver.seen.map(({ headers }) => headers['svc-attempt']),
    ['1', '1'],
  )
})
