// The key pairs of event signatures, against the published vectors of RFC 8037.

import assert from 'node:assert/strict'
import { createPublicKey, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { deriveEventSigningKeys, signingKeyOf } from './signing-keys.ts'

test('a key pair is the one of RFC 8037: public half, thumbprint and signature', () => {
  const { privateKey, publicKey } = signingKeyOf(
    Buffer.from('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', 'base64url'),
  )
  assert.deepEqual(publicKey, {
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    use: 'sig',
    alg: 'EdDSA',
  })
  const signed = sign(null, Buffer.from('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc'), privateKey)
  assert.equal(
    signed.toString('base64url'),
    'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  )
})

test('each deployment secret has a pair of its own, the same on every replica, and in the order of the list', () => {
  const [older, newer] = ['o'.repeat(32), 'n'.repeat(32)]
  const keys = deriveEventSigningKeys([newer, older])
  const ids = keys.map(({ publicKey }) => publicKey.kid)
  assert.equal(new Set(ids).size, 2)
  assert.deepEqual(
    ids,
    [newer, older].flatMap((secret) => deriveEventSigningKeys([secret]).map(({ publicKey }) => publicKey.kid)),
  )
  for (const [index, { privateKey }] of keys.entries()) {
    const signed = sign(null, Buffer.from('x'), privateKey)
    for (const [other, { publicKey }] of keys.entries()) {
      const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' })
      assert.equal(verify(null, Buffer.from('x'), key, signed), index === other)
    }
  }
})

test('what is published holds no private part', () => {
  for (const { publicKey } of deriveEventSigningKeys(['s'.repeat(32)])) {
    assert.deepEqual(Object.keys(publicKey).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  }
})
