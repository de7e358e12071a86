// The answer to a write is lost after its commit: a server that dies there leaves the answer for the repeat, byte for byte
// what it would have sent, secrets included, and nothing is made twice.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openFaultProxy } from '../../proof/src/fault-proxy/proxy.ts'
import { operations } from './api-contract.ts'
import { bodyOf, credentialOf, pathOf, realNames } from './http/operation-matrix.ts'
import { startServe } from './serve-process.ts'
import { type Answer, newUser, request, testWorld, until } from './test-world.ts'

const world = await testWorld()
after(() => world.stop())
const names = await realNames(world)
const { db } = world.server.deps

/** What is done here alone, with nobody else asked. */
const local = [
  'createEndUser',
  'updateEndUser',
  'eraseEndUser',
  'setWebhookUrl',
  'createWebhookEndpoint',
  'updateWebhookEndpoint',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'startReplay',
  'replayEvent',
  'retryDelivery',
  'issueApiKey',
  'rollApiKey',
  'revokeApiKey',
  'deleteWebhookEndpoint',
  'deleteWebhookUrl',
]

/**
 * While it works, whoever would keep the answer after the work of a request, in a transaction that has written nothing
 * before, fails.
 */
async function withoutLateKeeping<T>(work: () => Promise<T>): Promise<T> {
  await db.transaction(async (tx) => {
    await tx.unsafe(`create or replace function late_keeping() returns trigger language plpgsql as
      $$ begin
        if pg_current_xact_id_if_assigned() is null and current_query() ~ '^\\s*update' then raise 'kept late'; end if;
        return null;
      end $$`)
    await tx.unsafe(`create trigger late_keeping before update on idempotency_keys
      for each statement execute function late_keeping()`)
  })
  try {
    return await work()
  } finally {
    await db.transaction((tx) => tx.unsafe('drop trigger late_keeping on idempotency_keys'))
  }
}

describe('what the work commits is the answer', () => {
  for (const id of local) {
    test(id, async () => {
      const operation = operations.find((each) => each.id === id)
      assert.ok(operation, id)
      const named = { ...names, ...(id === 'eraseEndUser' ? { externalUserId: await newUser(world) } : {}) }
      const body = id === 'startReplay' ? soon() : bodyOf(operation, named)
      const ask = () =>
        world.call(operation.method, pathOf(operation, named), body, {
          key: credentialOf(world, operation),
          headers: { 'idempotency-key': `once ${id}` },
        })
      if (id === 'deleteWebhookUrl')
        await world.call('PUT', '/v0/webhook-url', { webhookUrl: 'https://hooks.example.com/in' })
      await withoutLateKeeping(async () => {
        const first = await ask()
        assert.equal(first.status, 200, first.text)
        const repeat = await ask()
        assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true'], repeat.text)
        assert.equal(repeat.text, first.text)
      })
    })
  }
})

const soon = () => ({ from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() })

test('a server that dies before it hears of its commit: the repeat at another gets the one endpoint, with its secret', async () => {
  const key = { authorization: `Bearer ${world.facts.apiKey}`, 'idempotency-key': 'lost answer' }
  const make = (baseUrl: string): Promise<Answer> =>
    request(
      'POST',
      `${baseUrl}/v0/webhook-endpoints`,
      { webhookUrl: 'https://hooks.example.com/lost' },
      { headers: key },
    )
  const made = () =>
    db.read((query) => query<{ id: string }[]>`select id from webhook_endpoints where url like '%/lost'`)
  await using line = await openFaultProxy({ target: () => world.database, speaksPostgres: true })
  await using server = await startServe(world, { PGHOST: line.host, PGPORT: String(line.port) })
  await line.set({ kind: 'commit', arrives: true, of: 'insert into webhook_endpoints' })
  const lost = make(server.url).catch(() => null)
  await until('its work to be committed', () => Promise.resolve(line.struck() > 0))
  await server.kill()
  assert.notEqual((await lost)?.status, 200)
  const repeat = await make(world.facts.baseUrl)
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true'], repeat.text)
  const rows = await made()
  assert.deepEqual(
    rows.map((row) => row.id),
    [repeat.body.data.id],
  )
  assert.match(repeat.body.data.signingSecret, /^whsec_/)
})
