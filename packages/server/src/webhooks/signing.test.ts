// Outbound signatures against an independent library of the same standard.

import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { anyCharacter } from '../../test/any-text.ts'
import { attemptHeaders, headerSafe, stampLine, stampOf } from '../events/headers.rules.ts'
import { signingKeyOf } from '../platform/secrets/signing-keys.ts'
import { deliveryHeaders, importSecret, newSecret, sign } from './signing.ts'

const ids = fc.stringMatching(/^[!-\-/-~]{1,255}$/)
const times = fc.integer({ min: 0, max: 4_102_444_800 })
const bodies = fc.oneof(fc.json(), fc.string({ unit: 'grapheme', maxLength: 500 }), fc.constant('{"é":"漢字😀"}'))
const secretTexts = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)
const secretLists = fc.array(secretTexts, { minLength: 1, maxLength: 3 })

test('every signature is the one the Standard Webhooks library makes, one for each secret in its place', () => {
  fc.assert(
    fc.property(ids, times, bodies, secretLists, (id, timestampSeconds, text, secrets) => {
      const body = Buffer.from(text)
      const headers = sign({ id, timestampSeconds, body, secrets: secrets.map(importSecret) })
      const expected = secrets.map((secret) => new Webhook(secret).sign(id, new Date(timestampSeconds * 1_000), body))
      assert.equal(headers['webhook-id'], id)
      assert.equal(headers['webhook-timestamp'], String(timestampSeconds))
      assert.equal(headers['webhook-signature'], expected.join(' '))
    }),
  )
})

test('during a rotation the holder of either secret verifies, and the holder of another does not', () => {
  const [newer, older, other] = [newSecret(randomBytes), newSecret(randomBytes), newSecret(randomBytes)]
  const body = Buffer.from('{"event_id":"evt_1"}')
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const headers = sign({ id: 'evt_1', timestampSeconds, body, secrets: [newer, older].map(importSecret) })
  assert.deepEqual(new Webhook(newer).verify(body, headers), { event_id: 'evt_1' })
  assert.deepEqual(new Webhook(older).verify(body, headers), { event_id: 'evt_1' })
  assert.throws(() => new Webhook(other).verify(body, headers), /No matching signature/)
})

test('with a key pair, one v1a signature of the same bytes follows the others, and without one there is none', () => {
  fc.assert(
    fc.property(ids, times, bodies, secretLists, (id, timestampSeconds, text, secrets) => {
      const { privateKey, publicKey } = signingKeyOf(randomBytes(32))
      const given = { id, timestampSeconds, body: Buffer.from(text), secrets: secrets.map(importSecret) }
      const entries = sign({ ...given, ed25519: privateKey })['webhook-signature'].split(' ')
      assert.equal(entries.slice(0, -1).join(' '), sign(given)['webhook-signature'])
      const [, encoded = ''] = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(entries.at(-1) ?? '') ?? []
      const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' })
      const isAuthentic = (signed: string) => verify(null, Buffer.from(signed), key, Buffer.from(encoded, 'base64'))
      assert.ok(isAuthentic(`${id}.${timestampSeconds}.${text}`))
      assert.ok(!isAuthentic(`${id}.${timestampSeconds + 1}.${text}`))
    }),
    { numRuns: 50 },
  )
})

test('a receiver that knows v1 alone passes over v1a', () => {
  const secret = newSecret(randomBytes)
  const body = Buffer.from('{"event_id":"evt_1"}')
  const { privateKey } = signingKeyOf(randomBytes(32))
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const headers = sign({ id: 'evt_1', timestampSeconds, body, secrets: [importSecret(secret)], ed25519: privateKey })
  assert.deepEqual(new Webhook(secret).verify(body, headers), { event_id: 'evt_1' })
})

