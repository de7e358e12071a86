// POST /v0/webhooks/provider, without a demand for signatures (the default in sandbox mode).

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, assertDeclared, assertError, operationAt, request, until } from '../caller.ts'
import { databaseLink } from '../database-link.ts'
import { freshUserId } from '../people.ts'
import { freshEventId } from '../provider.ts'
import { createProviderSigner } from '../provider-signer.ts'
import { openWorld, type World } from '../world.ts'
import { announceBody } from './announced-body.ts'

const world = await openWorld()
after(() => world.stop())

const path = '/v0/webhooks/provider'
const operation = operationAt('POST', path)

const post: World['post'] = async (event, options) => {
  const answer = await world.post(event, options)
  assertDeclared(operation, answer)
  return answer
}

function assertAcknowledged(answer: Answer, eventId: string, message: string): void {
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, { data: { received: true, event_id: eventId, message } })
}

const stored = (eventId: string) =>
  world.rows<{ trust: string; businessId: string | null }>`
    select trust, business_id from events where provider_event_id = ${eventId} order by trust`

test('200 an event of a known owner is queued for forwarding', async () => {
  await using subscriber = await world.subscriber()
  const event = subscriber.event()
  assertAcknowledged(await post(event), event.event_id, 'Event received and queued for forwarding.')
})

test('200 an event that was received before is acknowledged as a duplicate', async () => {
  await using subscriber = await world.subscriber()
  const event = subscriber.event()
  await post(event)
  const again = await post(event)
  assertAcknowledged(again, event.event_id, 'Event received before; not queued again.')
})

test('200 an event whose owner has no webhook URL is kept, and the answer says so', async () => {
  const { apiKey } = await world.otherBusiness()
  const externalUserId = freshUserId()
  await world.business.call('POST', '/v0/end-users', { externalUserId }, { key: apiKey })
  const event = { event_id: freshEventId(), event_type: 'x', external_user_id: externalUserId }
  const answer = await post(event)
  assertAcknowledged(answer, event.event_id, 'Event received; no webhook URL is configured for its owner.')
  const list = await world.business.call('GET', '/v0/events?eventType=x', undefined, { key: apiKey })
  assert.equal(list.body.data[0].providerEventId, event.event_id)
})

test('200 an event whose owner is not known yet is kept, and the answer reveals no more than that', async () => {
  const event = { event_id: freshEventId(), event_type: 'x', external_user_id: 'nobody-we-know' }
  const message = 'Event received; its owner is not known yet. It is forwarded once it is.'
  assertAcknowledged(await post(event), event.event_id, message)
  assert.deepEqual(await stored(event.event_id), [{ trust: 'verified', businessId: null }])
})

test('200 an event without a signature is accepted, and stands as unverified', async () => {
  await using subscriber = await world.subscriber()
  const event = subscriber.event()
  assertAcknowledged(await post(event, { signed: false }), event.event_id, 'Event received and queued for forwarding.')
  const list = await subscriber.call('GET', '/v0/events')
  assert.equal(list.body.data[0].verified, false)
})

test('200 an event type that nobody has heard of is accepted', async () => {
  const event = { event_id: freshEventId(), event_type: 'a type from the future/2' }
  assert.equal((await post(event)).status, 200)
})

test('200 a charset of utf-8 and an exotic spelling of the content type change nothing', async () => {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
    const raw = JSON.stringify({ event_id: freshEventId(), event_type: 'x' })
    const answer = await request('POST', world.url + path, undefined, {
      raw,
      headers: { 'content-type': type },
    })
    assert.equal(answer.status, 200, type)
  }
})

for (const name of ['event_id', 'event_type']) {
  test(`400 an event without ${name} is refused`, async () => {
    const { [name]: _, ...event } = { event_id: freshEventId(), event_type: 'x' } as Record<string, string>
    assertError(await post(event), 400, 'missing_field', { param: name, details: [name] })
  })

  test(`400 an event whose ${name} is not a string is refused`, async () => {
    for (const value of [7, null, true, {}, ['a']]) {
      const answer = await post({ event_id: freshEventId(), event_type: 'x', [name]: value })
      assertError(answer, 400, 'invalid_type', { param: name })
    }
  })

  test(`400 an event whose ${name} is empty or endless is refused`, async () => {
    for (const value of ['', 'x'.repeat(257)]) {
      const answer = await post({ event_id: freshEventId(), event_type: 'x', [name]: value })
      assertError(answer, 400, 'invalid_length', { param: name })
    }
  })

  test(`400 an event whose ${name} could not be stored as it is is refused`, async () => {
    for (const value of ['"a\\u0000b"', '"\\ud800"']) {
      const other = name === 'event_id' ? 'event_type' : 'event_id'
      const answer = await post(`{"${name}":${value},"${other}":"x"}`)
      assertError(answer, 400, 'invalid_value', { param: name })
    }
  })
}

test('400 a body that is not JSON is refused, also one in broken UTF-8', async () => {
  const event = JSON.stringify({ event_id: freshEventId(), event_type: 'x', note: '?' })
  const broken = Buffer.from(event)
  broken[event.indexOf('?')] = 0xff
  for (const body of ['{"event_id":', 'event', '', broken]) assertError(await post(body), 400, 'invalid_json')
})

test('400 a body that is JSON but not an object is refused', async () => {
  for (const body of ['[]', '"event"', '7', 'null']) assertError(await post(body), 400, 'body_required')
})

