// The sender against a receiver that responds in every way HTTP allows; hostile receivers are in
// sender-hostile.test.ts.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterEach, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { SendOutcome } from './exchange.ts'
import { createSender, type SenderOptions } from './sender.ts'

type Closing = () => Promise<unknown>
let closing: Closing[] = []

afterEach(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
})

function sender(options: Partial<SenderOptions> = {}) {
  const made = createSender({ allowLoopback: true, timeoutMs: 5_000, ...options })
  closing.push(made.close)
  return made
}

async function receiver(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** Holds its responses until the test releases them; `requested` resolves with the first request. */
async function heldReceiver() {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  const seen: string[] = []
  const held: ServerResponse[] = []
  const { url } = await receiver((request, answer) => {
    seen.push(request.url ?? '')
    held.push(answer)
    resolve()
  })
  const answer = () => {
    for (const response of held.splice(0)) response.end()
  }
  return { url, requested, seen, answer }
}

/** Never responds at `/silent`; `held(count)` resolves when that many requests are waiting there. */
async function silentReceiver() {
  let waiting = 0
  const { promise: isFull, resolve } = Promise.withResolvers<void>()
  let awaited = Number.POSITIVE_INFINITY
  const look = () => waiting >= awaited && resolve()
  const { url } = await receiver((request, answer) => {
    if (request.url !== '/silent') return void answer.end()
    waiting += 1
    look()
  })
  const held = (count: number) => {
    awaited = count
    look()
    return isFull
  }
  return { url, held }
}

const body = Buffer.from('{"event_id":"evt_1","name":"é漢😀"}')
const post = { businessId: 'cus_1', headers: { 'content-type': 'application/json' }, body }

function response(outcome: SendOutcome) {
  assert.equal(outcome.kind, 'response')
  return outcome
}

describe('a request', () => {
  test('carries the bytes, the headers and the path as they were given', async () => {
    const seen: { request: IncomingMessage; text: string }[] = []
    const { url } = await receiver(async (request, answer) => {
      seen.push({ request, text: await readText(request) })
      answer.end()
    })
    const headers = { 'content-type': 'application/json', 'svc-event-type': 'a', 'user-agent': 'Causeway/1.2.3' }
    response(await sender().send({ businessId: 'cus_1', url: `${url}/hook/%C3%A9?a=b&c`, headers, body }))
    const [{ request, text } = assert.fail('no request')] = seen
    assert.equal(text, body.toString())
    assert.equal(request.method, 'POST')
    assert.equal(request.url, '/hook/%C3%A9?a=b&c')
    assert.equal(request.headers.host, new URL(url).host)
    assert.equal(request.headers['content-length'], String(body.length))
    assert.equal(request.headers['svc-event-type'], 'a')
    assert.equal(request.headers['user-agent'], 'Causeway/1.2.3')
    assert.equal(request.headers['accept-encoding'], undefined)
  })

  test('that could not be written at all is a mistake of the caller and is thrown', async () => {
    const { url } = await receiver((_, answer) => answer.end())
    await assert.rejects(sender().send({ ...post, url: 'not a url' }))
    await assert.rejects(sender().send({ ...post, url, headers: { 'x-bad': 'a\r\nb: c' } }))
    await assert.rejects(sender().send({ ...post, url, headers: { 'content-length': '1' } }))
  })
})

describe('an answer', () => {
  test('of any status is a response; only 410 says to stop', async () => {
    const { url } = await receiver((request, answer) => {
      answer.statusCode = Number(request.url?.slice(1))
      answer.end()
    })
    const { send } = sender()
    for (const status of [200, 204, 299, 301, 304, 307, 400, 404, 410, 429, 500, 503, 599]) {
      const outcome = response(await send({ url: `${url}/${status}`, ...post }))
      assert.deepEqual([outcome.status, outcome.isGone], [status, status === 410])
    }
  })

  test('that redirects is not followed', async () => {
    const seen: string[] = []
    const { url } = await receiver((request, answer) => {
      seen.push(request.url ?? '')
      answer.writeHead(302, { location: '/canary' }).end()
    })
    assert.equal(response(await sender().send({ url: `${url}/hook`, ...post })).status, 302)
    assert.deepEqual(seen, ['/hook'])
  })

  test('is kept to its first 4 KiB, as text that is safe to store and show', async () => {
    const { url } = await receiver((_, answer) => answer.end(`a\0b\x1b[31m${'x'.repeat(60_000)}`))
    const { responseBody } = response(await sender().send({ url, ...post }))
    assert.ok(responseBody.startsWith('a\uFFFDb\uFFFD[31mxxx'))
    assert.ok(Buffer.byteLength(responseBody) <= 4_096 && responseBody.length > 4_000)
  })

  test('that is compressed is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20 << 20))
    assert.ok(bomb.length < 65_536)
    const { url } = await receiver((_, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const { status, responseBody } = response(await sender().send({ url, ...post }))
    assert.deepEqual([status, responseBody], [200, '(compressed, not shown)'])
  })

  test('may ask to be tried again later', async () => {
    const { url } = await receiver((request, answer) => {
      const value = decodeURIComponent(request.url?.slice(1) ?? '')
      answer.writeHead(503, { date: 'Sun, 06 Nov 1994 08:49:37 GMT', ...(value && { 'retry-after': value }) }).end()
    })
    const { send } = sender()
    const wait = async (value: string) => response(await send({ url: `${url}/${encodeURIComponent(value)}`, ...post }))
    assert.equal((await wait('30')).retryAfterMs, 30_000)
    assert.equal((await wait('Sun, 06 Nov 1994 08:49:47 GMT')).retryAfterMs, 10_000)
    assert.equal((await wait('')).retryAfterMs, null)
  })

  test('may be preceded by interim answers', async () => {
    const { url } = await receiver((_, answer) => {
      answer.writeEarlyHints({ link: '</a>; rel=preload' }, () => answer.writeHead(201).end('done'))
    })
    const { status, responseBody } = response(await sender().send({ url, ...post }))
    assert.deepEqual([status, responseBody], [201, 'done'])
  })
})

describe('connections', () => {
  async function countingReceiver() {
    const sockets: Socket[] = []
    const { url, server } = await receiver((request, answer) => request.resume().on('end', () => answer.end('ok')))
    server.on('connection', (socket) => sockets.push(socket))
    return { url, sockets }
  }

  test('are reused: one more may open while the last is put back, no more than that', async () => {
    const receivers = [await countingReceiver(), await countingReceiver()]
    const { send } = sender()
    for (let i = 0; i < 20; i += 1) for (const { url } of receivers) response(await send({ url, ...post }))
    for (const { sockets } of receivers) assert.ok(sockets.length <= 2)
  })

  test('are renewed after 500 requests, so that a name that moved is followed', async () => {
    const { url, sockets } = await countingReceiver()
    const { send } = sender({ connectionsPerPool: 1 })
    for (let i = 0; i < 501; i += 1) response(await send({ url, ...post }))
    assert.equal(sockets.length, 2)
  })

  test('are bounded per origin, and what waits for one is sent in its turn', async () => {
    const { url, sockets } = await countingReceiver()
    const { send } = sender({ connectionsPerPool: 2 })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send({ url, ...post })))
    assert.deepEqual(new Set(outcomes.map((outcome) => response(outcome).status)), new Set([200]))
    assert.equal(sockets.length, 2)
  })

  test('of an origin that made room for others are closed then, and opened again when it is used again', async () => {
    const [first, second] = [await countingReceiver(), await countingReceiver()]
    const { send } = sender({ poolsMax: 1 })
    response(await send({ url: first.url, ...post }))
    const closed = once(first.sockets[0] ?? assert.fail('no connection'), 'close', {
      signal: AbortSignal.timeout(2_000),
    })
    response(await send({ url: second.url, ...post }))
    await closed
    response(await send({ url: first.url, ...post }))
    assert.equal(first.sockets.length, 2)
  })

  test('are not shared by businesses: one whose receivers are silent keeps no other waiting at the same origin', async () => {
    const { url, held } = await silentReceiver()
    const { send } = sender({ timeoutMs: 5_000 })
    const silent = Array.from({ length: 200 }, () => send({ ...post, url: `${url}/silent` }))
    await held(64)
    const outcome = response(await send({ ...post, businessId: 'cus_2', url: `${url}/quick` }))
    assert.ok(outcome.status === 200 && outcome.durationMs < 1_000, JSON.stringify(outcome))
    assert.ok(silent.length > 64)
  })

  test('are bounded in all: idle ones of one business make room for those of another', async () => {
    const { url, sockets } = await countingReceiver()
    const { send } = sender({ connectionsMax: 2 })
    const gone = () => sockets.filter(({ destroyed }) => destroyed).length
    for (let business = 0; business < 6; business += 1)
      response(await send({ ...post, businessId: `cus_${business}`, url }))
    assert.equal(sockets.length, 6)
    const deadline = AbortSignal.timeout(2_000)
    for (const socket of sockets.slice(0, 3)) if (!socket.destroyed) await once(socket, 'close', { signal: deadline })
    assert.ok(gone() >= 3)
  })

  test('in use are not closed to make room', async () => {
    const slow = await heldReceiver()
    const { url } = await countingReceiver()
    const { send } = sender({ poolsMax: 1 })
    const sending = send({ url: slow.url, ...post })
    await slow.requested
    response(await send({ url, ...post }))
    slow.answer()
    assert.equal(response(await sending).status, 200)
  })
})

