// The fault proxy itself: each fault does what it says, to the bytes and connections it is meant for, and heals.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { openClient } from '../../server/src/platform/postgres/client.ts'
import { openDatabase } from '../../server/src/platform/postgres/db.ts'
import { until } from '../../server/test/caller.ts'
import { testDatabase } from '../../server/test/test-database.ts'
import { type FaultProxy, openFaultProxy } from '../src/rig/network/proxy.ts'

/** Says back what it hears. */
const accepted: Socket[] = []
const echo = createServer((socket) => {
  accepted.push(socket)
  socket.on('error', () => {})
  socket.pipe(socket)
})
await new Promise<void>((listening) => echo.listen(0, '127.0.0.1', listening))
const proxy = await openFaultProxy({
  target: () => ({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port }),
})
after(async () => {
  await proxy[Symbol.asyncDispose]()
  for (const socket of accepted) socket.destroy()
  echo.close()
})

type Caller = { socket: Socket; heard: () => string; ended: () => string | null }

async function call(to: FaultProxy): Promise<Caller> {
  const socket = connect(to.port, to.host)
  let heard = ''
  let ended: string | null = null
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    ended = error.code ?? 'error'
  })
  socket.on('end', () => {
    ended ??= 'end'
  })
  await once(socket, 'connect')
  return { socket, heard: () => heard, ended: () => ended }
}

async function sound(): Promise<Caller> {
  const caller = await call(proxy)
  caller.socket.write('hello')
  await until('the echo', () => caller.heard() === 'hello')
  return caller
}

async function quiet(ms = 120): Promise<void> {
  await new Promise((over) => setTimeout(over, ms))
}

test('without a fault everything passes, the end included', async () => {
  const caller = await sound()
  const large = 'x'.repeat(3_000_000)
  caller.socket.end(large)
  await until('all of it', () => caller.heard().length === 5 + large.length)
  await until('the end', () => caller.ended() === 'end')
})

test('latency delays, and never reorders', async () => {
  const caller = await sound()
  await proxy.set({ kind: 'latency', ms: 40, jitterMs: 60 })
  const begunMs = performance.now()
  for (let at = 0; at < 10; at++) caller.socket.write(String(at))
  await until('the echo', () => caller.heard() === 'hello0123456789')
  assert.ok(performance.now() - begunMs >= 80, 'there and back')
  await proxy.heal()
})

test('bandwidth is kept to', async () => {
  const caller = await sound()
  await proxy.set({ kind: 'bandwidth', bytesPerSecond: 10_000 })
  const begunMs = performance.now()
  caller.socket.write('x'.repeat(3_000))
  await until('the echo', () => caller.heard().length === 3_005)
  const tookMs = performance.now() - begunMs
  assert.ok(tookMs >= 280, `${tookMs} ms`)
  await proxy.heal()
})

for (const direction of ['toServer', 'toClient'] as const) {
  test(`a cut ${direction} lets exactly so many bytes pass`, async () => {
    const caller = await sound()
    await proxy.set({ kind: 'cut', direction, afterBytes: 3 }, 'standing')
    caller.socket.write('abcdef')
    await until('the cut', () => caller.ended() !== null)
    assert.equal(caller.heard(), direction === 'toClient' ? 'helloabc' : 'hello')
    assert.equal(proxy.struck(), 1)
    await sound()
    await proxy.heal()
  })
}

test('a stalled line holds everything back, and loses nothing', async () => {
  const caller = await sound()
  await proxy.set({ kind: 'stall' })
  caller.socket.write('later')
  await quiet()
  assert.equal(caller.heard(), 'hello')
  await proxy.heal()
  await until('the rest', () => caller.heard() === 'hellolater')
})

test('a black hole takes everything and passes nothing; healed, what lost bytes is reset, and the next is sound', async () => {
  const before = await sound()
  await proxy.set({ kind: 'blackHole' })
  const during = await call(proxy)
  for (const { socket } of [before, during]) socket.write('gone')
  await quiet()
  assert.deepEqual([before.heard(), before.ended(), during.heard(), during.ended()], ['hello', null, '', null])
  await proxy.heal()
  await until('the resets', () => before.ended() === 'ECONNRESET' && during.ended() === 'ECONNRESET')
  await sound()
})

test('a fault for new connections leaves those that stand alone, and the other way round', async () => {
  const standing = await sound()
  await proxy.set({ kind: 'blackHole' }, 'new')
  const late = await call(proxy)
  for (const { socket } of [standing, late]) socket.write('!')
  await until('the echo', () => standing.heard() === 'hello!')
  assert.equal(late.heard(), '')
  await proxy.heal()
  const other = await sound()
  await proxy.set({ kind: 'reset' }, 'standing')
  await until('the reset', () => other.ended() === 'ECONNRESET')
  await sound()
  await proxy.heal()
})

test('one connection of several can be given a fault of its own', async () => {
  await proxy.set({ kind: 'reset' })
  await until('nobody', () => proxy.connections().length === 0)
  await proxy.heal()
  const callers = [await sound(), await sound()]
  proxy.connections()[0]?.set({ kind: 'reset' })
  await until('the reset', () => callers[0]?.ended() === 'ECONNRESET')
  callers[1]?.socket.write('!')
  await until('the echo', () => callers[1]?.heard() === 'hello!')
})

test('half-open: one side is closed, and the other hears nothing of it', async () => {
  const caller = await sound()
  const server = accepted.at(-1)
  await proxy.set({ kind: 'halfOpen', closed: 'server' }, 'standing')
  await until('its end', () => server?.destroyed)
  caller.socket.write('anybody?')
  await quiet()
  assert.deepEqual([caller.heard(), caller.ended()], ['hello', null])
  await proxy.heal()
  await until('the reset', () => caller.ended() === 'ECONNRESET')
})

test('refuse: nobody listens, what stands goes on; healed, it is the same port', async () => {
  const caller = await sound()
  await proxy.set({ kind: 'refuse' })
  await assert.rejects(call(proxy), { code: 'ECONNREFUSED' })
  caller.socket.write('!')
  await until('the echo', () => caller.heard() === 'hello!')
  await proxy.heal()
  await sound()
})

const database = await testDatabase()
const line = await openFaultProxy({ target: () => database.connection, speaksPostgres: true })
after(async () => {
  await line[Symbol.asyncDispose]()
  await database.drop()
})

for (const arrives of [true, false]) {
  test(`a connection reset at COMMIT, which ${arrives ? 'arrived' : 'did not arrive'}: ${arrives ? 'done' : 'not done'}, and nobody is told`, async () => {
    const db = openDatabase({ ...database.connection, host: line.host, port: line.port }, { poolMax: 3 })
    const direct = await openClient(database.connection, { applicationName: 'test' })
    await direct.query`create table if not exists marks (n int)`
    await direct.query`truncate marks`
    await line.set({ kind: 'commit', arrives, of: 'insert into marks' })
    await db.transaction((tx) => tx`select 1`)
    assert.equal(line.struck(), 0, 'another transaction is left alone')
    const write = (n: number) => db.transaction((tx) => tx`insert into marks values (${n})`)
    await assert.rejects(write(1), { code: 'database_unavailable' })
    await until('what became of it', () => line.struck() === 1)
    await until('the rows', async () => (await direct.query`select n from marks`).length === (arrives ? 1 : 0))
    await write(2)
    await line.heal()
    await Promise.all([db.close(), direct.close()])
  })
}
