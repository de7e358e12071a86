// The provider client on connections that are refused, cut, silent, slow or all taken.

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { ExchangeError, openExchange } from '../src/provider/http/exchange.ts'
import { until } from './caller.ts'
import { failureAt, failureOf, listenRaw, openScriptedProvider, write } from './provider-world.ts'
import { openScriptedUpstream, type Scripted } from './scripted-upstream.ts'

const customer = { id: 'cust_1', status: 'active' }

const dies: Scripted = (request) => void request.socket.destroy()
const staysSilent: Scripted = () => {}

/** Long enough for a connection to be made on a busy machine, which is another failure. */
const answerMs = 1_000

test('a GET whose connection died unanswered is asked once more', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script(dies, { body: customer })
  assert.equal((await world.provider.getCustomer('cust_1')).id, 'cust_1')
  assert.equal(world.upstream.seen.length, 2)
})

test('a GET is asked twice at most', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script(dies, dies, { body: customer })
  assert.equal((await failureOf(world.provider.getCustomer('cust_1'))).kind, 'timeout')
  assert.equal(world.upstream.seen.length, 2)
})

test('a write whose connection died is not repeated, and its outcome is unknown', async () => {
  await using world = await openScriptedProvider()
  const writes = [
    () => world.provider.updateCustomer('cust_1', { type: 'individual' }),
    () => world.provider.deleteCustomer('cust_1'),
    () => world.provider.deactivateVirtualAccount('cust_1', 'va_1', write),
  ]
  for (const [index, send] of writes.entries()) {
    world.upstream.script(dies)
    const failure = await failureOf(send())
    assert.equal(failure.kind, 'timeout')
    assert.equal(failure.outcomeUnknown, true)
    assert.equal(world.upstream.seen.length, index + 1)
  }
})

test('an answer that breaks off is a timeout, and not asked again even for a GET', async () => {
  await using world = await openScriptedProvider()
  world.upstream.script((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"id":', () => response.destroy())
  })
  assert.equal((await failureOf(world.provider.getCustomer('cust_1'))).kind, 'timeout')
  assert.equal(world.upstream.seen.length, 1)
})

test('no answer within the deadline is a timeout, for a GET too', async () => {
  await using world = await openScriptedProvider({ timeoutMs: answerMs })
  world.upstream.script(staysSilent, staysSilent)
  const startedAt = performance.now()
  assert.equal((await failureOf(world.provider.getCustomer('cust_1'))).kind, 'timeout')
  assert.ok(performance.now() - startedAt < 5_000)
  assert.equal((await failureOf(world.provider.createTosLink(write))).kind, 'timeout')
  assert.equal(world.upstream.seen.length, 2)
})

test('an answer that drips in is ended by the same deadline, and its connection closed', async () => {
  await using world = await openScriptedProvider({ timeoutMs: answerMs })
  world.upstream.script((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(drip))
  })
  assert.equal((await failureOf(world.provider.getCustomer('cust_1'))).kind, 'timeout')
  await until('the close of the connection', () => world.upstream.connections.size === 0)
})

test('a repeat shares the deadline of the first try', async () => {
  await using world = await openScriptedProvider({ timeoutMs: 600 })
  const diesLate: Scripted = (request) => void setTimeout(() => request.socket.destroy(), 500)
  world.upstream.script(diesLate, staysSilent)
  const startedAt = performance.now()
  assert.equal((await failureOf(world.provider.getCustomer('cust_1'))).kind, 'timeout')
  assert.ok(performance.now() - startedAt < 1_000, 'the second try had a deadline of its own')
})

test('a call that expires while it waits for a connection is not sent, not even later', async () => {
  await using upstream = await openScriptedUpstream()
  const answers: (() => void)[] = []
  const waits: Scripted = (_request, response) => void answers.push(() => response.end('{}'))
  upstream.script(...Array.from({ length: 32 }, () => waits))
  const exchange = openExchange(new URL(upstream.baseUrl).origin, 1_000)
  const request = { method: 'POST', path: '/busy', headers: {}, body: null } as const
  const busy = Array.from({ length: 32 }, () => exchange.send(request, new AbortController().signal))
  await until('32 requests', () => answers.length === 32)
  const deadline = new AbortController()
  const late = exchange.send({ ...request, path: '/late' }, deadline.signal)
  deadline.abort()
  await assert.rejects(late, (error) => error instanceof ExchangeError && error.end === 'not_sent')
  for (const answer of answers) answer()
  await Promise.all(busy)
  upstream.script({ body: '{}' })
  await exchange.send({ ...request, path: '/next' }, new AbortController().signal)
  assert.deepEqual([...new Set(upstream.seen.map((each) => each.url.pathname))], ['/busy', '/next'])
  await exchange.close()
})