describe('a fault of ours says nothing about the receiver', () => {
  for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])
    test(code, async () => {
      const { send } = sender({ lookup: () => Promise.reject(Object.assign(new Error('recorded'), { code })) })
      assert.equal((await send({ url: 'https://hook.example/', ...post })).kind, 'aborted')
    })

  test('but a name that cannot be looked up, or an address of a kind that this machine has not, does', async () => {
    const address = Object.assign(new Error('recorded'), { code: 'EADDRNOTAVAIL', address: '2606:4700::1' })
    const { send: toIpv6 } = sender({ lookup: () => Promise.reject(address) })
    assert.equal((await toIpv6({ url: 'https://hook.example/', ...post })).kind, 'refused_address')
    for (const code of ['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED']) {
      const { send } = sender({ lookup: () => Promise.reject(Object.assign(new Error('recorded'), { code })) })
      assert.equal((await send({ url: 'https://hook.example/', ...post })).kind, 'refused_address', code)
    }
  })
})

describe('ending a send', () => {
  test('by aborting the sender ends what runs and what waits for a connection, and goes on with the next', async () => {
    const { url, requested, seen, answer } = await heldReceiver()
    const { send, abort } = sender({ connectionsPerPool: 1 })
    const both = [send({ url, ...post }), send({ url, ...post })]
    await requested
    abort()
    for (const outcome of await Promise.all(both)) assert.equal(outcome.kind, 'aborted')
    const next = send({ url, ...post })
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    answer()
    assert.equal((await next).kind, 'response')
    assert.equal(seen.length, 2, 'what waited was never sent')
  })

  test('by closing the sender aborts what runs, what waits and what comes later', async () => {
    const { url, requested } = await heldReceiver()
    const { send, close } = sender({ connectionsPerPool: 1 })
    const running = send({ url, ...post })
    const waiting = send({ url, ...post })
    await requested
    await close()
    const outcomes = [await running, await waiting, await send({ url, ...post })]
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['aborted', 'aborted', 'aborted'],
    )
  })
})
