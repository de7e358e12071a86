// A receiver's response to an event about a person may repeat the event. So the response is stored encrypted, moves
// with the deployment secret, is deleted with the end-user, and is shown only to the business that owns the endpoint.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rotateSecrets } from '../src/app/secret-rotation/rotation.ts'
import type { Subscriber } from './business.ts'
import { until } from './caller.ts'
import type { Received, Reply } from './receiver.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_RETRY_SECONDS: '0.05,120' } })
const [oldSecret = ''] = world.inside.config.deploymentSecrets
const newSecret = 'the next deployment secret of a length that will do'
after(() => world.stop())

const echo =
  (status: number, headers: Record<string, string> = {}) =>
  ({ body }: Received): Reply => ({ status, headers, body: `received: ${body}` })

const name = 'Nameless-Of-Nowhere'

const aboutAPerson = (subscriber: Subscriber) =>
  subscriber.event({
    event_category: 'customer',
    event_type: 'customer.updated',
    event_object: { id: crypto.randomUUID(), first_name: name },
  })

type Kept = { text: string | null; sealed: Buffer | null }

/** Every stored response of this business. */
const keptFor = ({ id: customerId }: Subscriber) =>
  world.rows<Kept>`
      select response_headers || response_body as text, response_sealed as sealed from delivery_attempts
      where business_id = ${customerId}
      union all
      select coalesce(response_headers, '') || response_body, response_sealed from finished_deliveries where business_id = ${customerId}`

const isSealed = ({ text, sealed }: Kept) => text === null && sealed !== null && !sealed.includes(name)

async function deliveryTo({ call }: Subscriber, endpointId: string) {
  const [event] = (await call('GET', '/v0/events?sources=provider')).body.data
  const { data } = (await call('GET', `/v0/events/${event.id}/deliveries`)).body
  const found = data.find((delivery: { webhookEndpointId: string }) => delivery.webhookEndpointId === endpointId)
  return (await call('GET', `/v0/deliveries/${found.id}`)).body.data
}

const bodiesOf = (delivery: { attempts: { responseBody: string | null }[] }) =>
  delivery.attempts.map(({ responseBody }) => responseBody)

test('an answer that repeats an event about a person lies sealed, a success keeps none, and the business reads its own', async () => {
  await using subscriber = await world.subscriber(echo(200))
  await using failing = await subscriber.endpoint({}, echo(500))
  await using stopping = await subscriber.endpoint({}, echo(500, { 'svc-retry': 'stop' }))
  const event = aboutAPerson(subscriber)
  await world.post(event)
  await until('two attempts at one that fails', async () => failing.receiver.seen.length === 2)
  const waiting = await until('both to be written', async () => {
    const delivery = await deliveryTo(subscriber, failing.id)
    return delivery.attempts.length === 2 && delivery
  })
  const stopped = await until('the end of the other', async () => {
    const delivery = await deliveryTo(subscriber, stopping.id)
    return delivery.status === 'exhausted' && delivery
  })
  const said = `received: ${JSON.stringify(event)}`
  assert.deepEqual(bodiesOf(waiting), [said, said])
  assert.deepEqual(bodiesOf(stopped), [said])
  assert.equal(stopped.attempts[0].responseHeaders['svc-retry'], 'stop', 'headers are sealed with the body, and read')
  const kept = await until('the success', async () => {
    const rows = await keptFor(subscriber)
    return rows.length === 4 && rows
  })
  assert.equal(kept.filter(isSealed).length, 3)
  assert.deepEqual(
    kept.filter((row) => !isSealed(row)),
    [{ text: null, sealed: null }],
    'nothing is kept of a success',
  )

  const other = await world.otherBusiness()
  assert.equal(
    (await world.business.call('GET', `/v0/deliveries/${stopped.id}`, undefined, { key: other.apiKey })).status,
    404,
  )

  await subscriber.call('POST', `/v0/deliveries/${stopped.id}/retry`)
  const again = await until('a repeat', async () => {
    const delivery = await deliveryTo(subscriber, stopping.id)
    return delivery.status === 'exhausted' && delivery.attempts.length === 2 && delivery
  })
  assert.deepEqual(bodiesOf(again), [said, said], 'what was sealed is read from where a repeat moves it')
})

test('answers to other events are kept as text, those of a success too', async () => {
  await using subscriber = await world.subscriber(echo(200))
  const event = subscriber.event()
  await world.post(event)
  const kept = await until('the success', async () => {
    const rows = await keptFor(subscriber)
    return rows.length === 1 && rows
  })
  assert.deepEqual(kept, [{ text: `received: ${JSON.stringify(event)}`, sealed: null }])
})

test('erasing the end-user removes what receivers said of it', async () => {
  await using subscriber = await world.subscriber(() => 200)
  await using failing = await subscriber.endpoint({}, echo(500))
  await using stopping = await subscriber.endpoint({}, echo(500, { 'svc-retry': 'stop' }))
  await world.post(aboutAPerson(subscriber))
  await until('what will be removed', async () => (await keptFor(subscriber)).filter(isSealed).length === 3)
  assert.equal(failing.receiver.seen.length + stopping.receiver.seen.length, 3)
  const erased = await subscriber.call('DELETE', `/v0/end-users/${subscriber.externalUserId}`)
  assert.equal(erased.status, 200, erased.text)
  await until('its removal', async () => (await keptFor(subscriber)).every(({ sealed }) => sealed === null))
})

// The last one: it leaves the world's own server without the secret that it began with.
test('a rotation of the deployment secret seals answers anew, and they are read afterwards', async () => {
  await using subscriber = await world.subscriber(() => 200)
  await using failing = await subscriber.endpoint({}, echo(500))
  await using stopping = await subscriber.endpoint({}, echo(500, { 'svc-retry': 'stop' }))
  const event = aboutAPerson(subscriber)
  await world.post(event)
  await until('what will be moved', async () => (await keptFor(subscriber)).filter(isSealed).length === 3)
  const waiting = await deliveryTo(subscriber, failing.id)
  const stopped = await deliveryTo(subscriber, stopping.id)
  await world.server.stop()
  {
    await using both = await world.replica({ config: { deploymentSecrets: [newSecret, oldSecret] } })
    const { resealed } = await rotateSecrets(both.inside, true)
    assert.ok(resealed.responses >= 3, `${resealed.responses} answers were moved`)
    assert.equal((await rotateSecrets(both.inside, true)).resealed.responses, 0)
  }
  await using alone = await world.replica({ config: { deploymentSecrets: [newSecret] } })
  for (const { id, attempts } of [waiting, stopped]) {
    const rows = await alone.inside.db.read(
      (query) => query<{ sealed: Buffer }[]>`
      select response_sealed as sealed from delivery_attempts where delivery_id = ${id}
      union all select response_sealed from finished_deliveries where id = ${id}`,
    )
    assert.equal(rows.length, attempts.length)
    for (const { sealed } of rows)
      assert.match(
        alone.inside.secrets.openBytes(sealed, id).toString(),
        new RegExp(`^{.*}\\nreceived: .*${event.event_id}`),
      )
  }
})
