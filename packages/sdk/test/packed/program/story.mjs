// What every Node does with the packed SDK, as ESM and as CommonJS: sign and verify, call, repeat, page, tell errors apart.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** @param sdk `@causeway/sdk` @param webhooks `@causeway/sdk/webhooks` @param twin the SDK in the other module system */
export async function story(sdk, webhooks, twin) {
  const body = '{"event_id":"evt_1","event_type":"end_user.created","api_version":"v0","data":{}}'
  const headers = await webhooks.sign(body, secret)
  assert.equal((await webhooks.verify(Buffer.from(body), headers, secret)).type, 'end_user.created')
  await assert.rejects(webhooks.verify(JSON.parse(body), headers, secret), { reason: 'body_was_parsed' })
  await verifyByKeys(webhooks, body)

  const seen = []
  const server = createServer((request, response) => {
    seen.push(request.headers['idempotency-key'])
    if (seen.length === 1) return response.destroy()
    if (request.method === 'POST') return response.end('{"data":{"id":"eu_1"}}')
    const error = { type: 'not_found_error', code: 'holder_not_found', message: '', resolution: '', requestId: 'req_1' }
    response.writeHead(404).end(JSON.stringify({ error }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}`
  const api = new sdk.Causeway({ baseUrl, apiKey: 'svc_test_x', backoffMs: 1 })
  try {
    assert.equal((await api.endUsers.create({ externalUserId: 'ada' })).id, 'eu_1')
    assert.ok(seen.length === 2 && seen[0] === seen[1])
    const error = await api.endUsers.get('ada').catch((failure) => failure)
    for (const Class of [sdk.NotFoundError, twin.NotFoundError, twin.ApiError]) assert.ok(error instanceof Class)
    assert.ok(!(error instanceof twin.ConflictError))
    assert.equal(error.code, 'holder_not_found')
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** A deployment that publishes a key and signs with it. */
async function verifyByKeys(webhooks, body) {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const key = {
    ...(await crypto.subtle.exportKey('jwk', pair.publicKey)),
    alg: 'EdDSA',
    use: 'sig',
    key_ops: undefined,
  }
  const [id, time] = ['evt_1_whe_1', String(Math.floor(Date.now() / 1000))]
  const signature = await crypto.subtle.sign('Ed25519', pair.privateKey, Buffer.from(`${id}.${time}.${body}`))
  const fetch = async () => Response.json({ keys: [key] })
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1a,${Buffer.from(signature).toString('base64')}`,
  }
  const keySet = webhooks.createKeySet('https://causeway.example.com/.well-known/jwks.json', { fetch })
  const { delivery } = await webhooks.verifyByKeys(body, headers, keySet, { endpointId: 'whe_1' })
  assert.equal(delivery.endpointId, 'whe_1')
}
