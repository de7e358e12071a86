// Hostile or broken receivers at byte level: each costs a bounded time and a bounded read.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { createSender, type SenderOptions } from './sender.ts'

type Closing = () => Promise<unknown>
let closing: Closing[] = []

afterEach(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
})

const timeoutMs = 150

function sender(options: Partial<SenderOptions> = {}) {
  const made = createSender({ allowLoopback: true, timeoutMs, ...options })
  closing.push(made.close)
  return made
}

/** Calls `behave` for each connection; `closed` resolves when the first of them is closed. */
async function receiver(behave: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).on('close', () => resolve())
    behave(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets, closed }
}

/** Responds to each request with exactly these bytes, after its first bytes have arrived. */
const answering = (bytes: string) => (socket: Socket) => void socket.on('data', () => socket.write(bytes))

/** Writes the text after the request has arrived, and then repeatedly. */
const dripping = (first: string, more: string, everyMs: number) => (socket: Socket) =>
  void socket.once('data', () => {
    socket.write(first)
    const timer = setInterval(() => socket.write(more), everyMs)
    socket.on('close', () => clearInterval(timer))
  })

const post = { businessId: 'cus_1', headers: {}, body: Buffer.from('{"event_id":"evt_1"}') }
const head = 'HTTP/1.1 200 OK\r\n'

