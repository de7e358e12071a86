// A server dies after the commit of a write and before its response. A repeat with the same key gets that response byte for
// byte, including secrets, and nothing is created twice.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { isNightly } from '../../../scripts/test-needs.ts'
import { openFaultProxy } from '../../proof/src/rig/network/proxy.ts'
import { accountRequest } from './business.ts'
import { type Answer, operations, request, until } from './caller.ts'
import { bodyOf, credentialOf, pathOf, realNames } from './http/operation-matrix.ts'
import { kycBody } from './people.ts'
import { startServe } from './serve-process.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const names = await realNames(world)
const { db } = world.inside

/** Operations that need no other system. */
const local = [
  'createEndUser',
  'updateEndUser',
  'deleteEndUser',
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
  'createConsoleLink',
  'revokeConsoleLink',
  'deleteWebhookEndpoint',
  'deleteWebhookUrl',
]

/**
 * During the work, makes storing a response fail if it happens after the request's own work, in a transaction without
 * other writes.
 */
async function withoutLateKeeping<T>(work: () => Promise<T>): Promise<T> {
  await db.transaction(async (tx) => {
    await tx.unsafe(`create or replace function late_keeping() returns trigger language plpgsql as
      $$ begin
        if pg_current_xact_id_if_assigned() is null and current_query() ~ 'update idempotency_keys set status' then raise 'kept late'; end if;
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
      const named = { ...names, ...(id === 'deleteEndUser' ? { externalUserId: await world.business.user() } : {}) }
      const body = id === 'startReplay' ? soon() : bodyOf(operation, named)
      const ask = () =>
        world.business.call(operation.method, pathOf(operation, named), body, {
          key: credentialOf(world, operation),
          headers: { 'idempotency-key': `once ${id}` },
        })
      if (id === 'deleteWebhookUrl')
        await world.business.call('PUT', '/v0/webhook-url', { webhookUrl: 'https://hooks.example.com/in' })
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

type Asked = { method: 'POST' | 'PATCH'; path: string; body?: unknown }

const refusal = { mode: 'status', status: 400, body: { code: 'invalid_parameters', message: 'no' } }

/** Operations that call the provider: each creates its own request, so that stories do not affect each other. */
const upstream: Record<string, () => Promise<Asked>> = {
  createVirtualAccount: async () => accountAsked(names.externalUserId),
  'createVirtualAccount that waits for KYC': async () =>
    accountAsked(await world.business.user(), { onPendingKyc: 'wait' }),
  updateVirtualAccount: async () => ({
    method: 'PATCH',
    path: await freshAccount(),
    body: { developer_fee_percent: '0.75' },
  }),
  deactivateVirtualAccount: async () => ({ method: 'POST', path: `${await freshAccount()}/deactivate` }),
  reactivateVirtualAccount: async () => {
    const path = await freshAccount()
    await world.business.call('POST', `${path}/deactivate`)
    return { method: 'POST', path: `${path}/reactivate` }
  },
  createTosLink: async () => tosAsked(await world.business.user()),
  'createTosLink of an open link': async () => {
    const user = await world.business.user()
    await world.business.call('POST', `/v0/end-users/${user}/tos-link`)
    return tosAsked(user)
  },
  'createTosLink of a customer': async () => tosAsked(names.externalUserId),
  submitKyc: async () => {
    const user = await world.business.user()
    return kycAsked(user, kycBody(await world.business.acceptTerms(user), user))
  },
  'submitKyc again': async () => {
    const user = await world.business.user()
    const body = kycBody(await world.business.acceptTerms(user), user)
    await world.business.call('POST', `/v0/end-users/${user}/submit-kyc`, body)
    return kycAsked(user, body)
  },
}

/** Requests that the provider refuses for good. */
const refused: Record<string, () => Promise<Asked>> = {
  createVirtualAccount: async () => {
    await world.provider.fails({ about: names.externalUserId, ...refusal })
    return accountAsked(names.externalUserId)
  },
  updateVirtualAccount: async () => {
    const path = await freshAccount()
    await world.provider.fails({ about: names.externalUserId, ...refusal, under: '/.*' })
    return { method: 'PATCH', path, body: { developer_fee_percent: '0.8' } }
  },
  deactivateVirtualAccount: async () => {
    const path = await freshAccount()
    await world.provider.fails({ about: names.externalUserId, ...refusal, under: '/.*/deactivate' })
    return { method: 'POST', path: `${path}/deactivate` }
  },
  createTosLink: async () => {
    await world.provider.fails({ method: 'POST', path: '/tos_links$', ...refusal })
    return tosAsked(await world.business.user())
  },
  submitKyc: async () => {
    const user = await world.business.user()
    const agreement = await world.business.acceptTerms(user)
    await world.provider.fails({ method: 'POST', path: '^/v0/customers$', ...refusal })
    return kycAsked(user, kycBody(agreement, user))
  },
}

const accountAsked = (externalUserId: string, more = {}): Asked => ({
  method: 'POST',
  path: '/v0/virtual-accounts',
  body: { ...accountRequest(externalUserId), ...more },
})
const freshAccount = async () => `/v0/virtual-accounts/${(await world.business.account(names.externalUserId))['id']}`
const tosAsked = (user: string): Asked => ({ method: 'POST', path: `/v0/end-users/${user}/tos-link`, body: {} })
const kycAsked = (user: string, body: unknown): Asked => ({
  method: 'POST',
  path: `/v0/end-users/${user}/submit-kyc`,
  body,
})

describe('what the provider did and we settled is the answer', () => {
  for (const [status, stories] of [
    [200, upstream],
    [422, refused],
  ] as const) {
    for (const [name, prepare] of Object.entries(stories)) {
      test(`${status} ${name}`, async () => {
        const { method, path, body } = await prepare()
        const ask = () =>
          world.business.call(method, path, body, { headers: { 'idempotency-key': `settled ${status} ${name}` } })
        await withoutLateKeeping(async () => {
          const first = await ask()
          assert.equal(first.status, status, first.text)
          const repeat = await ask()
          assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [status, 'true'], repeat.text)
          assert.equal(repeat.text, first.text)
        })
      })
    }
  }
})

describe('a server that dies between the settling and its answer: the repeat at another gets the stored answer at once', () => {
  const others = ['updateVirtualAccount', 'deactivateVirtualAccount', 'createTosLink']
  for (const id of ['createVirtualAccount', 'submitKyc', ...(isNightly ? others : [])]) {
    test(id, async () => {
      const asked = await upstream[id]?.()
      assert.ok(asked)
      const { method, path, body } = asked
      const headers = { authorization: `Bearer ${world.business.apiKey}`, 'idempotency-key': `died ${id}` }
      const ask = (baseUrl: string) => request(method, `${baseUrl}${path}`, body, { headers })
      await using line = await openFaultProxy({ target: () => world.database, speaksPostgres: true })
      await using server = await startServe(world, { PGHOST: line.host, PGPORT: String(line.port) })
      await line.set({ kind: 'commit', arrives: true, of: 'update operations set must_be_read' })
      const lost = ask(server.url).catch(() => null)
      await until('its settling to be committed', () => Promise.resolve(line.struck() > 0))
      await server.kill()
      assert.notEqual((await lost)?.status, 200)
      const repeat = await ask(world.url)
      assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true'], repeat.text)
    })
  }
})

const soon = () => ({ from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() })

test('a server that dies before it hears of its commit: the repeat at another gets the one endpoint, with its secret', async () => {
  const key = { authorization: `Bearer ${world.business.apiKey}`, 'idempotency-key': 'lost answer' }
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
  const repeat = await make(world.url)
  assert.deepEqual([repeat.status, repeat.headers.get('idempotent-replayed')], [200, 'true'], repeat.text)
  const rows = await made()
  assert.deepEqual(
    rows.map((row) => row.id),
    [repeat.body.data.id],
  )
  assert.match(repeat.body.data.signingSecret, /^whsec_/)
})
