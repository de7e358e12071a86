// POST /v0/webhook-endpoints

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/webhook-endpoints'
const url = 'https://hooks.example.com/in'

test('200 by its address alone: all events, best effort, enabled; the signing secret is in this response only', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { signingSecret, ...shown } = (await call('POST', path, { webhookUrl: url }, { key })).body.data
  const { id, createdAt, updatedAt, ...fixed } = shown
  assert.match(id, /^whe_/)
  assert.match(signingSecret, /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(fixed, {
    webhookUrl: url,
    description: null,
    isDefault: false,
    status: 'enabled',
    disabledReason: null,
    eventTypes: ['*'],
    sources: ['provider', 'causeway'],
    ordering: 'best_effort',
    sequence: 0,
    failingSince: null,
    previousSecretExpiresAt: null,
  })
  const read = await call('GET', `${path}/${id}`, undefined, { key })
  assert.deepEqual(read.body.data, shown)
})

test('200 with all settings, as they were given', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const settings = {
    webhookUrl: url,
    description: 'The ledger',
    eventTypes: ['virtual_account.*', 'api_key.rolled', 'café.opened'],
    ordering: 'per_end_user',
  }
  const { data } = (await call('POST', path, settings, { key })).body
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(data[name], value)
})

test('200 each endpoint gets the events it asked for, under a secret and a sequence of its own', async () => {
  await using subscriber = await world.subscriber()
  const events = ['deposit.made', 'deposit.lost', 'deposits.made', 'account', 'account.closed'].map((event_type) =>
    subscriber.event({ event_type }),
  )
  const wanted = {
    all: { eventTypes: ['deposit.made', '*'] },
    exact: { eventTypes: ['account'] },
    below: { eventTypes: ['deposit.*'] },
    several: { eventTypes: ['account.*', 'deposits.made'] },
  }
  await using all = await subscriber.endpoint(wanted.all)
  await using exact = await subscriber.endpoint(wanted.exact)
  await using below = await subscriber.endpoint(wanted.below)
  await using several = await subscriber.endpoint(wanted.several)
  for (const event of events) await world.post(event)
  for (const [endpoint, types] of [
    [all, ['deposit.made', 'deposit.lost', 'deposits.made', 'account', 'account.closed']],
    [exact, ['account']],
    [below, ['deposit.made', 'deposit.lost']],
    [several, ['deposits.made', 'account.closed']],
  ] as const) {
    const { seen } = endpoint.receiver
    await until('its events', () => seen.length >= types.length)
    assert.deepEqual(
      seen.map(({ headers }) => headers['svc-event-type']),
      types,
    )
    assert.deepEqual(
      seen.map(({ headers }) => headers['svc-sequence']),
      types.map((_, at) => String(at + 1)),
    )
    const [first] = seen
    assert.ok(first)
    assert.throws(() => subscriber.verify(first), 'another endpoint has another secret')
  }
})

test('400 addresses, filters, orderings and descriptions that cannot be are refused by name', async () => {
  const { apiKey: key } = await world.otherBusiness()
  for (const [body, code, param] of [
    [{ webhookUrl: 'http://example.com' }, 'invalid_webhook_url', 'webhookUrl'],
    [{ webhookUrl: 'https://10.0.0.1/' }, 'invalid_webhook_url', 'webhookUrl'],
    [{ webhookUrl: 7 }, 'invalid_webhook_url', 'webhookUrl'],
    [{ webhookUrl: undefined }, 'missing_field', 'webhookUrl'],
    [{ eventTypes: [] }, 'invalid_length', 'eventTypes'],
    [{ eventTypes: ['a', 'a'] }, 'invalid_value', 'eventTypes'],
    [{ eventTypes: Array.from({ length: 51 }, (_, at) => `type.${at}`) }, 'invalid_length', 'eventTypes'],
    [{ eventTypes: ['*.created'] }, 'invalid_format', 'eventTypes.0'],
    [{ eventTypes: ['deposit*'] }, 'invalid_format', 'eventTypes.0'],
    [{ eventTypes: ['.*'] }, 'invalid_format', 'eventTypes.0'],
    [{ eventTypes: ['*', 'a\u0000b'] }, 'invalid_format', 'eventTypes.1'],
    [{ eventTypes: ['x'.repeat(257)] }, 'invalid_length', 'eventTypes.0'],
    [{ eventTypes: 'all' }, 'invalid_type', 'eventTypes'],
    [{ ordering: 'fifo' }, 'invalid_value', 'ordering'],
    [{ description: '' }, 'invalid_length', 'description'],
    [{ description: 'two\nlines' }, 'invalid_format', 'description'],
    [{ description: 'd'.repeat(201) }, 'invalid_length', 'description'],
    [{ status: 'paused' }, 'unknown_field', 'status'],
    [{ eventtypes: ['*'] }, 'unknown_field', 'eventtypes'],
  ] as const) {
    assertError(await call('POST', path, { webhookUrl: url, ...body }, { key }), 400, code, { param })
  }
  assert.deepEqual((await call('GET', path, undefined, { key })).body.data, [])
})

test('422 a business has at most 20, the default one included, however many are made at once', async () => {
  const { apiKey: key } = await world.otherBusiness()
  await call('PUT', '/v0/webhook-url', { webhookUrl: url }, { key })
  const answers = await Promise.all(Array.from({ length: 24 }, () => call('POST', path, { webhookUrl: url }, { key })))
  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) assertError(answer, 422, 'webhook_endpoint_limit_reached', { resolution: /20/ })
  assert.equal(answers.length - refused.length, 19)
  const list = await call('GET', `${path}?limit=100`, undefined, { key })
  assert.equal(list.body.data.length, 20)
  await call('DELETE', `${path}/${list.body.data[0].id}`, undefined, { key })
  assert.equal((await call('POST', path, { webhookUrl: url }, { key })).status, 200, 'one that is deleted makes room')
})