test('bytes that are not UTF-8 are signed as they are', () => {
  const secrets = [importSecret(newSecret(randomBytes))]
  const signatureOf = (...bytes: number[]) =>
    sign({ id: 'evt_1', timestampSeconds: 1, body: Uint8Array.from(bytes), secrets })['webhook-signature']
  assert.notEqual(signatureOf(0xff), signatureOf(0xfe))
})

test('a new secret is 32 random bytes in base64 behind its prefix', () => {
  const secret = newSecret((size) => Buffer.alloc(size, 7))
  assert.equal(secret, `whsec_${Buffer.alloc(32, 7).toString('base64')}`)
  assert.notEqual(newSecret(randomBytes), newSecret(randomBytes))
})

test('a secret of 24 to 64 bytes is imported; anything else is refused without being repeated', () => {
  const secretOf = (size: number) => `whsec_${Buffer.alloc(size, 1).toString('base64')}`
  assert.equal(importSecret(secretOf(24)).symmetricKeySize, 24)
  assert.equal(importSecret(secretOf(64)).symmetricKeySize, 64)
  const unprefixed = Buffer.alloc(32, 1).toString('base64')
  const urlSafe = `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`
  for (const text of [
    '',
    'whsec_',
    secretOf(23),
    secretOf(65),
    unprefixed,
    urlSafe,
    `${secretOf(32)} `,
    `x${secretOf(32)}`,
  ]) {
    assert.throws(
      () => importSecret(text),
      (error: Error) => error instanceof RangeError && (text === '' || !error.message.includes(text.slice(6) || '\0')),
    )
  }
})

test('what no receiver could check is refused', () => {
  const secrets = [importSecret(newSecret(randomBytes))]
  const good = { id: 'evt_1', timestampSeconds: 1, body: Buffer.from('{}'), secrets }
  assert.doesNotThrow(() => sign(good))
  for (const id of ['', 'evt.1', 'evt 1', 'evt_é', 'evt\r\n', 'e'.repeat(256)])
    assert.throws(() => sign({ ...good, id }))
  for (const timestampSeconds of [1.5, -1, Number.NaN]) assert.throws(() => sign({ ...good, timestampSeconds }))
  assert.throws(() => sign({ ...good, secrets: [] }))
})

const delivery = {
  id: 'evt_1',
  timestampSeconds: 1_700_000_000,
  body: Buffer.from('{}'),
  secrets: [importSecret(newSecret(() => Buffer.alloc(32, 9)))],
  eventType: 'end_user.created',
  externalUserId: 'user-123@example.com',
  sequence: 42,
  attempt: 3,
  isVerified: true,
  version: '0.1.0',
}

test('a delivery carries the signature and what the receiver needs to route it', () => {
  assert.deepEqual(deliveryHeaders(delivery), {
    'content-type': 'application/json',
    'user-agent': 'Causeway/0.1.0',
    ...sign(delivery),
    'svc-event-type': 'end_user.created',
    'svc-external-user-id': 'user-123@example.com',
    'svc-sequence': '42',
    'svc-attempt': '3',
    'svc-verified': 'true',
  })
})

test('the headers of an attempt are made again from the line that is stored of them', () => {
  const secrets = [...delivery.secrets, importSecret(newSecret(() => Buffer.alloc(32, 8)))]
  const headers = deliveryHeaders({ ...delivery, secrets })
  assert.deepEqual(attemptHeaders(delivery, stampOf(stampLine(headers))), headers)
})

test('an event without an end-user has no end-user header', () => {
  const headers = deliveryHeaders({ ...delivery, externalUserId: null, isVerified: false })
  assert.ok(!('svc-external-user-id' in headers))
  assert.equal(headers['svc-verified'], 'false')
})

test('any text becomes a header value of printable ASCII that decodes to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const value = headerSafe(text)
      assert.match(value, /^[!-~]*$/)
      assert.equal(decodeURIComponent(value), text)
    }),
  )
  assert.equal(headerSafe('a\r\nsvc-verified: true'), 'a%0D%0Asvc-verified:%20true')
  assert.equal(headerSafe('\uD800'), '%EF%BF%BD')
})
