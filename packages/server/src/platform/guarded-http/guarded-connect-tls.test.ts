// TLS through the guard: the connection goes to the checked address, but the certificate and SNI use the name.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { buildConnector, Pool } from 'undici'
import { guardedConnector } from './guarded-connect.ts'
import { createSender } from './sender.ts'

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjF1E75DuGr+dtUXt
aBE8mTxfsS6RPcS8RR9GDdyMpAKhRANCAARx6G4xlvvLr11MvyNvM0f4ziRIsGRq
lgYlDNs4/CQLZAg+J40ZW9hUL9NkIIZIq6iOza4lBQHgvyyGhj9ePkB3
-----END PRIVATE KEY-----`
const certificate = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUKzw/XZhA093bD1c3JBBSrId9d8EwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjEwMzA1NDNaGA8yMTI2
MTAyODAzMDU0M1owGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABHHobjGW+8uvXUy/I28zR/jOJEiwZGqWBiUM2zj8JAtk
CD4njRlb2FQv02QghkirqI7NriUFAeC/LIaGP14+QHejbTBrMB0GA1UdDgQWBBQn
SvUmXV8tOIS8ZmLAO7V/cWdUoDAfBgNVHSMEGDAWgBQnSvUmXV8tOIS8ZmLAO7V/
cWdUoDAYBgNVHREEETAPgg1yZWNlaXZlci50ZXN0MA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhAJhnw78hWZEQzjAUV1Ro6ylJzzKl+yaJpx9gEKwz
xv5XAiALcg9iOmnK8+WM2PDFxtiLDK9x5MNea3UavxMD5miyVA==
-----END CERTIFICATE-----`

let requests: { host: string | undefined; servername: string | false | null }[] = []
const server = createServer({ key, cert: certificate }, (request, response) => {
  requests.push({ host: request.headers.host, servername: (request.socket as TLSSocket).servername })
  response.end('ok')
})
let port = 0

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
beforeEach(() => {
  requests = []
})
after(() => server.close())

const lookup = async () => ['127.0.0.1']

async function post(hostname: string): Promise<string> {
  const dial = buildConnector({ allowH2: false, timeout: 1_000, ca: certificate })
  const connect = guardedConnector({ allowLoopback: true, connectTimeoutMs: 1_000, lookup, dial })
  const pool = new Pool(`https://${hostname}:${port}`, { connect, allowH2: false })
  try {
    const { body } = await pool.request({ method: 'POST', path: '/' })
    return await body.text()
  } finally {
    await pool.destroy()
  }
}

const codeIs = (code: string) => (error: unknown) => (error as { code?: string }).code === code

test('the server is asked for the host name although its address was dialled', async () => {
  assert.equal(await post('receiver.test'), 'ok')
  assert.deepEqual(requests, [{ host: `receiver.test:${port}`, servername: 'receiver.test' }])
})

test('a trusted certificate for another name is refused, for another literal too', async () => {
  await assert.rejects(post('other.test'), codeIs('ERR_TLS_CERT_ALTNAME_INVALID'))
  await assert.rejects(post('127.0.0.1'), codeIs('ERR_TLS_CERT_ALTNAME_INVALID'))
  assert.deepEqual(requests, [])
})

test('an event is not sent to a receiver whose certificate nobody vouches for', async () => {
  const sender = createSender({ allowLoopback: true, timeoutMs: 2_000, lookup })
  const url = `https://receiver.test:${port}/`
  const { durationMs: _, ...outcome } = await sender.send({
    businessId: 'cus_1',
    url,
    headers: {},
    body: Buffer.from('{}'),
  })
  assert.deepEqual(outcome, { kind: 'tls_error', detail: 'The certificate is self-signed.' })
  assert.deepEqual(requests, [])
  await sender.close()
})
