// POST /v0/webhook-endpoints/{id}/rotate-secret

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { wakeOnCommit } from '../../src/platform/postgres/notify.ts'
import type { Endpoint, Subscriber } from '../business.ts'
import { assertError, assertSameAnswer, until } from '../caller.ts'
import { type Received, sequencesOf } from '../receiver.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const pathOf = (id: string) => `/v0/webhook-endpoints/${id}/rotate-secret`
const rotate = async ({ apiKey: key }: Subscriber, { id }: Endpoint, body?: unknown) =>
  (await call('POST', pathOf(id), body, { key })).body.data

/** Which of these secrets an independent verifier accepts the delivery with. */
const acceptedBy = ({ headers, body }: Received, secrets: readonly string[]) =>
  secrets.map((secret) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  })

async function nextDelivery(subscriber: Subscriber, { receiver }: Endpoint): Promise<Received> {
  const event = subscriber.event()
  await world.post(event)
  return await until('the delivery', () => receiver.seen.find(({ body }) => body.includes(event.event_id)))
}

test('200 during the overlap both secrets sign; of three the newest two; the new one alone when the overlap is over', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const secrets = [endpoint.secret]
  const { signingSecret: second, previousSecretExpiresAt } = await rotate(subscriber, endpoint)
  secrets.push(second)
  const hours = (Date.parse(previousSecretExpiresAt) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1, `a day by default: ${hours} h`)
  assert.deepEqual(acceptedBy(await nextDelivery(subscriber, endpoint), secrets), [true, true])

  secrets.push((await rotate(subscriber, endpoint, { overlapHours: 168 })).signingSecret)
  assert.deepEqual(acceptedBy(await nextDelivery(subscriber, endpoint), secrets), [false, true, true])

  await world.inside.db.transaction(async (tx) => {
    await tx`
      update webhook_endpoints set previous_secret_expires_at = now() - interval '1 second', version = version + 1
      where id = ${endpoint.id}`
    await wakeOnCommit(tx, 'send', endpoint.id)
  })
  assert.deepEqual(acceptedBy(await nextDelivery(subscriber, endpoint), secrets), [false, false, true])
  assert.equal((await endpoint.read()).previousSecretExpiresAt, null)
})

test('200 with overlapHours 0 the old secret signs no more, one from an earlier rotation neither', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const first = await rotate(subscriber, endpoint, { overlapHours: 1 })
  const second = await rotate(subscriber, endpoint, { overlapHours: 0 })
  assert.equal(second.previousSecretExpiresAt, null)
  const secrets = [endpoint.secret, first.signingSecret, second.signingSecret]
  assert.deepEqual(acceptedBy(await nextDelivery(subscriber, endpoint), secrets), [false, false, true])
})

test('200 the sequence and what waits stay; other endpoints keep their secrets; the secret is in this response only', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  await endpoint.change({ status: 'paused' })
  await world.post(subscriber.event())
  const { signingSecret, ...shown } = await rotate(subscriber, endpoint, {})
  assert.deepEqual(await endpoint.read(), shown)
  await endpoint.change({ status: 'enabled' })
  const second = await nextDelivery(subscriber, endpoint)
  assert.deepEqual(sequencesOf(endpoint.receiver), [1, 2])
  assert.deepEqual(acceptedBy(second, [signingSecret]), [true])
  const [other] = subscriber.receiver.seen
  assert.ok(other)
  subscriber.verify(other)
})

test('400 hours beyond a week, negative, broken or as text', async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  for (const [overlapHours, code] of [
    [169, 'invalid_value'],
    [-1, 'invalid_value'],
    [1.5, 'invalid_type'],
    ['24', 'invalid_type'],
    [null, 'invalid_type'],
  ] as const) {
    const answer = await call('POST', pathOf(endpoint.id), { overlapHours }, { key: subscriber.apiKey })
    assertError(answer, 400, code, { param: 'overlapHours' })
  }
})

test("404 an absent one, and another business's byte for byte the same, its secret unchanged", async () => {
  await using subscriber = await world.subscriber()
  await using endpoint = await subscriber.endpoint()
  const { apiKey: key } = await world.otherBusiness()
  const absent = await call('POST', pathOf('whe_00000000000000000000000000'), {}, { key })
  assertError(absent, 404, 'webhook_endpoint_not_found')
  assertSameAnswer(await call('POST', pathOf(endpoint.id), { overlapHours: 0 }, { key }), absent)
  assert.deepEqual(acceptedBy(await nextDelivery(subscriber, endpoint), [endpoint.secret]), [true])
})
