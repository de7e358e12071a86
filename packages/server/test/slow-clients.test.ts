// Callers that hold connections instead of using them: slow to send, never done, never reading, far too many. Each is ended
// within its time, and nobody else waits for it. The times are cut to a tenth here; the first test holds the real ones.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import * as limits from '../src/platform/http/limits.ts'
import { until } from './caller.ts'
import { edgeServer } from './http/edge-server.ts'

/** The server looks for connections that are over their time this often. */
const checkMs = 2_000
const timesMs = { headers: 1_500, request: 4_000, keepAlive: 3_000, silent: 5_000, linger: 2_000 }
/** On a busy machine a check comes late. */
const marginMs = 3_000

let counted = 0
const large = 'x'.repeat(512 * 1024)
const edge = await edgeServer({
  refusedBody: { ...limits.refusedBody, lingerMs: timesMs.linger },
  routes(app) {
    app.post('/v0/things', { config: { auth: 'none' } }, () => ({ data: 'made' }))
    app.get('/v0/counted', { config: { auth: 'none' } }, () => ({ data: ++counted }))
    app.get('/v0/large', { config: { auth: 'none' } }, () => ({ data: large }))
  },
})
after(() => edge.stop())
const { server } = edge.app

test('the times are those that the documents name', () => {
  assert.equal(server.headersTimeout, limits.headersTimeoutMs)
  assert.equal(server.requestTimeout, limits.requestTimeoutMs)
  assert.equal(server.keepAliveTimeout, limits.keepAliveTimeoutMs)
  assert.equal(server.timeout, limits.silentConnectionMs)
  assert.equal(server.maxConnections, limits.connectionsMax)
  Object.assign(server, {
    headersTimeout: timesMs.headers,
    requestTimeout: timesMs.request,
    keepAliveTimeout: timesMs.keepAlive,
    timeout: timesMs.silent,
  })
})

type Client = { socket: Socket; heard(): string; closed: Promise<unknown>; sinceMs(): number }

