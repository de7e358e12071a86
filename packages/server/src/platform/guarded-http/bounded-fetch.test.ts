// Limits of a fetch from a service that a customer chose.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type BoundedFetchOptions, createBoundedFetch } from './bounded-fetch.ts'
import { AddressRefused } from './guarded-connect.ts'

async function serving(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const get = (url: string, options: Partial<BoundedFetchOptions> = {}) =>
  createBoundedFetch({ addresses: 'public_or_loopback', ...options })(url, { method: 'GET', headers: {} })

/** The reason below what fetch reports. */
const causeOf = (error: unknown): unknown => (error instanceof TypeError ? error.cause : error)

test('a response comes back with status, headers and body', async () => {
  await using server = await serving((request, response) => {
    response.writeHead(201, { 'content-type': 'text/plain' }).end(request.headers['x-given'])
  })
  const fetch = createBoundedFetch({ addresses: 'public_or_loopback' })
  const response = await fetch(server.url, { method: 'GET', headers: { 'x-given': 'hello' } })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('content-type'), 'text/plain')
  assert.equal(await response.text(), 'hello')
})

test('a form is sent as one', async () => {
  await using server = await serving(async (request, response) => {
    const text = (await request.toArray()).join('')
    response.end(`${request.method} ${request.headers['content-type']} ${text}`)
  })
  const fetch = createBoundedFetch({ addresses: 'any' })
  const sent = { method: 'POST', headers: {}, body: new URLSearchParams({ a: 'b c' }) }
  assert.match(await (await fetch(server.url, sent)).text(), /^POST application\/x-www-form-urlencoded.* a=b\+c$/)
})

test('a loopback address is refused in live mode', async () => {
  await using server = await serving((_, response) => response.end())
  await assert.rejects(get(server.url, { addresses: 'public' }), (error) => causeOf(error) instanceof AddressRefused)
})

for (const address of ['10.0.0.1', '169.254.169.254', '100.64.0.1', '192.168.1.1'])
  test(`a name that resolves to ${address} is refused`, async () => {
    const lookup = async () => [address]
    for (const addresses of ['public', 'public_or_loopback'] as const)
      await assert.rejects(
        get('https://login.example.com/', { addresses, lookup }),
        (error) => causeOf(error) instanceof AddressRefused,
      )
  })

test('a redirect is not followed', async () => {
  let asked = 0
  await using server = await serving((_, response) => {
    asked += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal((await get(server.url)).status, 302)
  assert.equal(asked, 1)
})

test('a response that is too long is cut off', async () => {
  await using server = await serving((_, response) => response.end('a'.repeat(2_000)))
  await assert.rejects(get(server.url, { bytesMax: 1_999 }), /longer than 1999 bytes/)
  assert.equal((await (await get(server.url, { bytesMax: 2_000 })).text()).length, 2_000)
})

test('a compressed response counts by what it holds', async () => {
  await using server = await serving((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('a'.repeat(1_000_000)))
  })
  await assert.rejects(get(server.url, { bytesMax: 100_000 }), /longer than 100000 bytes/)
})

test('a service that never ends its response is given up', async () => {
  await using server = await serving((_, response) => {
    response.writeHead(200)
    response.write('a')
  })
  await assert.rejects(get(server.url, { timeoutMs: 150 }), { name: 'TimeoutError' })
})
