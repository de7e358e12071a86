// Receivers of several businesses at one origin, such as a function host: receivers without a response only affect
// their own business.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from './caller.ts'
import { freshUserId } from './people.ts'
import { freshEventId } from './provider.ts'
import { openReceiver } from './receiver.ts'
import { openWorld } from './world.ts'

// The deployment's own deadline of a send: what waits behind the silent ones would wait that long.
const world = await openWorld({ alone: true })
after(() => world.stop())

const silentBusinesses = 4
const silentEndpoints = 20
const eventsPerBusiness = 5
const measured = 40
/** Latencies below this are noise of the machine. */
const noiseMs = 50

/** A business whose endpoints are these paths of one origin. */
async function businessAt(origin: string, paths: readonly string[]) {
  const { apiKey: key } = await world.otherBusiness()
  const externalUserId = freshUserId()
  await world.business.call('POST', '/v0/end-users', { externalUserId }, { key })
  for (const path of paths) {
    const webhookUrl = `${origin}${path}`
    const made = await world.business.call(
      'POST',
      '/v0/webhook-endpoints',
      { webhookUrl, eventTypes: ['test.*'] },
      { key },
    )
    assert.equal(made.status, 200, made.text)
  }
  const post = async () => {
    const event = { event_id: freshEventId(), event_type: 'test.happened', external_user_id: externalUserId }
    const answer = await world.post(event)
    assert.equal(answer.status, 200, answer.text)
    return event.event_id
  }
  return { post }
}

test('80 silent endpoints of four businesses leave a healthy one of a fifth at the same origin as quick as before', async () => {
  await using receiver = await openReceiver(({ path }) => (path.startsWith('/silent/') ? () => {} : 200))
  const origin = new URL(receiver.url).origin
  const healthy = await businessAt(origin, ['/healthy'])
  const arrived = new Map<string, number>()
  let read = 0
  const arrivalOf = (id: string) => {
    for (; read < receiver.seen.length; read++) {
      const received = receiver.seen[read]
      if (received?.path === '/healthy') arrived.set(JSON.parse(received.body.toString()).event_id, received.atMs)
    }
    return arrived.get(id)
  }
  const latencies = async (): Promise<number[]> => {
    const found: number[] = []
    for (let count = 0; count < measured; count++) {
      const postedMs = performance.now()
      const id = await healthy.post()
      found.push((await until('the delivery', () => arrivalOf(id))) - postedMs)
    }
    return found.sort((one, other) => one - other)
  }
  const at = (sorted: number[], share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
  const paths = Array.from({ length: silentEndpoints }, (_, index) => `/silent/${index}`)
  const silent = []
  for (let count = 0; count < silentBusinesses; count++) silent.push(await businessAt(origin, paths))
  await latencies() // the first ones open connections and plan statements
  const before = await latencies()

  // 15 s after it began, a send that hangs is given up: a measurement that lasted until then would show 80 retries.
  for (const { post } of silent) for (let event = 0; event < eventsPerBusiness; event++) await post()
  const isSilent = ({ path }: { path: string }) => path.startsWith('/silent/')
  await until('more sends that hang than one pool has connections', () => receiver.seen.filter(isSilent).length > 64)
  const during = await latencies()

  const figures = { p50: [at(before, 0.5), at(during, 0.5)], p95: [at(before, 0.95), at(during, 0.95)] }
  console.log(JSON.stringify({ silentSends: receiver.seen.filter(isSilent).length, ...figures }))
  for (const [quiet = 0, loud = 0] of Object.values(figures))
    assert.ok(loud < 2 * Math.max(quiet, noiseMs), JSON.stringify(figures))
})
