// The load balancer and the verdict of the rolling restart, tried on servers that do wrong: they must see it.

import assert from 'node:assert/strict'
import { Agent, createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openBalancer, tryOnce } from '../src/relay-world/balancer.ts'

async function server(listener: RequestListener) {
  const listening = createServer(listener)
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  const close = async () => {
    listening.closeAllConnections()
    await new Promise((done) => listening.close(done))
  }
  return { url, close, [Symbol.asyncDispose]: close }
}

const write = { method: 'POST', path: '/v0/end-users', headers: {}, body: '{}' }
const retryable = JSON.stringify({ error: { retryable: true } })

const outcomes: readonly [what: string, listener: RequestListener, kind: string][] = [
  ['an answer', (_, response) => void response.end('{}'), 'answer'],
  ['a cut connection', (request) => void request.socket.destroy(), 'failed'],
  [
    'a 503 that says it may be repeated',
    (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end(retryable),
    'retryable',
  ],
  ['a 503 without Retry-After', (_, response) => void response.writeHead(503).end(retryable), 'failed'],
  ['a 500', (_, response) => void response.writeHead(500, { 'retry-after': '1' }).end(retryable), 'failed'],
  [
    'half an answer',
    (request, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half', () => request.socket.destroy())
    },
    'failed',
  ],
]

for (const [what, listener, kind] of outcomes) {
  test(`${what} is "${kind}"`, async () => {
    await using replica = await server(listener)
    const agent = new Agent({ keepAlive: true })
    assert.equal((await tryOnce(replica.url, agent, write)).kind, kind)
    agent.destroy()
  })
}

test('a refused connection is retryable, for nothing was sent', async () => {
  const gone = await server(() => {})
  await gone.close()
  assert.equal((await tryOnce(gone.url, new Agent(), write)).kind, 'retryable')
})

test('a replica that is not ready gets nothing more, and a connection that is to be closed is not used again', async () => {
  const sockets = new Set<unknown>()
  let isReady = true
  let requests = 0
  await using one = await server((request, response) => {
    if (request.url === '/readyz') return void response.writeHead(isReady ? 200 : 503).end()
    requests += 1
    sockets.add(request.socket)
    response.setHeader('connection', 'close')
    response.end('{}')
  })
  await using other = await server((_, response) => void response.end('{}'))
  await using balancer = openBalancer()
  await balancer.add(one.url)
  await balancer.send(write)
  await balancer.send(write)
  assert.deepEqual([requests, sockets.size], [2, 2])
  await balancer.add(other.url)
  isReady = false
  const deadline = performance.now() + 5_000
  // Two in a row: one of them would be its turn.
  for (let before = -1; before !== requests && performance.now() < deadline; ) {
    before = requests
    for (let turn = 0; turn < 40; turn++) await balancer.send(write)
  }
  const settled = requests
  for (let turn = 0; turn < 10; turn++) await balancer.send(write)
  assert.equal(requests, settled)
})
