// Group commit under load: 64 concurrent posters while PostgreSQL and the server die in the middle of their batches.
// Every acknowledged event is found afterwards, once.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { dataOf } from '../../embedded-postgres/src/cluster.ts'
import { forgetEmbedded, startEmbedded } from '../../embedded-postgres/src/embedded.ts'
import { locate } from '../../embedded-postgres/src/place.ts'
import { readPostmasterId } from '../../embedded-postgres/src/socket.ts'
import { openDatabase } from '../src/platform/postgres/db.ts'
import { parseConfig } from '../src/platform/settings.ts'
import { request, until } from './caller.ts'
import { freshEventId } from './provider.ts'
import { createProviderSigner } from './provider-signer.ts'
import { type ServeProcess, startServe } from './serve-process.ts'

const posters = 64
const signer = createProviderSigner()
const operator = 'the operator of this test, and nobody else'

const home = await mkdtemp(join(tmpdir(), 'causeway-crash-'))
// With real fsync, and restarted automatically after it was killed.
const postgres = await startEmbedded({ home })
const db = openDatabase(postgres.connection, { poolMax: 2 })
after(async () => {
  await db.close()
  await postgres.stop()
  await forgetEmbedded(home)
  await rm(home, { recursive: true, force: true })
})

function serve(): Promise<ServeProcess> {
  const config = parseConfig(
    { PROVIDER_URL: 'http://127.0.0.1:9/v0', PROVIDER_API_KEY: 'k', PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey },
    { deploymentSecret: 'a secret of this test'.padEnd(32, '.'), adminSecret: operator },
  )
  return startServe({ database: postgres.connection, inside: { config } }, { LOG_LEVEL: 'silent' })
}

/** A business with an end-user and an endpoint that nobody listens at: every event gets its place and its delivery. */
async function makeOwner(baseUrl: string): Promise<{ customerId: string; externalUserId: string }> {
  const call = async (method: string, path: string, key: string, body: unknown) => {
    const answer = await request(method, `${baseUrl}${path}`, body, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const { id: customerId } = await call('POST', '/v0/customers', operator, { name: 'Under fire' })
  const { key } = await call('POST', `/v0/customers/${customerId}/api-keys`, operator, {})
  const externalUserId = 'ada'
  await call('POST', '/v0/end-users', key, { externalUserId })
  await call('PUT', '/v0/webhook-url', key, { webhookUrl: 'http://127.0.0.1:9/' })
  return { customerId, externalUserId }
}

async function killPostgres(signal: NodeJS.Signals): Promise<void> {
  const postmaster = readPostmasterId(dataOf(locate(home))) ?? 0
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '')
  process.kill(postmaster, signal)
  if (signal !== 'SIGKILL') return
  for (const child of children.split(' ').filter(Boolean)) {
    try {
      process.kill(Number(child), signal)
    } catch {
      // It ended with its postmaster.
    }
  }
}

test('kill -9 of PostgreSQL and of the server in the middle of their batches: what 64 posters were told is found, once', async () => {
  let server = await serve()
  const { customerId, externalUserId } = await makeOwner(server.url)
  const acknowledged: string[] = []
  let isOver = false

  const poster = async (): Promise<void> => {
    for (let eventId = freshEventId(); !isOver; ) {
      const raw = JSON.stringify({ event_id: eventId, event_type: 'test.happened', external_user_id: externalUserId })
      const headers = { 'x-webhook-signature': signer.sign(raw) }
      const answer = await request('POST', `${server.url}/v0/webhooks/provider`, undefined, { raw, headers }).catch(
        () => null,
      )
      if (answer?.status === 200) {
        acknowledged.push(eventId)
        eventId = freshEventId()
      } else await delay(100) // like the provider: the same one, a little later
    }
  }
  const running = Promise.all(Array.from({ length: posters }, poster))
  const more = (count: number) => {
    const target = acknowledged.length + count
    return until(`${count} more`, () => acknowledged.length >= target, 30_000)
  }
  try {
    await more(200)
    await killPostgres('SIGQUIT') // its `immediate` stop
    await more(200)
    // Both at once.
    await Promise.all([killPostgres('SIGKILL'), server.kill()])
    server = await until('the server’s return', () => serve().catch(() => null), 30_000)
    await more(100)
  } finally {
    isOver = true
    await running
    await server.kill()
  }
  const rows = await until('the database', () =>
    db
      .read(
        (query) => query<{ providerEventId: string; position: number }[]>`
          select provider_event_id, position from events where business_id = ${customerId} order by position`,
      )
      .catch(() => null),
  )
  const found = rows.flatMap(({ providerEventId }) => providerEventId ?? [])
  assert.deepEqual(
    acknowledged.filter((id) => !found.includes(id)),
    [],
    'acknowledged and not there',
  )
  assert.equal(new Set(found).size, found.length, 'stored twice')
  assert.deepEqual(
    rows.map(({ position }) => position),
    rows.map((_, index) => index + 1),
    'gaps in the stream',
  )
  const deliveries = await db.read(
    (query) => query<{ sequence: number }[]>`select sequence from deliveries order by sequence`,
  )
  assert.deepEqual(
    deliveries.map(({ sequence }) => sequence),
    found.map((_, index) => index + 1),
    'each event has its delivery, numbered without a gap',
  )
})
