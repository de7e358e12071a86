// Published keys over an outage of their address: genuine webhooks are believed, and forged ones cause no request each.

import assert from 'node:assert/strict'
import type { webcrypto } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createKeySet, SignatureError, verifyByKeys } from '../../src/webhooks/index.ts'
import { answer, scriptedServer } from '../scripted-server.ts'

const body = '{"event_id":"evt_1","event_type":"end_user.created","api_version":"v0","data":{}}'
const endpointId = 'whe_1'
const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
const published = answer(200, { keys: [await crypto.subtle.exportKey('jwk', pair.publicKey)] })
const down = answer(503, '')

async function signed() {
  const [id, time] = [`evt_1_${endpointId}`, String(Math.floor(Date.now() / 1_000))]
  const signature = await crypto.subtle.sign('Ed25519', pair.privateKey, Buffer.from(`${id}.${time}.${body}`))
  const text = Buffer.from(signature).toString('base64')
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1a,${text}` }
}

async function forged() {
  return { ...(await signed()), 'webhook-signature': `v1a,${Buffer.alloc(64).toString('base64')}` }
}

function mockClock(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
}

test('the last good keys are used until newer ones are read, and an outage costs one request in ten seconds', async (t) => {
  mockClock(t)
  await using server = await scriptedServer(published, down)
  const keySet = createKeySet(server.url)
  const verifying = async (headers: Awaited<ReturnType<typeof signed>>) =>
    verifyByKeys(body, headers, keySet, { endpointId })
  await verifying(await signed())
  assert.equal(server.seen.length, 1)

  t.mock.timers.tick(11_000)
  for (let times = 0; times < 20; times++) await assert.rejects(verifying(await forged()), SignatureError)
  assert.equal(server.seen.length, 2, 'forged webhooks share one request')
  await verifying(await signed())

  t.mock.timers.tick(3_600_000)
  for (let times = 0; times < 20; times++) await verifying(await signed())
  assert.equal(server.seen.length, 3, 'keys that are too old are asked for once, and used')
})

test('without any keys a failure is thrown, and asked for again after a second', async (t) => {
  mockClock(t)
  await using server = await scriptedServer(down, published)
  const keySet = createKeySet(server.url)
  for (let times = 0; times < 3; times++) {
    const verifying = verifyByKeys(body, await signed(), keySet, { endpointId })
    await assert.rejects(verifying, { name: 'ConnectionError' })
  }
  assert.equal(server.seen.length, 1)
  t.mock.timers.tick(1_000)
  await verifyByKeys(body, await signed(), keySet, { endpointId })
})

test('webhooks that come at once share one request, and an answer that is no key set replaces nothing', async (t) => {
  mockClock(t)
  await using server = await scriptedServer(published, answer(200, { maintenance: true }), answer(200, 'null'))
  const keySet = createKeySet(server.url)
  const headers = await signed()
  await Promise.all(Array.from({ length: 5 }, () => verifyByKeys(body, headers, keySet, { endpointId })))
  assert.equal(server.seen.length, 1)
  for (const requests of [2, 3]) {
    t.mock.timers.tick(300_000)
    await verifyByKeys(body, await signed(), keySet, { endpointId })
    assert.equal(server.seen.length, requests)
  }
})
