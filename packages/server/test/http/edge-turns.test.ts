// Turns of a business, at a real listener: work holds one; a slow reader of a response and another business do not.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { servicesOf } from '../../src/app/services.ts'
import { issueApiKey } from '../../src/businesses/api-keys.ts'
import { createBusiness } from '../../src/businesses/service.ts'
import { coreOfRequest, scopeOf } from '../../src/platform/http/app.ts'
import { requestsAtOncePerBusiness } from '../../src/platform/http/limits.ts'
import { until } from '../caller.ts'
import { testDatabase } from '../test-database.ts'
import { edgeServer } from './edge-server.ts'

const database = await testDatabase()
const held: (() => void)[] = []
/** More than the buffers of both ends of a connection hold. */
const wide = 'x'.repeat(32 * 1024 * 1024)
/** A provider that responds at once, or keeps the requests in `unanswered` while `answers` is false. */
let answers = true
let givenUp = 0
const unanswered: ServerResponse[] = []
const provider = createServer((_request, response) => {
  response.on('close', () => {
    if (!response.writableEnded) givenUp += 1
  })
  if (answers) response.writeHead(404).end('{}')
  else unanswered.push(response)
})
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
const edge = await edgeServer({
  env: { PROVIDER_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v0` },
  database: database.connection,
  routes(app) {
    app.get('/v0/wide', { config: { auth: 'business' } }, () => ({ data: wide }))
    app.get('/v0/held', { config: { auth: 'business' } }, async () => {
      await new Promise<void>((resolve) => held.push(resolve))
      return { data: 'done' }
    })
    app.get('/v0/at-provider', { config: { auth: 'business' } }, async (request) => {
      await askProvider(request)
      return { data: 'done' }
    })
    app.get('/v0/after-provider', { config: { auth: 'business' } }, async (request) => {
      await askProvider(request)
      await new Promise<void>((resolve) => held.push(resolve))
      return { data: 'done' }
    })
    app.get('/v0/quick', { config: { auth: 'business' } }, () => ({ data: 'done' }))
  },
})

async function askProvider(request: FastifyRequest): Promise<void> {
  await servicesOf(edge.deps)
    .verdicts(coreOfRequest(request), scopeOf(request))
    .provider.customers.read('absent')
    .catch(() => {}) // 404
}

after(async () => {
  await edge.stop()
  provider.close()
  await database.drop()
})

async function openKey(name: string): Promise<{ authorization: string }> {
  const { id } = await createBusiness(edge.deps, { name })
  return { authorization: `Bearer ${(await issueApiKey(edge.deps, id, { name })).key}` }
}

test('callers who do not read their answers keep no turn of their business', async () => {
  const headers = await openKey('deaf')
  const heard: boolean[] = []
  const deaf = Array.from({ length: requestsAtOncePerBusiness + 1 }, (_, at): Socket => {
    const socket = connect(edge.port, '127.0.0.1')
    socket.once('readable', () => {
      heard[at] = true // the response has begun; nothing of it is read
    })
    socket.write(`GET /v0/wide HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`)
    return socket
  })
  await until('the answers', () => deaf.every((_, at) => heard[at]))
  assert.equal((await edge.call('GET', '/v0/quick', undefined, { headers })).status, 200)
  for (const socket of deaf) socket.destroy()
})

test('a business at its limit waits for itself, and nobody else does', async () => {
  const [busy, other] = [await openKey('busy'), await openKey('other')]
  const working = Array.from({ length: requestsAtOncePerBusiness }, () =>
    edge.call('GET', '/v0/held', undefined, { headers: busy }),
  )
  await until('the work', () => held.length === requestsAtOncePerBusiness)
  let isAnswered = false
  const waiting = edge.call('GET', '/v0/quick', undefined, { headers: busy }).then((answer) => {
    isAnswered = true
    return answer
  })
  assert.equal((await edge.call('GET', '/v0/quick', undefined, { headers: other })).status, 200)
  assert.equal(isAnswered, false)
  for (const release of held.splice(0)) release()
  for (const answer of [...(await Promise.all(working)), await waiting]) assert.equal(answer.status, 200)
})

test('a request that waits for the provider holds no turn', async () => {
  const headers = await openKey('patient')
  answers = false
  const waiting = Array.from({ length: requestsAtOncePerBusiness + 1 }, () =>
    edge.call('GET', '/v0/at-provider', undefined, { headers }),
  )
  await until('the calls', () => unanswered.length === requestsAtOncePerBusiness + 1)
  assert.equal((await edge.call('GET', '/v0/quick', undefined, { headers })).status, 200)
  assert.equal(givenUp, 0, 'no call had to end before the next one began')
  answers = true
  for (const response of unanswered.splice(0)) response.writeHead(404).end('{}')
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200)
})

test('what follows an answer of the provider waits for a turn like all work', async () => {
  const headers = await openKey('upstream')
  const atOnce = 3 * requestsAtOncePerBusiness
  const answers = Array.from({ length: atOnce }, () => edge.call('GET', '/v0/after-provider', undefined, { headers }))
  for (let done = 0; done < atOnce; done += requestsAtOncePerBusiness) {
    await until('the next ones', () => held.length >= requestsAtOncePerBusiness)
    await edge.call('GET', '/healthz')
    assert.equal(held.length, requestsAtOncePerBusiness)
    for (const release of held.splice(0)) release()
  }
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200)
})