function client(): Client {
  const begun = performance.now()
  const socket = connect(edge.port, '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  socket.on('error', () => {}) // a reset is an end, too
  const closed = new Promise((resolve) => socket.on('close', resolve))
  return { socket, heard: () => heard, closed, sinceMs: () => performance.now() - begun }
}

/** One byte at a time, until the other side has had enough. */
async function drip({ socket }: Client, text: string, everyMs: number): Promise<void> {
  for (let at = 0; !socket.destroyed && socket.writable; at++) {
    socket.write(text[at % text.length] ?? 'x')
    await delay(everyMs)
  }
}

async function endsWithin(slow: Client, ms: number): Promise<void> {
  const late = AbortSignal.timeout(ms + checkMs + marginMs)
  await Promise.race([
    slow.closed,
    once(late, 'abort').then(() => assert.fail(`it was still open after ${slow.sinceMs()} ms`)),
  ])
  slow.socket.destroy()
}

const postHead = (headers: string) =>
  `POST /v0/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`

test('headers that come byte by byte end in 408', async () => {
  const slow = client()
  slow.socket.write('GET /healthz HTTP/1.1\r\nX: ')
  const dripping = drip(slow, 'x', 50)
  await endsWithin(slow, timesMs.headers)
  await dripping
  assert.match(slow.heard(), /^HTTP\/1\.1 408 /)
  assert.ok(slow.sinceMs() >= timesMs.headers)
})

test('a body that comes byte by byte ends in 408, with a length and without', async () => {
  const begin = (head: string, text: string) => {
    const slow = client()
    slow.socket.write(head)
    return { slow, dripping: drip(slow, text, 50) }
  }
  const bodies = [
    begin(postHead('Content-Length: 100000'), ' '),
    begin(postHead('Transfer-Encoding: chunked'), '1\r\nx\r\n'),
  ]
  for (const { slow, dripping } of bodies) {
    await endsWithin(slow, timesMs.request)
    await dripping
    assert.match(slow.heard(), /^HTTP\/1\.1 408 /)
    assert.match(slow.heard(), /"requestId":"req_/)
  }
})

test('a body that never ends, as fast as it can be sent, ends at the limit and is then cut off', async () => {
  const flood = client()
  flood.socket.write(postHead('Transfer-Encoding: chunked'))
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  const pouring = (async () => {
    while (!flood.socket.destroyed && flood.socket.writable) {
      if (!flood.socket.write(chunk))
        await Promise.race([new Promise((resolve) => flood.socket.once('drain', resolve)), flood.closed])
    }
  })()
  await endsWithin(flood, timesMs.linger)
  await pouring
  assert.match(flood.heard(), /^HTTP\/1\.1 413 /)
})

test('500 connections that send nothing are closed, and so are 100 that were answered and then fall silent', async () => {
  const silent = Array.from({ length: 500 }, client)
  const answered = Array.from({ length: 100 }, client)
  for (const { socket } of answered) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await until('the answers', () => answered.every(({ heard }) => heard().includes('"ok"')))
  await Promise.all(silent.map((each) => endsWithin(each, timesMs.headers)))
  await Promise.all(answered.map((each) => endsWithin(each, timesMs.keepAlive)))
})

test('a caller that asks for a thousand large answers and reads none gets few of them made, and is closed', async () => {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const deaf = client()
  deaf.socket.pause()
  deaf.socket.write('GET /v0/large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))
  const connections = async () =>
    await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await until('the connection', async () => (await connections()) === 1)
  await delay(500) // long enough for all thousand to be made, 512 MiB of them
  const grownMiB = (process.memoryUsage().rss - before) / 1024 / 1024
  assert.ok(grownMiB < 128, `${grownMiB} MiB for what nobody reads`)
  await until('the end', async () => (await connections()) === 0, timesMs.silent + checkMs + marginMs)
  deaf.socket.destroy()
})

test('pipelined requests take turns with those of other connections', async () => {
  const [flood, other] = [client(), client()]
  await Promise.all([flood, other].map(({ socket }) => once(socket, 'connect')))
  const counting = 'GET /v0/counted HTTP/1.1\r\nHost: x\r\n\r\n'
  flood.socket.write(counting.repeat(1_000))
  other.socket.write(counting)
  const own = await until('the other response', () => /"data":(\d+)/.exec(other.heard())?.[1])
  assert.ok(Number(own) < 100, `${own} requests were served first`)
  await until('all responses', () => counted === 1_001)
  for (const { socket } of [flood, other]) socket.destroy()
})

test('pipelined floods, and hundreds of slow callers, make nobody else wait', async () => {
  // A stall of this machine is longer than the times above, and Node looks at its timers before it reads.
  Object.assign(server, {
    headersTimeout: limits.headersTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    timeout: limits.silentConnectionMs,
  })
  const calm = await medianMs(100)
  const floods = Array.from({ length: 10 }, client)
  const slow = Array.from({ length: 300 }, client)
  for (const { socket } of slow) socket.write(`${postHead('Content-Length: 100000')}{`)
  for (const { socket } of floods) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000))
  const during = await medianMs(100)
  assert.ok(during < calm * 10 + 50, `${during} ms instead of ${calm} ms`)
  await until('all answers', () => floods.every(({ heard }) => heard().split('"ok"').length - 1 === 2_000), 60_000)
  for (const { socket } of [...floods, ...slow]) socket.destroy()
  assert.equal((await edge.call('GET', '/healthz')).status, 200)
})

async function medianMs(count: number): Promise<number> {
  const times: number[] = []
  for (let sent = 0; sent < count; sent++) {
    const begun = performance.now()
    assert.equal((await edge.call('GET', '/healthz')).status, 200)
    times.push(performance.now() - begun)
  }
  return times.sort((one, other) => one - other)[count >> 1] ?? 0
}
