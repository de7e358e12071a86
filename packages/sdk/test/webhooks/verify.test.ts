// The verifier: the published vector, the reference library in both directions, and each reason why a webhook is not believed.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { eventOf, type RawBody, SignatureError, sign, verify, type WebhookHeaders } from '../../src/webhooks/index.ts'

// https://github.com/standard-webhooks/standard-webhooks, the example of its libraries.
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  now: new Date(1614265330_000),
} as const
const other = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

async function reasonOf(verifying: Promise<unknown>): Promise<string> {
  const error = await verifying.then(
    () => assert.fail('it was believed'),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof SignatureError, String(error))
  return error.reason
}

describe('the published vector', () => {
  const { secret, body, headers, now } = vector
  const bytes = new TextEncoder().encode(body)

  const bodies: [string, RawBody][] = [
    ['a string', body],
    ['bytes', bytes],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', bytes.buffer],
    ['a part of a larger buffer', new TextEncoder().encode(`xx${body}xx`).subarray(2, -2)],
  ]
  for (const [name, raw] of bodies) {
    test(`is believed with the body as ${name}`, async () => {
      assert.equal((await verify(raw, headers, secret, { now })).delivery.webhookId, headers['webhook-id'])
    })
  }

  const kinds: [string, WebhookHeaders][] = [
    ['Headers', new Headers(headers)],
    [
      'names in another case',
      {
        'Webhook-Id': headers['webhook-id'],
        'WEBHOOK-TIMESTAMP': '1614265330',
        'Webhook-Signature': headers['webhook-signature'],
      },
    ],
    ['lists of values', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['a Map', new Map(Object.entries(headers)) as never],
  ]
  for (const [name, given] of kinds) {
    test(`is believed with headers as ${name}`, async () => {
      await verify(body, given, secret, { now })
    })
  }

  test('is signed again to the last character', async () => {
    assert.deepEqual(await sign(body, secret, { id: headers['webhook-id'], now }), headers)
  })

  test('is believed when one of several secrets or signatures fits', async () => {
    await verify(body, headers, [other, secret], { now })
    const rotating = { ...headers, 'webhook-signature': `v1,AAAA v1a,x v2,y nonsense ${headers['webhook-signature']}` }
    await verify(body, rotating, secret, { now })
    const both = await sign(body, [other, secret], { now })
    for (const one of [other, secret]) await verify(body, both, one, { now })
  })

  test('is believed up to 300 seconds before and after, or what the caller allows', async () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      verify(body, headers, secret, { now: new Date(now.getTime() + seconds * 1_000), toleranceSeconds })
    await at(300)
    await at(-300)
    assert.equal(await reasonOf(at(301)), 'too_old')
    assert.equal(await reasonOf(at(-301)), 'too_new')
    assert.equal(await reasonOf(at(61, 60)), 'too_old')
    await at(86_400, Number.POSITIVE_INFINITY)
    assert.equal(await reasonOf(verify(body, headers, secret)), 'too_old', 'the clock of this machine is the default')
  })

  test('is never believed by a tolerance or a time that is no number', async () => {
    for (const toleranceSeconds of [Number.NaN, -1, '300' as never, null as never])
      await assert.rejects(verify(body, headers, secret, { now, toleranceSeconds }), TypeError)
    await assert.rejects(verify(body, headers, secret, { now: new Date(Number.NaN) }), TypeError)
  })

  const reasons: [
    reason: string,
    what: string,
    body: RawBody,
    changes: Record<string, string | undefined>,
    secret: unknown,
  ][] = [
    ['body_was_parsed', 'a parsed body', JSON.parse(body), {}, secret],
    ['body_was_parsed', 'no body', undefined as never, {}, secret],
    ['header_missing', 'no id', body, { 'webhook-id': undefined }, secret],
    ['header_missing', 'no time', body, { 'webhook-timestamp': undefined }, secret],
    ['header_missing', 'an empty signature', body, { 'webhook-signature': '' }, secret],
    ['header_malformed', 'a time in words', body, { 'webhook-timestamp': 'now' }, secret],
    ['header_malformed', 'a time with a sign', body, { 'webhook-timestamp': '-1614265330' }, secret],
    ['header_malformed', 'an end-user that is not percent-encoded', body, { 'svc-external-user-id': '100%' }, secret],
    ['header_malformed', 'a signature of another kind alone', body, { 'webhook-signature': 'v1a,AAAA' }, secret],
    ['header_malformed', 'a signature that is no base64', body, { 'webhook-signature': 'v1,%%%' }, secret],
    ['secret_malformed', 'a secret with a line break', body, {}, `${secret}\n`],
    ['secret_malformed', 'a secret in quotes', body, {}, `"${secret}"`],
    ['secret_malformed', 'no secret', body, {}, undefined],
    ['secret_malformed', 'an empty list of secrets', body, {}, []],
    ['secret_malformed', 'an empty secret', body, {}, 'whsec_'],
    ['signature_mismatch', 'one more space', body.replace(' ', '  '), {}, secret],
    ['signature_mismatch', 'another id', body, { 'webhook-id': 'msg_other' }, secret],
    ['signature_mismatch', 'another second', body, { 'webhook-timestamp': '1614265331' }, secret],
    ['signature_mismatch', 'a signature cut short', body, { 'webhook-signature': 'v1,g0hM9SsE' }, secret],
    ['signature_mismatch', 'another secret, of a body that is not compact', body, {}, other],
  ]
  for (const [reason, what, raw, changes, given] of reasons) {
    test(`is not believed with ${what}: ${reason}`, async () => {
      const changed = { ...headers, ...changes }
      assert.equal(await reasonOf(verify(raw, changed, given as string, { now })), reason)
    })
  }
})

