// Starting, being asked how it is, and going down without dropping what runs.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import type { App } from '../../src/platform/http/app.ts'
import { until } from '../caller.ts'
import { testDatabase } from '../test-database.ts'
import { edgeServer } from './edge-server.ts'

const database = await testDatabase()
after(() => database.drop())

/** A route that responds on request of the test. */
function heldRoute() {
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const routes = (app: App) =>
    app.get('/held', { config: { auth: 'none' } }, async () => {
      arrived.resolve()
      await held.promise
      return { data: 'late' }
    })
  return { routes, arrived: arrived.promise, release: () => held.resolve() }
}

test('alive is always 200; ready is 200 only while the database answers', async () => {
  const well = await edgeServer({ database: database.connection })
  assert.equal((await well.call('GET', '/healthz')).status, 200)
  assert.equal((await well.call('GET', '/readyz')).status, 200)
  await well.stop()
  const alone = await edgeServer()
  assert.equal((await alone.call('GET', '/healthz')).status, 200)
  const refused = await alone.call('GET', '/readyz')
  assert.equal(refused.status, 503)
  assert.equal(refused.body.error.code, 'database_unavailable')
  assert.ok(refused.headers.get('retry-after'))
  await alone.stop()
})

test('metrics tell durations by route pattern and status, without identifiers', async () => {
  const { routes, release } = heldRoute()
  release()
  const edge = await edgeServer({ routes })
  await edge.call('GET', '/held?user=lovelace')
  await edge.call('GET', '/docs/errors/no_such_code_of_lovelace')
  const answer = await edge.call('GET', '/metrics')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(answer.text, /causeway_http_requests_total\{method="GET",route="\/held",status="200"\} 1/)
  assert.match(answer.text, /causeway_process_cpu_seconds_total/)
  assert.doesNotMatch(answer.text, /lovelace/)
  await edge.stop()
})

test('draining: not ready any more, still answering, and each connection ends with its answer', async () => {
  const edge = await edgeServer({ database: database.connection })
  edge.app.draining = true
  const ready = await edge.call('GET', '/readyz')
  assert.deepEqual([ready.status, ready.body.error.code], [503, 'shutting_down'])
  const heard = await edge.raw('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 5_000)
  assert.match(heard, /^HTTP\/1\.1 200 OK/)
  assert.match(heard, /\r\nconnection: close\r\n/i)
  assert.equal((await edge.call('GET', '/healthz')).status, 200, 'a new connection is answered, too')
  await edge.stop()
})

test('closing lets a running request finish, refuses new ones on open connections, and ends', async () => {
  const { routes, arrived, release } = heldRoute()
  const edge = await edgeServer({ routes })
  const socket = connect(edge.port, '127.0.0.1')
  let other = ''
  socket.on('data', (chunk) => (other += chunk.toString()))
  socket.on('error', () => {}) // the responses show whether it was cut
  socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n')
  await arrived
  // The second request is queued on the same connection when closing begins.
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const closed = edge.app.close()
  await until('closing', () => edge.app.closing)
  release()
  await closed
  await until('the answers', () => other.includes('late'), 5_000)
  assert.match(other, /^HTTP\/1\.1 200 OK/)
  assert.match(other, /connection: close/i)
  await assert.rejects(fetch(`${edge.url}/healthz`))
  await edge.stop()
})

test('a request that comes while closing is 503 shutting_down with Connection: close', async () => {
  const { routes, arrived, release } = heldRoute()
  const edge = await edgeServer({ routes })
  const running = edge.call('GET', '/held')
  await arrived
  const socket = connect(edge.port, '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk) => (heard += chunk.toString()))
  // Half a request keeps the connection from being idle, so that closing leaves it open.
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
  await until('the connection', async () => (await connectionsOf(edge.app)) >= 2)
  const closed = edge.app.close()
  await until('closing', () => edge.app.closing)
  socket.write('\r\n')
  await until('the answer', () => heard.includes('\r\n\r\n'))
  assert.match(heard, /^HTTP\/1\.1 503 /)
  assert.match(heard, /"code":"shutting_down"/)
  assert.match(heard, /\r\nconnection: close\r\n/i)
  assert.match(heard, /\r\nretry-after: \d+\r\n/i)
  release()
  assert.equal((await running).status, 200)
  await closed
  await edge.stop()
})

test('a request that never ends holds closing up no longer than the grace period', async () => {
  const { routes, arrived, release } = heldRoute()
  const edge = await edgeServer({ routes, env: { SHUTDOWN_GRACE_MS: '200' } })
  const running = assert.rejects(edge.call('GET', '/held'))
  await arrived
  const begun = Date.now()
  await edge.app.close()
  assert.ok(Date.now() - begun < 5_000)
  await running
  release()
  await edge.stop()
})

function connectionsOf(app: App): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
