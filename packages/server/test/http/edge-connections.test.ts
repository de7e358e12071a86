// How many connections one address may hold, so that nobody can shut the others out.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { until } from '../caller.ts'
import { type EdgeServer, edgeServer } from './edge-server.ts'

const servers: EdgeServer[] = []
const sockets: Socket[] = []
async function start(connectionsPerAddress?: number, env: Record<string, string> = {}): Promise<EdgeServer> {
  const server = await edgeServer({ env, ...(connectionsPerAddress && { limits: { connectionsPerAddress } }) })
  servers.push(server)
  return server
}
after(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) await server.stop()
})

/** @returns the connection once it has a response; null if it was closed instead */
async function caller({ port }: EdgeServer, localAddress = '127.0.0.1'): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {}) // a reset is an end, too
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const answered = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  return answered ? socket : null
}

test('one address holds as many connections as it may; another is answered, and so is it once it has closed one', async () => {
  const edge = await start(3)
  const [first] = [await caller(edge), await caller(edge), await caller(edge)]
  assert.ok(first)
  assert.ok((await caller(edge)) === null)
  assert.ok((await caller(edge)) === null)
  assert.ok(await caller(edge, '127.0.0.2'))
  first.destroy()
  await until('a place', async () => (await caller(edge)) !== null)
  assert.ok((await caller(edge)) === null)
})

for (const proxies of ['true', 'loopback', '127.0.0.1', '127.0.0.0/8, fd00::/8'])
  test(`a trusted proxy is not limited: ${proxies}`, async () => {
    const edge = await start(1, { TRUST_PROXY: proxies })
    for (let count = 0; count < 4; count++) assert.ok(await caller(edge))
  })

test('an address that is none of the proxies is limited beside them', async () => {
  const edge = await start(1, { TRUST_PROXY: '127.0.0.2, 10.0.0.0/8' })
  assert.ok(await caller(edge))
  assert.ok((await caller(edge)) === null)
  for (let count = 0; count < 4; count++) assert.ok(await caller(edge, '127.0.0.2'))
})

test('where few places are left, connections without a request make room for those who ask', async () => {
  const edge = await start()
  edge.app.server.maxConnections = 8
  for (let count = 0; count < 30; count++) await until('an answer', async () => (await caller(edge)) !== null)
})
