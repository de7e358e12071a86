// The operator's commands against a DATABASE_URL, and `serve` on the same environment: from an empty database to an event
// that the provider signed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openClient } from '../../server/src/platform/postgres/client.ts'
import { request } from '../../server/test/caller.ts'
import { databaseLink } from '../../server/test/database-link.ts'
import { testDatabase } from '../../server/test/test-database.ts'
import { startSandboxProcess } from '../src/world/sandbox-process.ts'
import { callCli, runCli, startCli } from './process.ts'

const database = await testDatabase()
const link = await databaseLink(database.connection)
const provider = await startSandboxProcess({ port: 0 })
after(async () => {
  await provider.stop()
  await link[Symbol.asyncDispose]()
  await database.drop()
})

const { username, password, host, port, database: name } = link.connection
const env = {
  DATABASE_URL: `postgres://${username}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
  DEPLOYMENT_SECRET: 'a deployment secret of some length',
  ADMIN_SECRET: 'an operator secret of some length',
  PROVIDER_KIND: 'sandbox',
  PROVIDER_URL: `${provider.url}/v0`,
  PROVIDER_API_KEY: provider.apiKey,
  PROVIDER_WEBHOOK_SIGNATURE: 'required',
  PORT: '0',
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, which assert what they find
async function cli(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await callCli(args, env)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

async function fails(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await callCli(args, env)
  assert.deepEqual([code, stdout], [1, ''])
  return stderr
}

test('an operator sets up a customer, a key, a webhook URL and the provider, and serve works with all of it', async () => {
  const { code, stdout, stderr } = await runCli(['migrate'], env)
  assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { schema: 'up to date' }, ''])
  const customer = await cli('customers', 'create', '--set', 'name=A business')
  assert.deepEqual(await cli('customers', 'list'), [customer])
  const { key, ...shown } = await cli('customers', 'issue-api-key', customer.id, '--set', 'name=First')
  assert.deepEqual(await cli('customers', 'list-api-keys', customer.id), [shown])
  const endpoint = await cli('customers', 'webhook-url', customer.id, '--set', 'webhookUrl=https://example.com/events')
  assert.match(endpoint.signingSecret, /^whsec_/)

  const early = await runCli(['serve'], env)
  assert.equal(early.code, 78, 'required signatures without a key of the provider would refuse every event')
  assert.match(early.stderr, /run "causeway provider connect"/)
  const { query, close } = await openClient(database.connection, { applicationName: 'test' })
  await query`insert into provider_webhooks (provider, id, url, public_key) values ('hifi', 'x', 'https://example.com', 'x')`
  const foreign = await runCli(['serve'], env)
  assert.equal(foreign.code, 78)
  assert.match(foreign.stderr, /selects the provider bridge, but the database contains data of the provider hifi/)
  await query`delete from provider_webhooks`
  const writers = await query`select 1 from deployment_secret_writers`
  await close()
  assert.equal(writers.length, 0, 'a start that was refused would hold up a rotation')
  const connected = await cli('provider', 'connect', '--url', 'https://example.com/v0/webhooks/provider')
  assert.equal(connected.created, true)
  assert.deepEqual(await cli('provider', 'connect', '--url', 'https://example.com/v0/webhooks/provider'), {
    ...connected,
    created: false,
  })

  const serve = startCli(['serve'], env)
  await serve.says('Causeway listens on ')
  const baseUrl = /listens on (\S+)/.exec(serve.output().stdout)?.[1]
  const headers = { authorization: `Bearer ${key}` }
  const me = await request('GET', `${baseUrl}/v0/whoami`, undefined, { headers })
  assert.equal(me.body.data.customerId, customer.id)
  const { body: made } = await request('POST', `${baseUrl}/v0/end-users`, { externalUserId: 'ada' }, { headers })
  await request('DELETE', `${baseUrl}/v0/end-users/ada`, undefined, { headers })
  const actsOf = async (...flags: string[]) =>
    await cli('audit-log', 'list-all', '--customer', customer.id, '--json', ...flags)
  const acts = await actsOf()
  assert.deepEqual(
    acts.map(({ number, action, actor }: Record<string, unknown>) => [number, action, actor]),
    [
      [4, 'end_user.deleted', me.body.data.apiKeyId],
      [3, 'webhook_endpoint.created', 'operator'],
      [2, 'api_key.created', 'operator'],
      [1, 'customer.created', 'operator'],
    ],
  )
  assert.equal(acts[0].subjectId, made.data.id)
  assert.deepEqual(await actsOf('--type', 'api_key.created'), [acts[2]])
  assert.deepEqual(await actsOf('--since', acts[0].createdAt, '--limit', '1'), [acts[0]])
  assert.equal((await cli('audit-log', 'list-all', '--customer', 'deployment'))[0].action, 'provider.connected')
  await cli('customers', 'update', customer.id, '--set', 'status=suspended')
  assert.equal((await cli('customers', 'list'))[0].status, 'suspended')
  await cli('customers', 'update', customer.id, '--set', 'status=active')
  serve.signal('SIGTERM')
  assert.equal((await serve.ended).code, 0)
  await verifyAudit(customer.id)
})

/** It goes well, and no longer once somebody has set an entry right behind our back. */
async function verifyAudit(customerId: string): Promise<void> {
  const heads = await cli('audit-log', 'head')
  assert.deepEqual(
    heads.map((head: { customerId: string; number: number }) => [head.customerId, head.number]),
    [
      [customerId, 6],
      ['deployment', 1],
    ],
  )
  const report = await cli('audit-log', 'verify', '--json')
  assert.deepEqual(report, { ok: true, chains: 2, entries: 7, findings: [] })
  const { query, close } = await openClient(database.connection, { applicationName: 'owner' })
  await query.unsafe(`alter table audit_log disable trigger user;
    update audit_log set actor = 'operator' where business_id = '${customerId}' and number = 4;
    alter table audit_log enable trigger user`)
  await close()
  const { code, stdout } = await callCli(['audit-log', 'verify', '--customer', customerId], env)
  assert.equal(code, 1)
  assert.equal(JSON.parse(stdout).findings[0].number, 4)
}

test('what cannot be done is said in one line that names the code', async () => {
  const unknown = 'biz_00000000000000000000000000'
  assert.match(
    await fails('customers', 'issue-api-key', unknown),
    /^causeway: 404 customer_not_found: There is no business .*\n/,
  )
  const { id } = await cli('customers', 'create', '--set', 'name=Another')
  assert.match(
    await fails('customers', 'webhook-url', id, '--set', 'webhookUrl=https://10.0.0.1/'),
    /^causeway: 400 invalid_webhook_url: .*\n/,
  )
})

test('a deployment secret is replaced by the shell, and is refused to be dropped while something needs it', async () => {
  const { id } = await cli('customers', 'create', '--set', 'name=Kept')
  await cli('customers', 'issue-api-key', id)
  const next = 'the next deployment secret that is long enough'
  const only = { ...env, DEPLOYMENT_SECRET: next }
  const both = { ...env, DEPLOYMENT_SECRET: `${next},${env.DEPLOYMENT_SECRET}` }
  const refused = [
    await runCli(['serve'], only),
    await callCli(['customers', 'list'], only),
    await callCli(['secrets', 'rotate'], only),
  ]
  for (const { code, stderr } of refused) {
    assert.equal(code, 78)
    assert.match(stderr, /DEPLOYMENT_SECRET lacks a secret that stored values still need \(key ID [0-9a-f]{16}\)/)
  }
  const waits = await callCli(['secrets', 'rotate'], both)
  assert.equal(waits.code, 1, 'a key that was never used waits')
  const report = JSON.parse(waits.stdout)
  assert.deepEqual([report.done, report.dropped, report.resealed.auditKeys], [false, [], 1])
  assert.ok(report.left.apiKeys.some((key: { customerId: string }) => key.customerId === id))
  const ended = await callCli(['secrets', 'rotate', '--now'], both)
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal(JSON.parse(ended.stdout).dropped.length, 1)
  const { code, stdout } = await callCli(['audit-log', 'list-all', '--limit', '2', '--json'], only)
  assert.equal(code, 0)
  const acts = JSON.parse(stdout).map(({ action }: { action: string }) => action)
  assert.deepEqual(acts, ['deployment_secret.rotated', 'api_key.revoked'])
})