test('400 a body nested deeper than can be shown again is refused', async () => {
  const nest = (depth: number) =>
    `{"event_id":"${freshEventId()}","event_type":"x","deep":${'['.repeat(depth)}${']'.repeat(depth)}}`
  assert.equal((await post(nest(31))).status, 200)
  assertError(await post(nest(32)), 400, 'json_too_deep')
  assertError(await post(nest(400_000)), 400, 'json_too_deep')
})

test('400 an event signed more than ten minutes ago is refused, whatever else is wrong with it', async () => {
  const raw = JSON.stringify({ event_id: freshEventId(), event_type: 'x' })
  const at = (atMs: number) =>
    request('POST', world.url + path, undefined, {
      raw,
      headers: { 'x-webhook-signature': world.signer.sign(raw, atMs) },
    })
  assertError(await at(Date.now() - 601_000), 400, 'webhook_signature_stale')
  assertError(await at(Date.now() + 610_000), 400, 'webhook_signature_stale')
  assert.equal((await at(Date.now() - 590_000)).status, 200)
})

test('401 a wrong signature is refused even where none is demanded', async () => {
  const event = { event_id: freshEventId(), event_type: 'x' }
  const raw = JSON.stringify(event)
  const right = world.signer.sign(raw)
  const wrong = [
    world.signer.sign(`${raw} `),
    right.replace(/v0=.{4}/, 'v0=AAAA'),
    right.replace('v0=', 'v1='),
    'nonsense',
    '',
  ]
  for (const header of wrong) {
    const answer = await request('POST', world.url + path, undefined, {
      raw,
      headers: { 'x-webhook-signature': header },
    })
    assertDeclared(operation, answer)
    assertError(answer, 401, 'webhook_signature_invalid')
  }
  assert.deepEqual(await stored(event.event_id), [])
})

test('a header that no body can fit is refused before a byte of the body is read', async () => {
  const url = world.url + path
  const at = (atMs: number) => ({ 'x-webhook-signature': world.signer.sign('', atMs), 'content-length': 900_000 })
  assertError(await announceBody('POST', url, at(Date.now() - 601_000)), 400, 'webhook_signature_stale')
  const malformed = { 'x-webhook-signature': 't=1,v0=', 'content-length': 900_000 }
  assertError(await announceBody('POST', url, malformed), 401, 'webhook_signature_invalid')
})

test('200 blanks in the header, and a second signature as while the key is changed, change nothing', async () => {
  const raw = JSON.stringify({ event_id: freshEventId(), event_type: 'x' })
  const signed = world.signer.sign(raw)
  const foreign = createProviderSigner().sign(raw).split('v0=')[1]
  for (const header of [
    signed.replace(',', ', '),
    `${signed},v0=${foreign}`,
    signed.replace(',', `,v0=${foreign}, `),
  ]) {
    const options = { raw, headers: { 'x-webhook-signature': header } }
    assert.equal((await request('POST', world.url + path, undefined, options)).status, 200, header)
  }
})

test('429 an address whose events are refused again and again sends no large bodies, and right events still pass', async () => {
  await using replica = await world.replica({ config: { failedAuthPerMinute: 2 } })
  const refused = (headers: Record<string, string | number>) =>
    announceBody('POST', `${replica.url}${path}`, { 'content-length': 900_000, ...headers })
  const stale = { 'x-webhook-signature': world.signer.sign('', Date.now() - 601_000) }
  for (let time = 0; time < 2; time++) assertError(await refused(stale), 400, 'webhook_signature_stale')
  const wrong = { event_id: freshEventId(), event_type: 'x' }
  const signedOtherwise = { raw: JSON.stringify(wrong), headers: { 'x-webhook-signature': world.signer.sign('other') } }
  const answer = await request('POST', `${replica.url}${path}`, undefined, signedOtherwise)
  assertDeclared(operation, answer)
  assertError(answer, 429, 'rate_limited')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  assertError(await refused({ 'x-webhook-signature': world.signer.sign('large') }), 429, 'rate_limited')
  assert.equal((await post({ event_id: freshEventId(), event_type: 'x' }, { at: replica.url })).status, 200)
})

test('413 an event of more than 1 MiB is refused, one of exactly that is taken', async () => {
  const sized = (bytes: number) => {
    const head = `{"event_id":"${freshEventId()}","event_type":"x","fill":"`
    return `${head}${'x'.repeat(bytes - head.length - 2)}"}`
  }
  assert.equal((await post(sized(1_048_576))).status, 200)
  assertError(await post(sized(1_048_577)), 413, 'payload_too_large')
})

test('415 a body that is not declared as JSON is refused', async () => {
  const raw = JSON.stringify({ event_id: freshEventId(), event_type: 'x' })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16']) {
    const answer = await request('POST', world.url + path, undefined, {
      raw,
      headers: { 'content-type': type },
    })
    assertDeclared(operation, answer)
    assertError(answer, 415, 'unsupported_media_type')
  }
})

test('503 while the database is away nothing is acknowledged, and the same event is taken afterwards', async () => {
  await using link = await databaseLink(world.database)
  await using replica = await world.replica({ database: link.connection })
  const event = { event_id: freshEventId(), event_type: 'x' }
  link.cut()
  const away = await post(event, { at: replica.url })
  assertError(away, 503, 'database_unavailable')
  assert.ok(Number(away.headers.get('retry-after')) > 0)
  assert.deepEqual(await stored(event.event_id), [])
  link.restore()
  const back = await until('the database', async () => {
    const answer = await post(event, { at: replica.url })
    return answer.status === 200 && answer
  })
  assert.match(back.body.data.message, /owner is not known yet/)
  assert.equal((await stored(event.event_id)).length, 1)
})