test('an interim answer is not the answer: a GET cut after one is asked once more', async () => {
  await using world = await openScriptedProvider()
  const hintsAndDies: Scripted = (request, response) =>
    response.writeEarlyHints({ link: '</a>; rel=preload' }, () => request.socket.destroy())
  world.upstream.script(hintsAndDies, { body: customer })
  assert.equal((await world.provider.getCustomer('cust_1')).id, 'cust_1')
  assert.equal(world.upstream.seen.length, 2)
})

// Two, because the next call may start while its predecessor's connection is still being marked free.
test('twenty calls one after another need two connections at most', async () => {
  await using world = await openScriptedProvider()
  const ports = new Set<number | undefined>()
  const notesPort: Scripted = (request, response) => {
    ports.add(request.socket.remotePort)
    response.end(JSON.stringify(customer))
  }
  world.upstream.script(...Array.from({ length: 20 }, () => notesPort))
  for (let call = 0; call < 20; call += 1) await world.provider.getCustomer('cust_1')
  assert.ok(ports.size <= 2)
})

test('connections are bounded', async () => {
  await using world = await openScriptedProvider()
  const calls = 100
  world.upstream.script(...Array.from({ length: calls }, () => ({ body: customer })))
  await Promise.all(Array.from({ length: calls }, () => world.provider.getCustomer('cust_1')))
  assert.equal(world.upstream.seen.length, calls)
  assert.ok(world.upstream.connections.size <= 32)
})

test('calls beyond the bound fail at once instead of queueing', async () => {
  await using world = await openScriptedProvider({ timeoutMs: 60_000 }) // a busy machine takes seconds for a thousand calls
  world.upstream.script(...Array.from({ length: 1_001 }, () => ({ body: { data: [] } })))
  const underWay = Array.from({ length: 1_000 }, () => world.provider.listWebhooks())
  assert.equal((await failureOf(world.provider.listWebhooks())).kind, 'unreachable')
  await Promise.all(underWay)
  assert.deepEqual(await world.provider.listWebhooks(), [])
})

test('a refused connection, a name that does not resolve and a failed handshake are unreachable', async () => {
  const closed = createServer()
  await new Promise<void>((listening) => closed.listen(0, '127.0.0.1', listening))
  const address = closed.address()
  assert.ok(address && typeof address === 'object')
  await new Promise((done) => closed.close(done))
  assert.equal((await failureAt(`http://127.0.0.1:${address.port}/v0`)).kind, 'unreachable')
  // A label of 64 characters is refused by the resolver itself, so no name server is asked.
  assert.equal((await failureAt(`http://${'a'.repeat(64)}.invalid/v0`)).kind, 'unreachable')
  const plain = await listenRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  assert.equal((await failureAt(`https://${plain}/v0`)).kind, 'unreachable')
})

test('a connection that does not come about in time is unreachable', async () => {
  // TCP connects, but TLS gets no response.
  const mute = await listenRaw(() => {})
  const startedAt = performance.now()
  const failure = await failureAt(`https://${mute}/v0`, { connectTimeoutMs: 200 })
  assert.equal(failure.kind, 'unreachable')
  assert.ok(performance.now() - startedAt < 3_000)
})

test('closing lets a call under way finish; later calls are unreachable', async () => {
  await using world = await openScriptedProvider()
  let answer = () => {}
  world.upstream.script((_request, response) => {
    answer = () => void response.end(JSON.stringify(customer))
  })
  const call = world.provider.getCustomer('cust_1')
  await until('the request', () => world.upstream.seen.length === 1)
  const closing = world.provider.close()
  assert.equal((await failureOf(world.provider.getCustomer('cust_2'))).kind, 'unreachable')
  answer()
  assert.equal((await call).id, 'cust_1')
  await closing
  await world.provider.close()
})
