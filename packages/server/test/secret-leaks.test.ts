// A leak of the database or the log must not reveal keys and secrets. None is in clear in any file of the database
// including its WAL, in any log line at the most verbose level, in a metric, or in a response other than the one that
// shows it once.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startWorld } from '../../cli/src/world/world.ts'
import { rotateSecrets } from '../src/app/secret-rotation/rotation.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { type Answer, request, until } from './caller.ts'
import { searchDatabaseFiles } from './canary-search.ts'
import { startCluster, testDatabase } from './test-database.ts'

const home = await mkdtemp(join(tmpdir(), 'causeway-leaks-'))
// Every file of the database server is searched: a separate one has few.
const cluster = await startCluster()
const database = await testDatabase(cluster.connection)
const lines: string[] = []
const world = await startWorld({
  home,
  port: 0,
  sandboxPort: 0,
  database: database.connection,
  limits: { failedAuthPerMinute: 10_000 },
  log: createLog('trace', (line) => lines.push(line)),
})
after(async () => {
  await world.stop()
  await database.drop()
  await cluster.stop()
  await rm(home, { recursive: true, force: true })
})

const { adminSecret, apiKey, customerId, providerApiKey, baseUrl } = world.facts
const answers: string[] = []
/** Said once by design. */
const shown: string[] = []

async function call(method: string, path: string, body?: unknown, key = apiKey, headers = {}): Promise<Answer> {
  const answer = await request(method, `${baseUrl}${path}`, body, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  const { key: once, signingSecret, url } = answer.body?.data ?? {}
  for (const secret of [once, signingSecret, codeOf(url)]) if (typeof secret === 'string') shown.push(secret)
  answers.push(
    once || signingSecret || url
      ? JSON.stringify({ ...answer.body.data, key: '', signingSecret: '', url: '' })
      : answer.text,
  )
  return answer
}

const codeOf = (url: unknown) => (typeof url === 'string' ? url.split('#')[1] : undefined)

/** Possible forms in a file: the text itself, and its bytes in base64 and hexadecimal. */
function formsOf(secret: string): string[] {
  const own = secret.replace(/^(svc_(test|live|link|session)_|whsec_|sk-(test|live)-)/, '')
  const bytes = Buffer.from(own)
  return [own, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

test('no key and no secret is in a database file, a log line, a metric or a second answer', async () => {
  const { id } = (await call('POST', '/v0/api-keys', { name: 'mine' }, apiKey, { 'idempotency-key': 'once' })).body.data
  await call('POST', `/v0/api-keys/${id}/roll`, { expiresInHours: 1 })
  await call('POST', `/v0/customers/${customerId}/api-keys`, {}, adminSecret)
  const endpoint = await call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://hooks.example.com/' }, apiKey, {
    'idempotency-key': 'once',
  })
  await call('POST', `/v0/webhook-endpoints/${endpoint.body.data.id}/rotate-secret`, {})
  const link = await call('POST', '/v0/console-links', { scopes: ['events:read'] }, apiKey, {
    'idempotency-key': 'once',
  })
  for (const credential of [{ code: codeOf(link.body.data.url) }, { apiKey }, { adminSecret }]) {
    const signedIn = await call('POST', '/console/session', credential, apiKey, { 'x-causeway-console': '1' })
    assert.equal(signedIn.status, 200, signedIn.text)
    const [, token = ''] = /causeway_session=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '') ?? []
    shown.push(token)
  }
  await call('GET', '/v0/api-keys')
  await call('GET', '/v0/webhook-endpoints')
  await call('GET', '/v0/events')
  await rotateSecrets(world.server.deps, false)

  // Where they do not belong: in an address, a header, a body that is refused.
  const { deploymentSecrets } = world.server.deps.config
  const secrets = [...shown, apiKey, world.signingSecret, adminSecret, providerApiKey, ...deploymentSecrets]
  assert.ok(shown.length >= 5)
  const before = answers.length
  for (const secret of secrets) {
    await call('GET', `/v0/events?cursor=${encodeURIComponent(secret)}`)
    await call('GET', `/v0/api-keys/${encodeURIComponent(secret)}`)
    await call('POST', '/v0/api-keys', { name: { secret } })
    await call('GET', '/v0/whoami', undefined, `${secret}x`)
    await call('GET', '/v0/customers', undefined, `${secret}x`)
    await call('GET', '/v0/whoami', undefined, apiKey, { 'x-api-key': secret, cookie: secret })
    await call('GET', `/console/link/${encodeURIComponent(secret)}`)
    await call('POST', '/console/session', { code: secret, apiKey: secret }, apiKey, { 'x-causeway-console': '1' })
    await call('GET', '/console/config', undefined, apiKey, {
      'x-causeway-console': '1',
      cookie: `causeway_session=${secret}x`,
    })
    world.server.deps.log.error({ err: new Error(`a library says ${secret}`), secret }, `it failed with ${secret}`)
  }
  assert.ok(answers.length >= before + secrets.length * 9)
  await until('a line', () => lines.some((line) => line.includes('a library says')))

  const { hits, files, bytes } = await searchDatabaseFiles(
    database.connection,
    new RegExp(secrets.flatMap(formsOf).map(literally).join('|'), 'g'),
  )
  assert.deepEqual(hits, [])
  assert.ok(files > 100 && bytes > 10_000_000)
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  for (const secret of secrets) {
    const own = formsOf(secret)[0] ?? ''
    assert.equal(
      lines.find((line) => line.includes(own)),
      undefined,
      'a line of the log',
    )
    assert.ok(!metrics.includes(own), 'a metric')
    assert.equal(
      answers.find((answer) => answer.includes(own)),
      undefined,
      'an answer',
    )
  }
  console.log(JSON.stringify({ secrets: secrets.length, files, bytes, logLines: lines.length, hits: hits.length }))
})

test('the search finds what is there', async () => {
  const { hits } = await searchDatabaseFiles(database.connection, new RegExp(customerId, 'g'))
  assert.ok(hits.length > 0)
  assert.ok(lines.some((line) => line.includes('/v0/api-keys')))
})
