// PUT /v0/webhook-url

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

const set = (key: string, webhookUrl: unknown) => call('PUT', '/v0/webhook-url', { webhookUrl }, { key })

test('200 the first URL makes the endpoint and shows its signing secret, this once', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { data } = (await set(key, 'https://example.com/hooks?tenant=1')).body
  assert.match(data.id, /^whe_/)
  assert.match(data.signingSecret, /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
  assert.deepEqual(
    { ...data, id: '', signingSecret: '', createdAt: '', updatedAt: '' },
    {
      id: '',
      webhookUrl: 'https://example.com/hooks?tenant=1',
      status: 'enabled',
      disabledReason: null,
      createdAt: '',
      updatedAt: '',
      signingSecret: '',
    },
  )
})

test('200 a further URL moves the endpoint and keeps its id and secret', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const first = (await set(key, 'https://example.com/a')).body.data
  const { data } = (await set(key, 'https://example.com/b')).body
  assert.equal(data.id, first.id)
  assert.equal(data.webhookUrl, 'https://example.com/b')
  assert.equal('signingSecret' in data, false)
  assert.equal(data.createdAt, first.createdAt)
})

test('200 in sandbox mode a receiver on loopback may be named, by http as well', async () => {
  const { apiKey: key } = await world.otherBusiness()
  for (const url of ['http://127.0.0.1:9/hook', 'http://localhost:9/hook', 'http://[::1]:9/hook']) {
    assert.equal((await set(key, url)).status, 200, url)
  }
})

test('400 an address that may not be sent to is refused, and the old one stays', async () => {
  const { apiKey: key } = await world.otherBusiness()
  await set(key, 'https://example.com/a')
  const refused = [
    'http://example.com/hook',
    'https://user:secret@example.com/',
    'https://10.0.0.1/hook',
    'https://192.168.1.1/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/hook',
    'ftp://example.com/hook',
    '/hook',
    'hooks.example.org',
    '',
    `https://example.com/${'x'.repeat(4096)}`,
  ]
  for (const url of refused) {
    const answer = await set(key, url)
    assertError(answer, 400, 'invalid_webhook_url', { param: 'webhookUrl', details: ['webhookUrl'] })
    if (url.length > 10) assert.ok(!answer.text.includes(url), `the value is not repeated: ${answer.text}`)
  }
  const kept = await call('GET', '/v0/webhook-url', undefined, { key })
  assert.equal(kept.body.data.webhookUrl, 'https://example.com/a')
})

test('400 all that is wrong with an address is told at once', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { error } = (await set(key, 'http://10.0.0.1/hook')).body
  assert.deepEqual(
    error.details.map(({ param, message }: Record<string, string>) => [param, message]),
    [
      ['webhookUrl', 'webhookUrl must use https.'],
      ['webhookUrl', 'webhookUrl must name a host on the public internet.'],
    ],
  )
  assert.equal(error.message, error.details[0].message)
})

test('400 a body without webhookUrl, or with more than that, is refused', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assertError(await call('PUT', '/v0/webhook-url', {}, { key }), 400, 'missing_field', { param: 'webhookUrl' })
  const more = await call('PUT', '/v0/webhook-url', { webhookUrl: 'https://example.com', url: 'x' }, { key })
  assertError(more, 400, 'unknown_field', { param: 'url' })
  assertError(await set(key, 7), 400, 'invalid_webhook_url', { param: 'webhookUrl' })
})

test('422 an Idempotency-Key that was used for another URL is refused, and the same URL is answered again', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const options = { key, headers: { 'idempotency-key': 'set-once' } }
  const first = await call('PUT', '/v0/webhook-url', { webhookUrl: 'https://example.com/a' }, options)
  const again = await call('PUT', '/v0/webhook-url', { webhookUrl: 'https://example.com/a' }, options)
  assert.equal(again.text, first.text, 'the secret is shown again to who lost the first answer')
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await call('PUT', '/v0/webhook-url', { webhookUrl: 'https://example.com/b' }, options)
  assertError(other, 422, 'idempotency_key_reused')
})

test('422 a business with as many endpoints as it can have gets no further one', async () => {
  const { apiKey: key } = await world.otherBusiness()
  for (let index = 0; index < 20; index++)
    await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://example.com/a' }, { key })
  assertError(await set(key, 'https://example.com/b'), 422, 'webhook_endpoint_limit_reached')
})