test('a compact body of a known endpoint whose signature does not fit has the secret of another endpoint', async () => {
  const body = '{"event_type":"end_user.created"}'
  const headers = await sign(body, other, { id: 'evt_1_whe_7abc' })
  const error = await verify(body, headers, vector.secret).catch((failure: unknown) => failure)
  assert.ok(error instanceof SignatureError)
  assert.equal(error.reason, 'secret_of_another_endpoint')
  assert.match(error.message, /the endpoint whe_7abc\./)
})

test('the reason for a parsed body names the remedy of each framework, and no error holds a secret', async () => {
  const parsed = await verify({} as never, vector.headers, vector.secret).catch((failure: unknown) => failure)
  assert.ok(parsed instanceof SignatureError)
  for (const name of ['Express', 'Fastify', 'Hono', 'Next', 'node:http']) assert.ok(parsed.message.includes(name))
  const broken = await verify(vector.body, vector.headers, `${vector.secret}!`, { now: vector.now }).catch(
    (failure) => failure,
  )
  assert.ok(!JSON.stringify([broken.message, broken.stack, broken]).includes(vector.secret.slice(6)))
})

test('what is signed and is no JSON object is refused', async () => {
  for (const body of ['', 'text', '[1]', 'null', '"x"']) {
    assert.equal(await reasonOf(verify(body, await sign(body, other), other)), 'body_is_not_json')
  }
})

test('the reference library believes what is signed here, and what it signs is believed here', async () => {
  const bodies = fc.json()
  const ids = fc.stringMatching(/^[!-\-/-~]{1,40}$/)
  const secrets = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)
  await fc.assert(
    fc.asyncProperty(bodies, ids, secrets, async (json, id, secret) => {
      const body = `{"x":${json}}`
      const oracle = new Webhook(secret)
      const now = new Date()
      oracle.verify(body, await sign(body, secret, { id, now }))
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': oracle.sign(id, now, body),
      }
      await verify(body, headers, secret, { now })
      assert.throws(() => oracle.verify(`${body} `, headers))
      await assert.rejects(verify(`${body} `, headers, secret, { now }), SignatureError)
    }),
    { numRuns: 50 },
  )
})

test("a switch over type narrows data, and the provider's events are 'other' with their whole body", () => {
  const ours = eventOf({
    ...{ event_id: 'evt_1', event_type: 'end_user.created', created_at: '2026-11-23T00:00:00.000Z', api_version: 'v0' },
    data: { externalUserId: 'ada', kycStatus: 'approved' },
  })
  switch (ours.type) {
    case 'end_user.created': {
      const status: 'approved' | string = ours.data.kycStatus
      assert.equal(status, 'approved')
      break
    }
    case 'virtual_account.payment.received':
      // @ts-expect-error: a deposit has no KYC status
      assert.fail(ours.data.kycStatus)
      break
    default:
      assert.fail(ours.type)
  }
  const body = { event_id: 'wh_1', event_type: 'customer.updated', event_object: { id: 'c' } }
  assert.deepEqual(eventOf(body), { type: 'other', name: 'customer.updated', id: 'wh_1', createdAt: null, data: body })
  const newer = { event_id: 'evt_2', event_type: 'end_user.promoted', created_at: 'x', api_version: 'v0', data: {} }
  assert.equal(eventOf(newer).type, 'other')
  assert.equal(eventOf({ ...newer, event_type: 'end_user.created', api_version: 'v9' }).type, 'other')
})
