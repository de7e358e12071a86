// `causeway serve --only api` and `--only relay`: two processes that together are the service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, until } from './caller.ts'
import { openReceiver } from './receiver.ts'
import { type ServeProcess, startServe } from './serve-process.ts'
import { openWorld, type World } from './world.ts'

// The world's own server is stopped, so that nobody but the two does anything.
let world: World
let api: ServeProcess
let relay: ServeProcess
before(async () => {
  world = await openWorld({ alone: true })
  await world.server.stop()
  ;[api, relay] = await Promise.all([
    startServe(world, {}, ['--only', 'api']),
    startServe(world, {}, ['--only', 'relay']),
  ])
})
after(async () => {
  await api.kill()
  await relay.kill()
  await world.stop()
})

const call = (method: string, path: string, body?: unknown) =>
  request(method, `${api.url}${path}`, body, { headers: { authorization: `Bearer ${world.business.apiKey}` } })

test('the relay answers for its health and measures, and serves nobody else', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await request('GET', `${relay.url}${path}`)).status, 200, path)
  assert.equal((await request('GET', `${relay.url}/v0/whoami`)).status, 404)
})

test('what the api process takes in, the relay delivers; without it, it waits', async () => {
  await using receiver = await openReceiver()
  assert.equal((await call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })).status, 200)
  const user = await call('POST', '/v0/end-users', { externalUserId: 'split-1' })
  assert.equal(user.status, 200)
  await until('the delivery', () => receiver.seen.length === 1)
  assert.equal(await relay.terminate(), 0)
  await call('POST', '/v0/end-users', { externalUserId: 'split-2' })
  const waiting = await call('GET', '/v0/events?limit=1')
  const deliveries = await call('GET', `/v0/events/${waiting.body.data[0].id}/deliveries`)
  assert.equal(deliveries.body.data[0].status, 'pending')
  assert.equal(receiver.seen.length, 1, 'the api process sends nothing')
  relay = await startServe(world, {}, ['--only', 'relay'])
  await until('the second delivery', () => receiver.seen.length === 2)
})

test('when a key was last used is written by the api process, too', async () => {
  const used = await until('the time of use', async () => {
    await call('GET', '/v0/whoami')
    const keys = await call('GET', '/v0/api-keys')
    const lastUsedAt: string | null = keys.body.data[0].lastUsedAt
    return lastUsedAt
  })
  assert.ok(used)
})
