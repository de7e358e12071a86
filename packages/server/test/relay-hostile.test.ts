// Hundreds of receivers that hang: more than the limit of concurrent sends. Receivers that respond get everything in
// the meantime.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { openWorld } from './world.ts'

// A send that hangs is given up after the test: nobody is helped by a time-out.
const world = await openWorld({ alone: true, env: { WEBHOOK_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_MS: '0' } })
after(() => world.stop())

const hostileBusinesses = 8
const endpointsEach = 17
/** As many as are in flight to a new endpoint at once, one an end-user. */
const usersEach = 2
/** Concurrent sends so far that got a quick response. The hostile ones could be 272. */
const quickMax = 256

/** Listeners, each a separate origin, that accept and read but never respond. */
async function openSilence(count: number) {
  const sockets = new Set<Socket>()
  let requests = 0
  const hear = (socket: Socket): void => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (data) => {
      if (data.toString('latin1').startsWith('POST ')) requests += 1
    })
  }
  const servers = Array.from({ length: count }, () => createServer(hear))
  for (const server of servers) await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      for (const server of servers) await new Promise((closed) => server.close(closed))
    },
  }
}

/** Below the 15 s after which a send that hangs gives its place back: a delivery that waited for a place takes longer. */
const quickMsMax = 10_000

test('as many sends that hang as may be quick at once hold up no receiver that answers', async () => {
  await using silence = await openSilence(hostileBusinesses * endpointsEach)
  await using healthy = await world.subscriber()
  const users: string[] = []
  for (let business = 0; business < hostileBusinesses; business++) {
    const { apiKey, user: newUser } = await world.otherBusiness()
    const made = await Promise.all(Array.from({ length: usersEach }, () => newUser()))
    users.push(...made)
    for (let endpoint = 0; endpoint < endpointsEach; endpoint++) {
      const body = { webhookUrl: silence.urls[business * endpointsEach + endpoint] }
      const answer = await world.business.call('POST', '/v0/webhook-endpoints', body, { key: apiKey })
      assert.equal(answer.status, 200, answer.text)
    }
  }
  const event = (externalUserId: string, index: number) => ({
    event_id: `wh_${externalUserId}_${index}`,
    event_type: 'test.happened',
    external_user_id: externalUserId,
  })
  for (let index = 0; index < 3; index++) {
    await Promise.all(users.map((user) => world.post(event(user, index))))
  }
  await until('all room for quick sends to be taken by sends that hang', () => silence.requests() >= quickMax)
  for (let index = 0; index < 20; index++) {
    await world.post(healthy.event())
    await until('it', () => healthy.receiver.seen.length === index + 1, quickMsMax)
  }
})
