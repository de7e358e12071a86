// POST /v0/alert-channels

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.business
const path = '/v0/alert-channels'
const slack = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }

test('200 with defaults; the URL is never returned, only its origin', async () => {
  const { id, createdAt, updatedAt, ...fixed } = dataOf(await call('POST', path, slack))
  assert.match(id, /^alc_/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(fixed, {
    type: 'slack',
    name: 'Slack',
    emails: [],
    urlOrigin: 'https://hooks.slack.com',
    kinds: ['*'],
    endpointFailingMinutes: 15,
    status: 'enabled',
  })
})

test('200 a webhook has a signing secret, in this response only', async () => {
  const settings = { name: 'On call', kinds: ['endpoint.failing'], endpointFailingMinutes: 1_440 }
  const body = { type: 'webhook', url: 'https://alerts.example.com/in', ...settings }
  const { signingSecret, ...shown } = dataOf(await call('POST', path, body))
  assert.match(signingSecret, /^whsec_/)
  assert.deepEqual(dataOf(await call('GET', `${path}/${shown.id}`)), shown)
  assert.deepEqual({ ...shown, ...settings }, shown)
})

const refused: readonly (readonly [what: string, body: object, param: string])[] = [
  ['no URL', { type: 'slack' }, 'url'],
  ['addresses for Slack', { ...slack, emails: ['ops@acme.example'] }, 'emails'],
  ['a private address', { type: 'slack', url: 'https://10.0.0.1/services' }, 'url'],
  ['the address of cloud metadata', { type: 'webhook', url: 'https://169.254.169.254/latest' }, 'url'],
  ['plain http', { type: 'webhook', url: 'http://alerts.example.com/' }, 'url'],
  ['a low port', { type: 'webhook', url: 'https://alerts.example.com:25/' }, 'url'],
  ['no addresses', { type: 'email' }, 'emails'],
]
for (const [what, body, param] of refused)
  test(`400 ${what}`, async () => {
    assertError(await call('POST', path, body), 400, 'invalid_alert_channel', { param })
  })

const hostile = [
  'a@b.example\r\nBcc: c@d.example',
  'a@b.example, c@d.example',
  '"a b"@c.example',
  '<a@b.example>',
  'a@b',
]
for (const email of hostile)
  test(`400 ${JSON.stringify(email)} is no address`, async () => {
    assertError(await call('POST', path, { type: 'email', emails: [email] }), 400, 'invalid_format', {
      silentOn: [email],
    })
  })

test('422 email, which this deployment cannot send', async () => {
  const body = { type: 'email', emails: ['ops@acme.example'] }
  assertError(await call('POST', path, body), 422, 'email_not_configured', { resolution: /SMTP_URL/ })
})

test('422 an eleventh channel', async () => {
  const count = async (): Promise<number> => dataOf(await call('GET', path)).length
  while ((await count()) < 10) dataOf(await call('POST', path, slack))
  const both = await Promise.all([call('POST', path, slack), call('POST', path, slack)])
  for (const answer of both) assertError(answer, 422, 'alert_channel_limit_reached', { resolution: /10 channels/ })
  assert.equal(await count(), 10)
})