describe('the wall clock ends', () => {
  const cases: [string, (socket: Socket) => void, RegExp][] = [
    ['a receiver that never answers', (socket) => void socket.resume(), /did not respond/],
    ['headers that drip in', dripping(head, 'x: y\r\n', 10), /did not respond/],
    ['a body that drips in', dripping(`${head}content-length: 1000\r\n\r\n`, 'x', 10), /responded with 200/],
    [
      'an answer that says it is longer than it is',
      answering(`${head}content-length: 9\r\n\r\nshort`),
      /responded with 200/,
    ],
    [
      'chunks that drip in',
      dripping(`${head}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n', 10),
      /responded with 200/,
    ],
  ]
  for (const [name, behave, detail] of cases) {
    test(`${name}, and drops the connection`, async () => {
      const { url, closed } = await receiver(behave)
      const outcome = await sender().send({ url, ...post })
      assert.equal(outcome.kind, 'timeout')
      assert.match(outcome.detail, detail)
      assert.ok(outcome.durationMs >= timeoutMs - 1 && outcome.durationMs < timeoutMs * 10)
      await closed
    })
  }

  test('a receiver that never reads, with a body too large for the buffers between', async () => {
    const { url, sockets } = await receiver((socket) => void socket.pause())
    const outcome = await sender().send({ ...post, url, body: Buffer.alloc(16 << 20) })
    assert.equal(outcome.kind, 'timeout')
    assert.equal(sockets.length, 1)
  })

  test('waiting for a connection that others hold', async () => {
    const { url, sockets } = await receiver((socket) => void socket.resume())
    const { send } = sender({ connectionsPerPool: 1 })
    const outcomes = await Promise.all([send({ url, ...post }), send({ url, ...post })])
    const [held, waiting] = outcomes.map((outcome) => (outcome.kind === 'timeout' ? outcome.detail : outcome.kind))
    assert.equal(held, 'The receiver did not respond in time.')
    // The first sender ends a moment before the second: on a busy machine that moment is enough for a separate
    // connection.
    const gotOne = sockets.length > 1
    assert.match(waiting ?? '', gotOne ? /in time\.$/ : /^The connection timed out\.$/)
  })

  test('a TLS handshake that never goes on', async () => {
    const { url, closed } = await receiver((socket) => void socket.resume())
    const outcome = await sender().send({ url: url.replace('http:', 'https:'), ...post })
    assert.equal(outcome.kind, 'timeout')
    assert.equal(outcome.detail, 'The connection timed out.')
    await closed
  })

  test('a name server that never answers', async () => {
    // The lookup has a third of the time. The rest is more than a second, so that a busy machine does not cause a
    // failure.
    const { send } = sender({ lookup: () => new Promise(() => {}), timeoutMs: 2_000 })
    const outcome = await send({ url: 'https://hook.example/', ...post })
    assert.equal(outcome.kind, 'refused_address')
    assert.ok(outcome.durationMs < 2_000)
  })
})

test('a name that leads inside and one that leads nowhere are told alike to a business, and apart to the operator', async () => {
  const lookup = async (hostname: string) => {
    if (hostname === 'inside.example') return ['10.0.0.7']
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  }
  const { send } = sender({ lookup, timeoutMs: 5_000 })
  const told = async (host: string) => {
    const outcome = await send({ url: `https://${host}/`, ...post })
    assert.ok('detail' in outcome, JSON.stringify(outcome))
    const { kind, detail, operatorDetail } = outcome
    return { business: { kind, detail }, operatorDetail }
  }
  const [inside, nowhere] = [await told('inside.example'), await told('nowhere.example')]
  assert.deepEqual(inside.business, nowhere.business)
  assert.notEqual(inside.operatorDetail, nowhere.operatorDetail)
  assert.match(inside.operatorDetail ?? '', /outside the public internet/)
  assert.match(nowhere.operatorDetail ?? '', /could not be resolved/)
})

describe('reading is bounded', () => {
  test('by the cap on the body: the status counts, the connection is dropped, the rest is never read', async () => {
    let bytesWritten = 0
    const { url, closed } = await receiver((socket) => {
      const block = Buffer.alloc(16_384, 'x')
      const pour = () => {
        while (!socket.destroyed && socket.write(block)) bytesWritten += block.length
      }
      socket.on('drain', pour).once('data', () => {
        socket.write(`${head}\r\n`)
        pour()
      })
    })
    const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
    assert.equal(outcome.kind, 'response')
    assert.deepEqual([outcome.status, outcome.responseBody], [200, 'x'.repeat(4_096)])
    await closed
    // The kernel's buffers on loopback, not the bytes that were read; without the cap it would continue for five
    // seconds.
    assert.ok(bytesWritten < 64 << 20)
  })

  test('by the cap on the headers', async () => {
    const { url, closed } = await receiver(answering(`${head}${`x-filler: ${'y'.repeat(1_000)}\r\n`.repeat(20)}\r\n`))
    const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
    assert.equal(outcome.kind, 'protocol_error')
    await closed
  })
})

describe('interim answers', () => {
  const ok = `${head}content-length: 2\r\n\r\nok`
  const continues = 'HTTP/1.1 100 Continue\r\n\r\n'
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'

  const taken: [string, string[]][] = [
    ['a continuation nobody asked for', [continues + ok]],
    ['one in a packet of its own', [continues, ok]],
    ['one with a header', [`HTTP/1.1 100 Go on\r\nserver: x\r\n\r\n${ok}`]],
    ['one byte at a time', [...(continues + hints + continues + ok)]],
    ['ten of two kinds', [`${(continues + hints).repeat(5)}${ok}`]],
  ]
  for (const [name, pieces] of taken)
    test(`${name}: the answer after them counts, at each request of a connection`, async () => {
      const { url, sockets } = await receiver((socket) => {
        socket.setNoDelay(true)
        socket.on('data', async () => {
          for (const piece of pieces) await new Promise((written) => socket.write(piece, written))
        })
      })
      const { send } = sender({ timeoutMs: 5_000, connectionsPerPool: 1 })
      for (let turn = 0; turn < 3; turn += 1) {
        const outcome = await send({ url, ...post })
        assert.equal(outcome.kind, 'response', JSON.stringify(outcome))
        assert.deepEqual([outcome.status, outcome.responseBody], [200, 'ok'])
      }
      assert.equal(sockets.length, 1)
    })

  test('an answer whose text looks like one is left as it is', async () => {
    const text = 'HTTP/1.1 100 Continue'
    const { url } = await receiver((socket) => {
      socket.setNoDelay(true)
      socket.once('data', () => socket.write(`${head}content-length: ${text.length}\r\n\r\n`, () => socket.write(text)))
    })
    const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
    assert.equal(outcome.kind === 'response' && outcome.responseBody, text)
  })

  const floods: [string, string][] = [
    ['eleven continuations', continues.repeat(11) + ok],
    ['eleven early hints', hints.repeat(11) + ok],
    ['17 KiB in two', `HTTP/1.1 103 X\r\nx: ${'y'.repeat(8_700)}\r\n\r\n`.repeat(2) + ok],
  ]
  for (const [name, bytes] of floods)
    test(`${name} are a failure with a reason of its own, and the connection is dropped`, async () => {
      const { url, closed } = await receiver(answering(bytes))
      const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
      assert.equal(outcome.kind, 'protocol_error', JSON.stringify(outcome))
      assert.match(outcome.detail, /more than 10 interim \(1xx\) responses, or more than 16 KiB of them/)
      await closed
    })

  test('a stream of them costs neither time nor processor', async () => {
    const { url, closed } = await receiver((socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.write(hints.repeat(100)));
      }
      socket.on('drain', pour).once('data', pour)
    })
    const before = process.cpuUsage()
    const outcome = await sender({ timeoutMs: 15_000 }).send({ url, ...post })
    const { user, system } = process.cpuUsage(before)
    assert.equal(outcome.kind, 'protocol_error')
    assert.ok(outcome.durationMs < 2_000, `${outcome.durationMs} ms`)
    assert.ok(user + system < 2_000_000, `${user + system} µs of processor time`)
    await closed
  })
})

