// Deliveries with both kinds of signature: a receiver checks by its secret, or by the published keys alone.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { after, test } from 'node:test'
import { request, until } from './caller.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { WEBHOOK_SIGNATURE_SCHEMES: 'v1,v1a' } })
after(() => world.stop())

/** As /docs/reference/webhook-signatures hands it to receivers. */
type Check = (headers: IncomingHttpHeaders, body: Buffer, jwks: unknown, endpointId: string) => boolean

async function documentedCheck(): Promise<Check> {
  const page = readFileSync(
    new URL('../../../docs/src/content/docs/reference/webhook-signatures.md', import.meta.url),
    'utf8',
  )
  const snippets = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code)
  const code = snippets.find((text) => text.includes('isAuthenticByKey')) ?? ''
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isAuthenticByKey: Check }
  return module.isAuthenticByKey
}

test('a delivery is authentic by the secret and by the published keys, and for its own endpoint alone', async () => {
  await using subscriber = await world.subscriber()
  await world.post(subscriber.event())
  const received = await until('the delivery', () => subscriber.receiver.seen[0])
  const { headers, body } = received
  subscriber.verify(received)
  assert.match(String(headers['webhook-signature']), /^v1,\S+ v1a,\S+$/)

  const isAuthentic = await documentedCheck()
  const { body: jwks } = await request('GET', `${world.url}/.well-known/jwks.json`)
  const endpointId: string = (await subscriber.call('GET', '/v0/webhook-url')).body.data.id
  assert.ok(isAuthentic(headers, body, jwks, endpointId))
  assert.ok(!isAuthentic(headers, Buffer.concat([body, Buffer.from(' ')]), jwks, endpointId))
  assert.ok(!isAuthentic({ ...headers, 'webhook-timestamp': '1' }, body, jwks, endpointId))
  assert.ok(!isAuthentic(headers, body, { keys: [] }, endpointId))
  assert.ok(!isAuthentic(headers, body, jwks, 'whe_of_another_receiver'), 'sent to someone else and passed on')
  const withoutEd25519 = { ...headers, 'webhook-signature': String(headers['webhook-signature']).split(' ')[0] }
  assert.ok(!isAuthentic(withoutEd25519, body, jwks, endpointId))
})
