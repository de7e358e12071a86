// The public keys of event signatures: open to all, cacheable, and never more than the public half.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { edgeServer } from './edge-server.ts'

const secrets = ['n'.repeat(40), 'o'.repeat(40)]
const edge = await edgeServer({ env: { DEPLOYMENT_SECRET: secrets.join(',') } })
after(() => edge.stop())

test('the keys of all deployment secrets are published as a JWK set, the signing one first, to anyone and cacheable', async () => {
  const answer = await edge.call('GET', '/.well-known/jwks.json')
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers.get('content-type')), /^application\/jwk-set\+json(;|$)/)
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  assert.deepEqual(answer.body, { keys: edge.deps.secrets.eventSigningKeys.map(({ publicKey }) => publicKey) })
  assert.equal(answer.body.keys.length, secrets.length)
  for (const key of answer.body.keys) {
    assert.deepEqual(
      { ...key, x: '', kid: '' },
      { kty: 'OKP', crv: 'Ed25519', x: '', kid: '', use: 'sig', alg: 'EdDSA' },
    )
  }
  assert.ok(!/"d"/.test(answer.text))
})

test('nothing is written there', async () => {
  const answer = await edge.call('POST', '/.well-known/jwks.json')
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.get('allow'), 'GET, HEAD')
})
