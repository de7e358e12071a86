// The receivers of packages/sdk/examples on real listeners: each believes what is signed, refuses what is not, and has an
// event sent again that it could not handle.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { createReceiver as createExpress } from '../examples/receivers/express/receiver.ts'
import { createReceiver as createFastify } from '../examples/receivers/fastify/receiver.ts'
import { createReceiver as createHono } from '../examples/receivers/hono/receiver.ts'
import { POST } from '../examples/receivers/next/app/webhooks/causeway/route.ts'
import { kycStates } from '../examples/receivers/next/events.ts'
import { createReceiver as createNodeHttp } from '../examples/receivers/node-http/receiver.ts'
import { SignatureError, sign, type VerifiedWebhook, verify } from '../src/webhooks/index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const bodyOf = (externalUserId: string): string =>
  JSON.stringify({
    ...{ event_id: 'evt_1', event_type: 'end_user.kyc.updated', created_at: '2026-11-23T00:00:00.000Z' },
    ...{ api_version: 'v0', data: { externalUserId, kycStatus: 'approved' } },
  })

type Handle = (event: VerifiedWebhook) => Promise<void>

/** Each makes a listener whose receiver hands its events on. */
const receivers: Record<string, (handle: Handle) => Promise<RequestListener>> = {
  'node-http': async (handle) => createNodeHttp(secret, handle).listeners('request')[0] as RequestListener,
  express: async (handle) => createExpress(secret, handle) as RequestListener,
  fastify: async (handle) => {
    const app = createFastify(secret, handle)
    await app.ready()
    return app.routing
  },
  hono: async (handle) => getRequestListener(createHono(secret, handle).fetch),
}

async function listening(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks` }
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<[number, string]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return [response.status, await response.text()]
}

describe('receivers', () => {
  for (const [name, make] of Object.entries(receivers)) {
    test(`${name} takes what is signed, and answers why it takes nothing else`, async () => {
      const taken: string[] = []
      const handle: Handle = async (event) => {
        assert.ok(event.type === 'end_user.kyc.updated')
        if (event.data.externalUserId === 'unlucky') throw new Error('The database is away.')
        taken.push(event.data.externalUserId)
      }
      const { server, url } = await listening(await make(handle))
      try {
        const body = bodyOf('ada é')
        const headers = await sign(body, secret)
        assert.deepEqual(await post(url, body, headers), [204, ''])
        assert.deepEqual(await post(url, `${body} `, headers), [401, 'signature_mismatch'])
        assert.deepEqual(await post(url, body, {}), [401, 'header_missing'])
        const unlucky = bodyOf('unlucky')
        assert.equal((await post(url, unlucky, await sign(unlucky, secret)))[0], 500)
        assert.deepEqual(taken, ['ada é'])
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  }

  test('next takes what is signed, and answers why it takes nothing else', async (t) => {
    process.env['CAUSEWAY_SIGNING_SECRET'] = secret
    t.after(() => delete process.env['CAUSEWAY_SIGNING_SECRET'])
    const { server, url } = await listening(getRequestListener(POST))
    try {
      const body = bodyOf('grace')
      const headers = await sign(body, secret)
      assert.deepEqual(await post(url, body, headers), [204, ''])
      assert.equal(kycStates.get('grace'), 'approved')
      assert.deepEqual(await post(url, `${body} `, headers), [401, 'signature_mismatch'])
      const unlucky = bodyOf('unlucky')
      assert.equal((await post(url, unlucky, await sign(unlucky, secret)))[0], 500)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  test('a body that express.json() has parsed is told apart from a wrong signature', async () => {
    const app = express().use(express.json())
    let reason = ''
    app.post('/webhooks', async (request, response) => {
      const error = await verify(request.body, request.headers, secret).catch((failure: unknown) => failure)
      assert.ok(error instanceof SignatureError)
      reason = error.reason
      response.status(401).end()
    })
    const { server, url } = await listening(app as RequestListener)
    const body = bodyOf('ada')
    await post(url, body, await sign(body, secret))
    server.closeAllConnections()
    server.close()
    assert.equal(reason, 'body_was_parsed')
  })
})
