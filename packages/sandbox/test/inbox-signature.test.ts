// The signature check of the inbox against the reference library, to the second and to the bit.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { judge, readSecret, type SignedDelivery, type Verdict } from '../src/inbox/signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const key = readSecret(secret) ?? Buffer.alloc(0)
const sentAtMs = 1_614_265_330_000

const signedDelivery = (body: Buffer, id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'): SignedDelivery => ({
  id,
  timestamp: String(sentAtMs / 1000),
  signature: new Webhook(secret).sign(id, new Date(sentAtMs), body.toString('utf8')),
  body,
})
const sample = signedDelivery(Buffer.from('{"test": 2432232314}'))
const verdict = (change: Partial<SignedDelivery>, nowMs = sentAtMs): Verdict =>
  judge({ ...sample, ...change }, [key], nowMs)

describe('the signature check', () => {
  test('holds for the published vector of Standard Webhooks', () => {
    const published = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    assert.equal(sample.signature, published)
    assert.equal(verdict({ signature: published }), 'valid')
  })

  test('agrees with the reference library on any id and any text body', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (id, body) => {
        assert.equal(judge(signedDelivery(Buffer.from(body), id), [key], sentAtMs), 'valid')
      }),
    )
  })

  test('fails when any one bit of the body, or any one character of id, time or signature, is another', () => {
    for (let bit = 0; bit < sample.body.length * 8; bit += 1) {
      const body = Buffer.from(sample.body)
      body.writeUInt8(body.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.equal(verdict({ body }), 'signature_mismatch')
    }
    for (const name of ['id', 'timestamp', 'signature'] as const) {
      const text = sample[name] ?? ''
      // The last character before the padding carries bits that decoding drops, so the padding's neighbour is left out.
      const end = name === 'signature' ? text.length - 2 : text.length
      for (let at = 0; at < end; at += 1) {
        const changed = `${text.slice(0, at)}${text[at] === '5' ? '6' : '5'}${text.slice(at + 1)}`
        assert.notEqual(verdict({ [name]: changed }), 'valid', `${name} ${changed}`)
      }
    }
  })

  test('takes one right signature among others, and only those of version 1', () => {
    const right = sample.signature ?? ''
    assert.equal(verdict({ signature: `v1,AAAA v1a,${right.slice(3)} ${right}` }), 'valid')
    assert.equal(verdict({ signature: `${right} v1,AAAA` }), 'valid')
    for (const signature of [
      right.slice(3),
      right.replace('v1,', 'v2,'),
      right.replace('v1,', 'v1a,'),
      'v1,',
      'v1',
      right.replace('v1,', 'v1, '),
    ]) {
      assert.equal(verdict({ signature }), 'signature_mismatch', signature)
    }
  })

  test('tolerates five minutes to either side and not a millisecond more', () => {
    for (const [offsetMs, expected] of [
      [300_000, 'valid'],
      [-300_000, 'valid'],
      [300_001, 'timestamp_outside_tolerance'],
      [-300_001, 'timestamp_outside_tolerance'],
    ] as const) {
      assert.equal(verdict({}, sentAtMs + offsetMs), expected)
    }
    for (const timestamp of ['', 'now', '-1', '1e9', '1614265330.0', ' 1614265330', '0x60379f72', '9'.repeat(13)]) {
      assert.notEqual(verdict({ timestamp }), 'valid', timestamp)
    }
  })

  test('names a missing header, and says nothing about a delivery when there is no secret', () => {
    for (const name of ['id', 'timestamp', 'signature']) assert.equal(verdict({ [name]: null }), 'headers_missing')
    assert.equal(judge(sample, [], sentAtMs), 'no_secret')
  })

  test('reads secrets of 16 to 128 bytes in the one accepted form', () => {
    const encode = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
    for (const bytes of [16, 24, 32, 64, 128]) assert.equal(readSecret(encode(bytes))?.length, bytes)
    const bad = [
      encode(15),
      encode(129),
      '',
      'whsec_',
      encode(32).slice(6),
      `WHSEC_${encode(32).slice(6)}`,
      'whsec_***',
      ` ${encode(32)}`,
    ]
    for (const text of bad) assert.equal(readSecret(text), undefined, text)
  })
})
