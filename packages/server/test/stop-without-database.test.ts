// The way out of a server whose database is gone: bounded, whatever it still holds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../src/main.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { type ConnectionOptions, openClient } from '../src/platform/postgres/client.ts'
import { parseConfig } from '../src/platform/settings.ts'
import { request, until } from './caller.ts'
import { type DatabaseLink, databaseLink } from './database-link.ts'
import { openReceiver } from './receiver.ts'
import { testDatabase } from './test-database.ts'

// Longer than the whole stop may take: so a stop that waits for what cannot be settled is seen.
const shutdownGraceMs = 60_000
const stopMsMax = 30_000

/** A server with a delivery in flight to a receiver that never responds. */
async function busyServer(link: DatabaseLink, logLines: string[]) {
  const adminSecret = 'admin-secret-of-this-test'
  const config = parseConfig({
    PORT: '0',
    PROVIDER_URL: 'http://127.0.0.1:9',
    PROVIDER_API_KEY: 'none',
    DEPLOYMENT_SECRET: 'deployment-secret-of-this-test-alone',
    ADMIN_SECRET: adminSecret,
    WEBHOOK_TIMEOUT_MS: '60000',
    SHUTDOWN_GRACE_MS: String(shutdownGraceMs),
  })
  const log = createLog('warn', (line) => logLines.push(line))
  const server = await startServer(config, log, link.connection)
  const call = (key: string, path: string, body: object, method = 'POST') =>
    request(method, `${server.url}${path}`, body, { headers: { authorization: `Bearer ${key}` } })
  const receiver = await openReceiver(() => () => {})
  const customer = await call(adminSecret, '/v0/customers', { name: 'Business' })
  const issued = await call(adminSecret, `/v0/customers/${customer.body.data.id}/api-keys`, {})
  const apiKey: string = issued.body.data.key
  await call(apiKey, '/v0/webhook-url', { webhookUrl: receiver.url }, 'PUT')
  await call(apiKey, '/v0/end-users', { externalUserId: 'user-1' })
  await until('the delivery', () => receiver.seen.length === 1)
  return { server, receiver }
}

/** From now on a loop that sweeps begins a transaction and gets no further. @returns when one has */
async function holdUpSweeps(connection: ConnectionOptions): Promise<() => Promise<void>> {
  const { query } = await openClient(connection, { applicationName: 'test' }) // ended with the database
  const { query: onlooker } = await openClient(connection, { applicationName: 'test' })
  await query.unsafe('begin; lock table idempotency_keys in access exclusive mode')
  return async () => {
    await until('the sweep that waits', async () => {
      const waiting =
        await onlooker`select 1 from pg_locks where relation = 'idempotency_keys'::regclass and not granted`
      return waiting.length > 0
    })
  }
}

const manners: Record<string, (link: DatabaseLink) => void> = {
  'refuses every connection': (link) => link.cut(),
  'has fallen silent': (link) => link.silence(),
}

for (const [manner, lose] of Object.entries(manners)) {
  test(`a server whose database ${manner} stops within seconds, without waiting for what it cannot settle`, async () => {
    await using left = new AsyncDisposableStack()
    const database = await testDatabase()
    left.defer(() => database.drop())
    const link = left.use(await databaseLink(database.connection))
    const logLines: string[] = []
    const sweepWaits = await holdUpSweeps(database.connection)
    const { server, receiver } = await busyServer(link, logLines)
    left.use(receiver)
    left.defer(() => server.stop())
    await sweepWaits()
    lose(link)
    const startedAt = performance.now()
    await server.stop()
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < stopMsMax, `${Math.round(tookMs)} ms`)
    await assert.rejects(fetch(`${server.url}/healthz`), 'nothing listens any more')
    assert.match(logLines.join(''), /"part":"deliveries"/, 'what was left is told')
  })
}