describe('a broken exchange is an outcome', () => {
  const cases: [string, (socket: Socket) => void, string][] = [
    ['closing at once', (socket) => void socket.destroy(), 'connect_error'],
    ['closing after the request', (socket) => void socket.once('data', () => socket.end()), 'connect_error'],
    ['a reset', (socket) => void socket.once('data', () => socket.resetAndDestroy()), 'connect_error'],
    ['a reset within the body', resetting(`${head}content-length: 100\r\n\r\nabc`), 'connect_error'],
    ['an end within the headers', ending(`${head}x: `), 'connect_error'],
    ['an end within a chunk', ending(`${head}transfer-encoding: chunked\r\n\r\nff\r\nabc`), 'connect_error'],
    ['something that is not HTTP', answering('220 mail.example ESMTP\r\n'), 'protocol_error'],
    ['another version of HTTP', answering('HTTP/9.9 200 OK\r\n\r\n'), 'protocol_error'],
    ['a line break inside a header', answering(`${head}a: b\rc: d\r\n\r\n`), 'protocol_error'],
    [
      'both kinds of length',
      answering(`${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`),
      'protocol_error',
    ],
    [
      'an upgrade nobody asked for',
      answering('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'protocol_error',
    ],
  ]
  for (const [name, behave, kind] of cases) {
    test(`${name}: ${kind}`, async () => {
      const { url } = await receiver(behave)
      const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
      assert.equal(outcome.kind, kind, JSON.stringify(outcome))
      assert.doesNotMatch(JSON.stringify(outcome), /127\.0\.0\.1/)
    })
  }

  test('a port where nothing listens: connect_error', async () => {
    const { url, sockets } = await receiver(() => {})
    for (const close of closing.splice(0)) await close()
    const outcome = await sender().send({ url, ...post })
    assert.deepEqual([outcome.kind, sockets.length], ['connect_error', 0])
  })

  function resetting(bytes: string) {
    return (socket: Socket) => void socket.once('data', () => socket.write(bytes, () => socket.resetAndDestroy()))
  }

  function ending(bytes: string) {
    return (socket: Socket) => void socket.once('data', () => socket.end(bytes))
  }
})

describe('exchanges do not touch one another', () => {
  test('an answer sent ahead of its request is never taken for the answer to the next one', async () => {
    const ok = `${head}content-length: 2\r\n\r\nok`
    const smuggled = 'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'
    const { url } = await receiver((socket) => void socket.once('data', () => socket.write(ok + smuggled)))
    const { send } = sender({ timeoutMs: 5_000, connectionsPerPool: 1 })
    const statuses: (number | string)[] = []
    for (let i = 0; i < 3; i += 1) {
      const outcome = await send({ url, ...post })
      statuses.push(outcome.kind === 'response' ? outcome.status : outcome.kind)
    }
    assert.equal(statuses[0], 200)
    assert.ok(!statuses.includes(201), statuses.join())
  })

  test('an answer that ends with the connection is whole', async () => {
    const { url } = await receiver((socket) => void socket.once('data', () => socket.end(`${head}\r\nbye`)))
    const outcome = await sender({ timeoutMs: 5_000 }).send({ url, ...post })
    assert.equal(outcome.kind === 'response' && outcome.responseBody, 'bye')
  })

  test('healthy receivers are all served while hostile ones still run down their clocks', async () => {
    const silent = await Promise.all(Array.from({ length: 30 }, () => receiver((socket) => void socket.resume())))
    const healthy = await receiver(answering(`${head}content-length: 2\r\n\r\nok`))
    const { send, close } = sender({ timeoutMs: 5_000 })
    let hostileDone = 0
    const hostile = silent.map(async ({ url }) => {
      await send({ url, ...post })
      hostileDone += 1
    })
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => send({ url: healthy.url, ...post })))
    assert.equal(hostileDone, 0)
    assert.ok(outcomes.every((outcome) => outcome.kind === 'response' && outcome.status === 200))
    await close()
    await Promise.all(hostile)
  })
})
