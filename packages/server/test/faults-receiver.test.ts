// The connection to a receiver fails in every way a network can. The request that caused the event succeeds, and once
// the connection works the event arrives, signed and under the same ID, with nothing missing before it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Fault } from '../../proof/src/rig/network/faults.ts'
import { openFaultProxy } from '../../proof/src/rig/network/proxy.ts'
import { until } from './caller.ts'
import { freshUserId } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({
  alone: true,
  env: {
    WEBHOOK_TIMEOUT_MS: '500',
    WEBHOOK_RETRY_SECONDS: `${Array(20).fill('0.2').join(',')}`,
  },
})
after(() => world.stop())
const subscriber = await world.subscriber()
const line = await openFaultProxy({ target: () => ({ host: '127.0.0.1', port: subscriber.receiver.port }) })
after(async () => {
  await line[Symbol.asyncDispose]()
  await subscriber[Symbol.asyncDispose]()
})
const set = await subscriber.call('PUT', '/v0/webhook-url', { webhookUrl: `${line.origin}/hook` })
assert.equal(set.status, 200, set.text)

const faults: Record<string, Fault> = {
  'is cut within the request': { kind: 'cut', direction: 'toServer', afterBytes: 100 },
  'is cut before the answer': { kind: 'cut', direction: 'toClient', afterBytes: 0 },
  'is cut within the answer': { kind: 'cut', direction: 'toClient', afterBytes: 20 },
  'swallows everything': { kind: 'blackHole' },
  'swallows the answer': { kind: 'blackHole', direction: 'toClient' },
  stalls: { kind: 'stall' },
  'is half-open, the receiver’s side closed': { kind: 'halfOpen', closed: 'server' },
  'is half-open, our side closed': { kind: 'halfOpen', closed: 'client' },
  refuses: { kind: 'refuse' },
  'passes 200 bytes a second': { kind: 'bandwidth', bytesPerSecond: 200 },
}

for (const [how, order] of Object.entries(faults)) {
  test(`a line to the receiver that ${how}`, async () => {
    if (order.kind === 'refuse') await line.set({ kind: 'reset' })
    await line.set(order)
    const externalUserId = freshUserId()
    const created = await subscriber.call('POST', '/v0/end-users', { externalUserId })
    assert.equal(created.status, 200, created.text)
    const event = await until('the event', async () => {
      const { data } = (await subscriber.call('GET', '/v0/events?limit=1')).body
      return data[0]?.externalUserId === externalUserId && data[0]
    })
    await until('a failed attempt', async () => {
      const { data } = (await subscriber.call('GET', `/v0/events/${event.id}/deliveries`)).body
      return data[0].status === 'retrying'
    })
    await line.heal()
    const delivery = await until('the delivery', async () => {
      const { data } = (await subscriber.call('GET', `/v0/events/${event.id}/deliveries`)).body
      return data[0].status === 'delivered' && data[0]
    })
    const arrivals = subscriber.receiver.seen.filter(({ body }) => body.includes(externalUserId))
    assert.ok(arrivals.length > 0)
    assert.equal(new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size, 1)
    for (const arrival of arrivals) {
      subscriber.verify(arrival)
      assert.equal(Number(arrival.headers['svc-sequence']), delivery.sequence)
    }
    const sequences = new Set(subscriber.receiver.seen.map(({ headers }) => Number(headers['svc-sequence'])))
    assert.equal(sequences.size, Math.max(...sequences), 'a number is missing')
  })
}
